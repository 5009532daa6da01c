import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits as 64 hexadecimal digits; enough entropy to store a plain SHA-256 instead. */
export const randomToken = () => randomBytes(32).toString('hex')

/** 128 random bits as 32 hexadecimal digits, for public identifiers and webhook tokens. */
export const randomId = () => randomBytes(16).toString('hex')

export const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

/** Constant-time comparison of two hashes of equal length. */
export function sameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

/** Identifies an installation key without revealing it. */
export const keyFingerprint = (key: Buffer) => hashOf(`hookswitch installation key ${key.toString('hex')}`).slice(0, 16)

/** 32 bytes derived from the text and an installation key; deterministic. */
type Derive = (words: string) => Buffer

/** Encrypts stored secrets: AES-256-GCM under the installation key. */
export interface Vault {
  seal(text: string): string
  open(sealed: string): string
  derive: Derive
  /** For what others store, such as the URL of a carrier: a new installation key does not change it. */
  deriveLasting: Derive
  /** `derive` of each earlier installation key, oldest first, and of this one. */
  deriveOverTime: readonly Derive[]
}

/** Installation keys that were replaced. */
export interface EarlierKeys {
  /** Oldest first. */
  keys: readonly Buffer[]
  /** The one of `deriveLasting`; undefined for the present one. */
  lasting: Buffer | undefined
}

const derivedFrom =
  (key: Buffer): Derive =>
  (words) =>
    createHmac('sha256', key).update(words).digest()

export function createVault(key: Buffer, earlier: EarlierKeys = { keys: [], lasting: undefined }): Vault {
  return {
    seal(text) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')}`
    },
    open(sealed) {
      if (!sealed.startsWith('v1.')) throw new Error('not a sealed value')
      const bytes = Buffer.from(sealed.slice(3), 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
    derive: derivedFrom(key),
    deriveLasting: derivedFrom(earlier.lasting ?? key),
    deriveOverTime: [...earlier.keys, key].map(derivedFrom),
  }
}
