import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { splitOutside } from './message.ts'

// RFC 7616 and RFC 8760: responses to challenges. Stronger algorithms come first.

export interface Challenge {
  realm: string
  nonce: string
  algorithm: Algorithm
  /** undefined: the far end does not support qop, as in RFC 2069. */
  qop: 'auth' | undefined
  opaque: string | undefined
  stale: boolean
}

export interface Credentials {
  username: string
  password: string
  /** The hash of username, realm and password by algorithm, where the password itself is not known. */
  ha1?: { readonly [A in Algorithm]?: string }
}

const hashes = { 'SHA-512-256': 'sha512-256', 'SHA-256': 'sha256', MD5: 'md5' } as const
export type Algorithm = keyof typeof hashes
const algorithms: readonly Algorithm[] = ['SHA-512-256', 'SHA-256', 'MD5']

/** The strongest supported challenge of a response. */
export function chooseChallenge(values: string[]): Challenge | undefined {
  const known = values.flatMap((value) => parseChallenge(value) ?? [])
  return algorithms.flatMap((algorithm) => known.find((one) => one.algorithm === algorithm) ?? [])[0]
}

export function parseChallenge(value: string): Challenge | undefined {
  const fields = digestFields(value)
  const realm = fields?.get('realm')
  const nonce = fields?.get('nonce')
  if (!fields || realm === undefined || !nonce) return undefined
  const named = (fields.get('algorithm') ?? 'MD5').toUpperCase()
  const algorithm = algorithms.find((one) => one === named)
  const qops = fields
    .get('qop')
    ?.split(',')
    .map((one) => one.trim().toLowerCase())
  if (!algorithm || (qops && !qops.includes('auth'))) return undefined
  return {
    realm,
    nonce,
    algorithm,
    qop: qops ? 'auth' : undefined,
    opaque: fields.get('opaque'),
    stale: fields.get('stale')?.toLowerCase() === 'true',
  }
}

/** The fields of `Digest a="b", c=d`, names in lower case. */
export function digestFields(value: string): Map<string, string> | undefined {
  if (!/^digest\s/i.test(value)) return undefined
  return new Map(
    splitOutside(value.slice('digest '.length), ',').map((piece): [string, string] => {
      const equals = piece.indexOf('=')
      const text = piece.slice(equals + 1).trim()
      const plain = text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text
      return [piece.slice(0, Math.max(equals, 0)).trim().toLowerCase(), plain]
    }),
  )
}

export interface DigestUse {
  method: string
  uri: string
  /** Nonce count, including this use. */
  count: number
  cnonce?: string
}

export function authorization(challenge: Challenge, { username, password }: Credentials, use: DigestUse): string {
  const { realm, nonce, algorithm, qop, opaque } = challenge
  const cnonce = use.cnonce ?? randomBytes(8).toString('hex')
  const nc = use.count.toString(16).padStart(8, '0')
  const response = digestOf({ algorithm, username, password, realm, nonce, nc, cnonce, qop, ...use })
  return `Digest ${[
    `username=${quoted(username)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(use.uri)}`,
    `response="${response}"`,
    `algorithm=${algorithm}`,
    ...(qop ? [`qop=auth`, `nc=${nc}`, `cnonce="${cnonce}"`] : []),
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
  ].join(', ')}`
}

export interface DigestInput extends Credentials {
  algorithm: Algorithm
  realm: string
  nonce: string
  method: string
  uri: string
  nc: string
  cnonce: string
  qop: 'auth' | undefined
}

export function digestOf(input: DigestInput): string {
  const hash = (text: string) => createHash(hashes[input.algorithm]).update(text).digest('hex')
  const a1 = input.ha1?.[input.algorithm] ?? hash(`${input.username}:${input.realm}:${input.password}`)
  const a2 = hash(`${input.method}:${input.uri}`)
  const middle = input.qop ? `${input.nonce}:${input.nc}:${input.cnonce}:auth` : input.nonce
  return hash(`${a1}:${middle}:${a2}`)
}

export function sameDigest(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`
