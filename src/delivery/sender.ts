import { withFreshUrls } from '../features/integrations/catalogue/assets.ts'
import { envelope, headersForLog, headersOf } from '../features/integrations/webhooks/envelope.ts'
import { second } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { FetchResult, SafeFetch } from '../lib/safe-fetch.ts'
import { signingKey } from '../lib/webhook-signature.ts'
import type { Services } from '../services.ts'
import type { Claimed, ClaimedDelivery } from './claim-store.ts'
import type { DeliveryTarget } from './endpoint-store.ts'
import type { AttemptOutcome } from './verdict.ts'

interface SenderParts {
  services: Services
  metrics: Metrics
  http: SafeFetch
  timeoutMs: number
}

/** No request was sent. */
const unsigned = (): FetchResult => ({
  phase: 'connect',
  status: null,
  problem: 'protocol',
  detail: 'the signing secret cannot be decrypted',
  headers: '',
  body: '',
  retryAfter: null,
  durationMs: 0,
})

// The largest share of a healthy receiver, plus two from the backlog and a test.
const maxPerReceiver = 20

/** Makes one signed HTTP attempt for a claimed delivery. */
export function createSender({ services, metrics, http, timeoutMs }: SenderParts) {
  const { clock, log, vault } = services

  async function send(claimed: ClaimedDelivery, leaseToken: string, onStatus: () => void): Promise<AttemptOutcome> {
    const { row, endpoint, content } = claimed
    const startedAt = clock.now()
    const body = envelope(withFreshUrls(services, row.company_id, content), endpoint.token)
    let headers: Record<string, string>
    try {
      headers = headersOf(signing(row, endpoint), body)
    } catch (error) {
      // The secret was sealed with another SECRET_KEY. An unsigned request would be rejected by the receiver.
      log.error(
        { event: 'webhook.secret_unreadable', error, webhookId: endpoint.id },
        'the signing secret of a webhook cannot be decrypted; rotate the secret',
      )
      const answer = unsigned()
      return { row, leaseToken, answer, startedAt, endedAt: clock.now(), requestHeaders: '' }
    }
    const { id: pool, url } = endpoint
    const post = { pool, url, headers, body, timeoutMs, connections: maxPerReceiver, onStatus }
    const answer = await http.post(post)
    // Simulates a network that lost the response; the result of the second request is ignored.
    const isRepeated = answer.problem === null && isSentTwice(row)
    if (isRepeated) await http.post(post)
    metrics.deliverySeconds.observe(answer.durationMs / second)
    metrics.deliveryAttempts.inc({ result: answer.problem ?? `${Math.floor((answer.status ?? 0) / 100)}xx` })
    if (answer.problem === 'not_allowed') metrics.blockedDestinations.inc()
    return { row, leaseToken, answer, startedAt, endedAt: clock.now(), requestHeaders: headersForLog(headers) }
  }

  const isSentTwice = ({ company_id, order_key, seq }: Claimed) =>
    services.sandbox?.faults.sendsTwice(company_id, `${order_key} ${seq}`) ?? false

  function signing(row: Claimed, { secrets }: DeliveryTarget) {
    const stillValid = secrets.previousUntil !== null && clock.now() < secrets.previousUntil
    const sealed = [secrets.current, stillValid ? secrets.previous : null].filter((secret) => secret !== null)
    return {
      messageId: row.message_id,
      eventId: row.event_id,
      seq: row.seq,
      attempt: row.attempts + 1,
      kind: row.kind,
      keys: sealed.map(keyOf),
      timestamp: Math.floor(clock.machineNow() / second),
    }
  }

  const opened = new Map<string, Buffer>()
  function keyOf(sealed: string): Buffer {
    const known = opened.get(sealed)
    if (known) return known
    const key = signingKey(vault.open(sealed))
    if (opened.size > 1_000) opened.clear()
    opened.set(sealed, key)
    return key
  }

  return send
}
