import { sign } from '../../../lib/webhook-signature.ts'

export interface EnvelopeContent {
  name: string
  resource: string
  occurred_at: number
  /** JSON text. */
  data: string
}

/** Assembled from stored bytes, so that every retry has the same bytes. */
export function envelope({ resource, name, occurred_at, data }: EnvelopeContent, token: string): string {
  const head = `{"resource":"${resource}","event":"${name}","timestamp":${Math.floor(occurred_at / 1_000)}`
  return `${head},"token":"${token}","data":${data}}`
}

export const userAgent = 'Hookswitch-Webhooks/1'

export interface Signing {
  messageId: string
  eventId: string
  seq: number
  attempt: number
  kind: string
  keys: readonly Buffer[]
  /** UNIX seconds of the system clock: a receiver compares them with its own clock. */
  timestamp: number
}

export function headersOf(signing: Signing, body: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'webhook-id': signing.messageId,
    'webhook-timestamp': String(signing.timestamp),
    'webhook-signature': sign(signing.keys, signing.messageId, signing.timestamp, body),
    'webhook-attempt': String(signing.attempt),
    'webhook-sequence': String(signing.seq),
    'webhook-event-id': signing.eventId,
    ...(signing.kind === 'replay' && { 'webhook-replay': 'true' }),
    ...(signing.kind === 'test' && { 'webhook-test': 'true' }),
  }
}

/** For the delivery log, without signatures: a logged signature could be reused for five minutes. */
export function headersForLog(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${name === 'webhook-signature' ? value.replace(/v1,\S+/g, 'v1,…') : value}`)
    .join('\n')
}
