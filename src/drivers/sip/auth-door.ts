import { createHmac, randomBytes } from 'node:crypto'
import { type Clock, minute } from '../../lib/clock.ts'
import { type Credentials, digestFields, digestOf, sameDigest } from './digest.ts'
import { header, type SipRequest } from './message.ts'

/** Asks a trunk's requests for credentials (RFC 3261 §22.4, RFC 7616, RFC 8760). */
export interface AuthDoor {
  /** undefined lets it in; a text is the challenge of the one answer everybody else gets. */
  challengeFor(request: SipRequest, realm: string, credentials: Credentials): string | undefined
}

const nonceLife = minute
const mostNonces = 10_000

export function createAuthDoor(clock: Clock): AuthDoor {
  const secret = randomBytes(32)
  /** The highest count seen with each nonce: what was used once is no good again. */
  const counts = new Map<string, number>()

  const seal = (at: string) => createHmac('sha256', secret).update(at).digest('hex').slice(0, 32)
  const newNonce = () => {
    const at = `${clock.machineNow().toString(36)}-${randomBytes(6).toString('hex')}`
    return `${at}-${seal(at)}`
  }

  function ageOf(nonce: string): number | undefined {
    const cut = nonce.lastIndexOf('-')
    const at = nonce.slice(0, Math.max(cut, 0))
    if (!sameDigest(seal(at), nonce.slice(cut + 1))) return undefined
    return clock.machineNow() - Number.parseInt(at.split('-')[0] ?? '', 36)
  }

  /** Only what we offered: one algorithm, so that nobody can talk us down to another. */
  function verdict(request: SipRequest, realm: string, credentials: Credentials): 'ok' | 'stale' | 'wrong' {
    const fields = digestFields(header(request, 'authorization') ?? '')
    if (!fields) return 'wrong'
    const get = (name: string) => fields.get(name) ?? ''
    const nonce = get('nonce')
    const nc = get('nc')
    const age = ageOf(nonce)
    const isForm = get('algorithm').toUpperCase() === 'SHA-256' && get('qop') === 'auth' && /^[0-9a-f]{8}$/i.test(nc)
    if (age === undefined || !isForm || get('realm') !== realm || get('uri') !== request.uri) return 'wrong'
    const response = digestOf({
      ...credentials,
      algorithm: 'SHA-256',
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
    if (counts.size > mostNonces && oldest !== undefined) counts.delete(oldest)
    return 'ok'
  }

  return {
    challengeFor(request, realm, credentials) {
      const found = verdict(request, realm, credentials)
      if (found === 'ok') return undefined
      const stale = found === 'stale' ? ', stale=true' : ''
      return `Digest realm="${realm}", nonce="${newNonce()}", algorithm=SHA-256, qop="auth"${stale}`
    },
  }
}
