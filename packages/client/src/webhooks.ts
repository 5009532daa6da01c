import { WebhookVerificationError } from './errors.js'
import type { WebhookEvent } from './generated/events.js'

export { WebhookVerificationError } from './errors.js'
export type * from './generated/events.js'

export interface WebhookRequest {
  /** Exactly as received: parsed and serialized again, it has another signature. */
  body: string
  headers: Headers | Record<string, string | string[] | undefined>
  /** Of the webhook, `whsec_…`. While you rotate it, both. */
  secret: string | readonly string[]
}

/** Accepted difference between the clocks, and age of a request that is repeated by somebody else. */
const toleranceSeconds = 300

/** The event of a webhook request that was signed with the secret; throws otherwise. */
export async function verifyWebhook({ body, headers, secret }: WebhookRequest): Promise<WebhookEvent> {
  const id = headerIn(headers, 'webhook-id')
  const timestamp = headerIn(headers, 'webhook-timestamp')
  const signatures = headerIn(headers, 'webhook-signature').split(' ')
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp))
  if (!(age <= toleranceSeconds)) throw new WebhookVerificationError('The request is too old, or the clock is wrong')
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    if (await isSignedWith(one, signed, signatures)) return JSON.parse(body) as WebhookEvent
  }
  throw new WebhookVerificationError('The signature does not fit the body and the secret')
}

async function isSignedWith(secret: string, signed: Uint8Array<ArrayBuffer>, signatures: string[]): Promise<boolean> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (bytes.length === 0) throw new WebhookVerificationError('The secret is empty')
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  for (const signature of signatures) {
    const [version, value] = signature.split(',', 2)
    if (version !== 'v1' || value === undefined) continue
    // Compares in constant time.
    if (await crypto.subtle.verify('HMAC', key, bytesOf(value), signed)) return true
  }
  return false
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    throw new WebhookVerificationError('The secret or the signature is not base64')
  }
}

function headerIn(headers: WebhookRequest['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (typeof value === 'string' && value !== '') return value
  throw new WebhookVerificationError(`The header ${name} is missing`)
}
