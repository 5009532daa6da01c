import { createHmac, randomBytes } from 'node:crypto'

// Standard Webhooks: receivers can verify with existing libraries.

const prefix = 'whsec_'

export const newSigningSecret = () => prefix + randomBytes(32).toString('base64')

/** The bytes after the prefix. */
export function signingKey(secret: string): Buffer {
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  // The message must not contain the secret; it may be logged.
  if (!secret.startsWith(prefix) || key.length === 0) throw new Error('not a signing secret')
  return key
}

/** Value of `webhook-signature`: one signature per key, newest key first; `timestamp` in UNIX seconds. */
export function sign(keys: readonly Buffer[], id: string, timestamp: number, body: string | Buffer): string {
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`)
    .join(' ')
}
