import { createHmac, randomBytes } from 'node:crypto'
import { type Clock, minute } from '../../lib/clock.ts'
import { type Algorithm, type Credentials, digestFields, digestOf, sameDigest } from './digest.ts'
import { header, type SipRequest } from './message.ts'

/** Authenticates requests of trunks and devices by digest (RFC 3261 §22.4, RFC 7616, RFC 8760). */
export interface DigestAuth {
  /** `none`: without credentials. The challenges are those of the 401 response, strongest first. */
  authenticate(
    request: SipRequest,
    realm: string,
    accepted: AcceptedCredentials,
    /** The algorithms of the challenges; all accepted ones if absent. */
    offered?: () => readonly Algorithm[],
  ): { verdict: 'ok' } | { verdict: 'none' | 'stale' | 'wrong'; challenges: string[] }
  /** Empty: the request is authenticated. Otherwise the challenges of its 401 response, strongest first. */
  challengesFor(request: SipRequest, realm: string, accepted: AcceptedCredentials): string[]
}

/** `algorithms` are offered in this order: RFC 8760 §2.3, the preferred one first. */
export interface AcceptedCredentials extends Credentials {
  algorithms: readonly Algorithm[]
}

const nonceLife = minute
const maxNonces = 10_000

export function createDigestAuth(clock: Clock): DigestAuth {
  const secret = randomBytes(32)
  /** The highest nonce count seen with each nonce, to reject replays. */
  const counts = new Map<string, number>()

  // A nonce is bound to the algorithm of its challenge: it cannot be used with a weaker one.
  const seal = (algorithm: Algorithm, at: string) =>
    createHmac('sha256', secret).update(`${algorithm} ${at}`).digest('hex').slice(0, 32)
  const newNonce = (algorithm: Algorithm) => {
    const at = `${clock.machineNow().toString(36)}-${randomBytes(6).toString('hex')}`
    return `${at}-${seal(algorithm, at)}`
  }

  function ageOf(nonce: string, algorithm: Algorithm): number | undefined {
    const cut = nonce.lastIndexOf('-')
    const at = nonce.slice(0, Math.max(cut, 0))
    if (!sameDigest(seal(algorithm, at), nonce.slice(cut + 1))) return undefined
    return clock.machineNow() - Number.parseInt(at.split('-')[0] ?? '', 36)
  }

  function verdict(
    request: SipRequest,
    realm: string,
    { algorithms, ...credentials }: AcceptedCredentials,
  ): 'ok' | 'stale' | 'wrong' {
    const fields = digestFields(header(request, 'authorization') ?? '')
    if (!fields) return 'wrong'
    const get = (name: string) => fields.get(name) ?? ''
    // RFC 7616 §3.4: without the parameter it is MD5.
    const named = (fields.get('algorithm') ?? 'MD5').toUpperCase()
    const algorithm = algorithms.find((one) => one === named)
    if (!algorithm) return 'wrong'
    const nonce = get('nonce')
    const nc = get('nc')
    const age = ageOf(nonce, algorithm)
    const isForm = get('qop') === 'auth' && /^[0-9a-f]{8}$/i.test(nc)
    if (age === undefined || !isForm || get('realm') !== realm || get('uri') !== request.uri) return 'wrong'
    const response = digestOf({
      ...credentials,
      algorithm,
      realm,
      nonce,
      nc,
      cnonce: get('cnonce'),
      qop: 'auth',
      method: request.method,
      uri: request.uri,
    })
    const isRight = sameDigest(response, get('response').toLowerCase()) && get('username') === credentials.username
    if (!isRight) return 'wrong'
    const count = Number.parseInt(nc, 16)
    if (age > nonceLife || count <= (counts.get(nonce) ?? 0)) return 'stale'
    counts.set(nonce, count)
    const [oldest] = counts.keys()
    if (counts.size > maxNonces && oldest !== undefined) counts.delete(oldest)
    return 'ok'
  }

  const authenticate: DigestAuth['authenticate'] = (request, realm, accepted, offered) => {
    const isWithout = header(request, 'authorization') === undefined
    const found = isWithout ? 'none' : verdict(request, realm, accepted)
    if (found === 'ok') return { verdict: 'ok' }
    const stale = found === 'stale' ? ', stale=true' : ''
    const challenges = (offered?.() ?? accepted.algorithms).map(
      (algorithm) =>
        `Digest realm="${realm}", nonce="${newNonce(algorithm)}", algorithm=${algorithm}, qop="auth"${stale}`,
    )
    return { verdict: found, challenges }
  }

  return {
    authenticate,
    challengesFor(request, realm, accepted) {
      const found = authenticate(request, realm, accepted)
      return found.verdict === 'ok' ? [] : found.challenges
    },
  }
}
