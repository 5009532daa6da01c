import type { Db, Tx } from '../db/database.ts'
import { afterFailure, afterSuccess, type EndpointHealth } from '../domain/delivery/health.ts'
import { second } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { Services } from '../services.ts'
import { cancelledAmong, type Kept, type NewAttempt, record, type Settled } from './attempt-store.ts'
import { disableWebhook, reactivateWebhook, releaseAfterTest, scheduleDigest, warnOwners } from './consequences.ts'
import { type Endpoint, lockEndpoints, saveHealth, saveSuccess } from './endpoint-store.ts'
import type { Receiver } from './lanes.ts'
import { pushFollowers } from './schedule-store.ts'
import { type AttemptOutcome, affectsHealth, errorClassOf, isGone, isSuccess, settledBy } from './verdict.ts'

/** A finished attempt, and its receiver as this process knows it. */
export interface FinishedAttempt {
  outcome: AttemptOutcome
  receiver: Receiver
}

/** Changes to what this process knows of receivers, applied after the commit. */
type ReceiverUpdates = Map<Receiver, Partial<Pick<Receiver, 'saved' | 'status'>>>

interface Written {
  settled: Settled[]
  receiverUpdates: ReceiverUpdates
  /** By delivery id, for deliveries whose lease this process still held: whether a later one of its resource waits. */
  kept: Kept
}

interface ResultWriterParts {
  services: Services
  metrics: Metrics
  workerId: string
  random: () => number
}

const savedEveryMs = 10 * second

/** Writes the results of finished attempts, and what follows from them for their webhooks. */
export function createResultWriter({ services, metrics, workerId, random }: ResultWriterParts) {
  async function write(tx: Tx, batch: readonly FinishedAttempt[]): Promise<Written> {
    if (batch.every(isPlainSuccess)) return writeSuccesses(tx, batch)
    const { settled, receiverUpdates } = await writeAll(tx, batch)
    const kept = await recordAll(tx, batch, settled)
    for (const [index, { outcome }] of batch.entries()) {
      const { blocking, state, next_at, id } = settled[index] as Settled
      if (!kept.has(id)) continue
      const { webhook_id: webhookId, order_key: orderKey, precedes, seq, event_row: eventRow } = outcome.row
      const head = { webhookId, orderKey, precedes, seq, eventRow, nextAt: next_at }
      if (state === 'queued' && blocking === 1) await pushFollowers(tx, head)
      if (state === 'exhausted' && outcome.row.kind !== 'test' && outcome.row.probe === 0) {
        metrics.exhausted.inc()
        await scheduleDigest(services, tx, outcome.row.company_id, outcome.endedAt)
      }
    }
    return { settled, receiverUpdates, kept }
  }

  async function recordAll(tx: Db, batch: readonly FinishedAttempt[], settled: readonly Settled[]): Promise<Kept> {
    const attempts = batch.map(({ outcome }) => attemptOf(outcome))
    const kept = await record(tx, settled, attempts)
    metrics.leaseLost.inc(batch.length - kept.size)
    return kept
  }

  /** The common case: the webhook need not be read, and nothing follows from the result. */
  async function writeSuccesses(tx: Db, batch: readonly FinishedAttempt[]): Promise<Written> {
    const receiverUpdates: ReceiverUpdates = new Map()
    for (const receiver of new Set(batch.map((finished) => finished.receiver))) {
      const { health, saved } = receiver
      const { cap, streak, lastSuccessAt } = health
      if (cap === saved.cap && (lastSuccessAt ?? 0) - (saved.lastSuccessAt ?? 0) < savedEveryMs) continue
      // Only these columns: a failure that is still pending is counted when it is written.
      await saveSuccess(tx, receiver.id, { cap, streak, lastSuccessAt })
      receiverUpdates.set(receiver, { saved: { ...saved, cap, streak, lastSuccessAt } })
    }
    const settled = batch.map(({ outcome }) => settledBy(outcome, activeEndpoint, 0))
    const kept = await recordAll(tx, batch, settled)
    return { settled, receiverUpdates, kept }
  }

  async function writeAll(tx: Tx, batch: readonly FinishedAttempt[]): Promise<Omit<Written, 'kept'>> {
    const ids = [...new Set(batch.map(({ outcome }) => outcome.row.webhook_id))].sort()
    const endpoints = new Map((await lockEndpoints(tx, ids)).map((endpoint) => [endpoint.id, endpoint]))
    const cancelled = await cancelledAmong(tx, [
      ...new Set(batch.flatMap(({ outcome }) => outcome.row.replay_id ?? [])),
    ])
    const settled: Settled[] = []
    for (const { outcome } of batch) {
      const endpoint = endpoints.get(outcome.row.webhook_id)
      if (endpoint && !endpoint.isDeleted && !endpoint.isIntegrationRemoved) await react(tx, endpoint, outcome)
      const isWanted = !cancelled.has(outcome.row.replay_id ?? '')
      settled.push(settledBy(outcome, isWanted ? endpoint : undefined, random()))
    }
    for (const endpoint of endpoints.values()) await saveHealth(tx, endpoint.id, endpoint.health)
    const receiverUpdates: ReceiverUpdates = new Map()
    for (const { receiver } of batch) {
      const endpoint = endpoints.get(receiver.id)
      if (endpoint) receiverUpdates.set(receiver, { saved: endpoint.health, status: endpoint.status })
    }
    return { settled, receiverUpdates }
  }

  /** Updates the health of the receiver and applies the consequences. `endpoint` is changed along with its row. */
  async function react(tx: Tx, endpoint: Endpoint, { row, answer, endedAt }: AttemptOutcome): Promise<void> {
    if (row.kind === 'test') await releaseAfterTest(tx, endpoint, endedAt)
    if (isSuccess(answer)) {
      endpoint.health = afterSuccess(endpoint.health, endedAt)
      // Not after 410, and only during the probing period.
      const isAwaited = endpoint.probeUntil !== null && endedAt <= endpoint.probeUntil
      if (endpoint.status === 'disabled' && isAwaited && row.kind !== 'test')
        await reactivateWebhook(services, tx, endpoint)
      return
    }
    if (isGone(answer) && row.kind !== 'test' && row.probe === 0 && endpoint.status === 'active') {
      metrics.disabled.inc({ reason: 'gone' })
      await disableWebhook(services, tx, endpoint, 'gone')
    }
    if (!affectsHealth(row)) return
    const { health, warn, disable } = afterFailure(endpoint.health, endedAt, answer.problem === 'timeout')
    endpoint.health = health
    if (endpoint.status !== 'active') return
    if (warn !== null) await warnOwners(services, tx, endpoint)
    if (disable) {
      metrics.disabled.inc({ reason: 'failing' })
      await disableWebhook(services, tx, endpoint, 'failing')
    }
  }

  const attemptOf = ({ row, answer, startedAt, requestHeaders }: AttemptOutcome): NewAttempt => ({
    delivery_id: row.id,
    company_id: row.company_id,
    n: row.attempts + 1,
    kind: row.probe && row.kind !== 'test' ? 'probe' : row.kind,
    started_at: startedAt,
    duration_ms: Math.round(answer.durationMs),
    phase: answer.phase,
    status: answer.status,
    error_class: errorClassOf(answer),
    detail: answer.detail,
    request_headers: requestHeaders,
    response_headers: answer.headers,
    response_body: answer.body,
    worker_id: workerId,
    event_row: row.event_row,
  })

  return { write, writeSuccesses }
}

const activeEndpoint = { status: 'active', isDeleted: false, isIntegrationRemoved: false } as const

/** A success of a receiver that was healthy before: nothing follows from it. */
export function isPlainSuccess({ outcome, receiver }: FinishedAttempt): boolean {
  const { saved } = receiver
  const wasHealthy = saved.state === 'proven' && saved.consecutiveFailures === 0
  return isSuccess(outcome.answer) && outcome.row.probe === 0 && wasHealthy && receiver.status === 'active'
}

/** Applied in memory before the result is written: choosing a lane must not wait for a commit. */
export function healthAfter(health: EndpointHealth, { row, answer, endedAt }: AttemptOutcome): EndpointHealth {
  if (isSuccess(answer)) return afterSuccess(health, endedAt)
  return affectsHealth(row) ? afterFailure(health, endedAt, answer.problem === 'timeout').health : health
}
