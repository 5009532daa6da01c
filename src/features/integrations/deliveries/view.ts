import { type Static, Type } from 'typebox'
import { eventKind } from '../../../domain/events.ts'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { second } from '../../../lib/clock.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import type { Attempt, Delivery } from './store.ts'

const states = ['queued', 'leased', 'delivered', 'exhausted', 'held', 'expired', 'cancelled'] as const
export const State = oneOf(states, {
  description:
    'queued: waits for its next attempt · leased: being sent · delivered · exhausted: 13 attempts failed · ' +
    'held: the webhook is disabled · expired: held for 14 days · cancelled',
})

const errors = [
  'unreachable',
  'closed',
  'timeout',
  'tls',
  'http_3xx',
  'http_4xx',
  'http_5xx',
  'protocol',
  'lost',
] as const
const ErrorWord = nullable(oneOf(errors, { description: 'null: delivered, or not attempted yet' }))

const common = {
  id: Type.String(),
  message_id: Type.String({ description: 'Sent as webhook-id; a replay repeats it' }),
  webhook_id: Type.String({ format: 'uuid' }),
  event: Type.String(),
  event_id: Type.String(),
  resource: Type.String({ examples: ['contact'] }),
  resource_id: Type.String(),
  sequence: Type.Integer({ description: 'Sent as webhook-sequence: per webhook and resource, without gaps' }),
  kind: oneOf(['live', 'backlog', 'replay', 'test']),
  state: State,
  attempts_made: Type.Integer(),
  status: nullable(Type.Integer({ description: 'HTTP status of the last response' })),
  error: ErrorWord,
  created_at: Timestamp,
  next_attempt_at: nullable(Timestamp),
  finished_at: nullable(Timestamp),
  replay_id: nullable(Type.String()),
  replay_of: nullable(Type.String({ description: 'The delivery this one repeats' })),
}

export const DeliveryView = Type.Object(common)

const Headers = Type.Record(Type.String(), Type.String())

export const DeliveryDetail = Type.Object({
  ...common,
  body: Type.String({ description: 'As sent, with the token masked' }),
  attempts: Type.Array(
    Type.Object({
      number: Type.Integer(),
      kind: Type.String(),
      started_at: Timestamp,
      duration_ms: Type.Integer(),
      status: nullable(Type.Integer()),
      error: ErrorWord,
      explanation: Type.String(),
      request_headers: Headers,
      response_headers: Headers,
      response_body: Type.String({ description: 'The first 4 KiB' }),
    }),
  ),
})

export function deliveryView(delivery: Delivery): Static<typeof DeliveryView> {
  const { resource_key: key } = delivery
  return {
    id: delivery.id,
    message_id: delivery.message_id,
    webhook_id: delivery.webhook_id,
    event: delivery.event_name,
    event_id: delivery.event_id,
    resource: eventKind(delivery.event_name as Parameters<typeof eventKind>[0]).resource,
    resource_id: key.slice(key.indexOf(':') + 1),
    sequence: delivery.seq,
    kind: delivery.kind,
    state: delivery.state,
    attempts_made: delivery.attempts,
    status: delivery.last_status,
    error: wordOf(delivery.last_error),
    created_at: isoMillis(delivery.created_at),
    next_attempt_at: delivery.state === 'queued' ? isoMillis(delivery.next_at) : null,
    finished_at: delivery.finished_at === null ? null : isoMillis(delivery.finished_at),
    replay_id: delivery.replay_id,
    replay_of: delivery.replay_of,
  }
}

export const deliveryDetail = (
  delivery: Delivery,
  body: string,
  attempts: readonly Attempt[],
): Static<typeof DeliveryDetail> => ({ ...deliveryView(delivery), body, attempts: attempts.map(attemptView) })

function attemptView(attempt: Attempt): Static<typeof DeliveryDetail>['attempts'][number] {
  const error = wordOf(coarse(attempt.error_class, attempt.phase))
  return {
    number: attempt.n,
    kind: attempt.kind,
    started_at: isoMillis(attempt.started_at),
    // The duration of a refused connection would reveal hosts behind the firewall.
    duration_ms: error === 'unreachable' ? roundedUp(attempt.duration_ms) : attempt.duration_ms,
    status: attempt.status,
    error,
    explanation: explanationOf(error, attempt),
    request_headers: headersFrom(attempt.request_headers),
    response_headers: headersFrom(attempt.response_headers),
    response_body: attempt.response_body,
  }
}

function explanationOf(error: Word | null, { status, kind }: Attempt): string {
  if (error === null) return `The receiver responded with ${status}`
  // A test never disables a webhook.
  return status === 410 && kind !== 'test' ? 'Gone: the webhook was disabled' : explanations[error]
}

const roundedUp = (ms: number) => Math.max(1, Math.ceil(ms / second)) * second

type Word = (typeof errors)[number]

/** Unknown, refused, filtered and forbidden addresses get the same text: otherwise the log could be used as a port scanner. */
export function coarse(errorClass: string | null, phase: string): string | null {
  if (errorClass === 'connection' && phase === 'sent') return 'closed'
  if (errorClass === 'connection' || errorClass === 'not_allowed') return 'unreachable'
  return errorClass === 'timeout' && (phase === 'dns' || phase === 'connect') ? 'unreachable' : errorClass
}

const wordOf = (word: string | null): Word | null =>
  errors.find((known) => known === word) ?? (word === null ? null : 'protocol')

const explanations: Record<Word, string> = {
  unreachable: 'The destination could not be reached or is not allowed',
  closed: 'The connection was closed before a response arrived',
  timeout: 'The response timed out; respond first, process afterwards',
  tls: 'The TLS handshake failed: check the certificate, the host name and the TLS version (1.2 or later)',
  http_3xx: 'Redirects are not followed; register the target URL',
  http_4xx: 'The receiver rejected the request; respond with any 2xx to accept it',
  http_5xx: 'The receiver failed; respond with any 2xx to accept the request',
  protocol: 'The response was not valid HTTP, or its headers were too large',
  lost: 'The server stopped before it recorded the response; the request may have arrived',
}

function headersFrom(text: string): Record<string, string> {
  const pairs = text
    .split('\n')
    .filter((line) => line.includes(':'))
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const)
  return Object.fromEntries(pairs)
}

export const HealthView = Type.Object({
  status: oneOf(['active', 'paused', 'disabled'], { description: 'disabled: by the service, after repeated failures' }),
  disable_reason: nullable(oneOf(['failing', 'gone', 'url_not_allowed'], { examples: [null] })),
  health: oneOf(['unproven', 'proven', 'failing'], {
    description:
      'unproven: no response yet, or none for a day · proven: accepts requests · failing: three failures in a row',
  }),
  consecutive_failures: Type.Integer(),
  failing_since: nullable(Timestamp),
  disables_at: nullable(Timestamp),
  disabled_at: nullable(Type.String({ format: 'date-time', examples: [null] })),
  last_success_at: nullable(Timestamp),
  pending: Type.Integer({ description: 'Deliveries waiting for an attempt' }),
  held: Type.Integer({ description: 'Deliveries held until the webhook is enabled again' }),
  oldest_pending_at: nullable(Timestamp),
  latency: Type.Object({
    p50: nullable(
      Type.Integer({ description: 'Response time of the last attempts in milliseconds, up to the status line' }),
    ),
    p95: nullable(Type.Integer()),
  }),
})

export function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
}
