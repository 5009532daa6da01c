import { type Db, looseTransaction, type Tx, transaction } from '../db/database.ts'
import { isUnavailable } from '../db/errors.ts'
import { afterFailure, afterSuccess, type Health } from '../domain/delivery/health.ts'
import { second } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { Services } from '../services.ts'
import { disableWebhook, reviveWebhook, scheduleDigest, warnOwners } from './consequences.ts'
import type { Receiver } from './lanes.ts'
import {
  cancelledAmong,
  type Endpoint,
  type Kept,
  lockEndpoints,
  type NewAttempt,
  pushFollowers,
  record,
  type Settled,
  saveHealth,
  saveSuccess,
} from './store.ts'
import { counts, errorClassOf, isGone, isSuccess, type Outcome, settledBy } from './verdict.ts'

/** Something that is over, and the receiver it was for as this process knows it. */
export interface FinishedAttempt {
  outcome: Outcome
  receiver: Receiver
}

export interface Acknowledger {
  push(finished: FinishedAttempt): void
  pending(): number
  /** Writes down all that is there; resolves when nothing is left. */
  flush(): Promise<void>
}

/** What is known of receivers once it is committed. */
type Learned = Map<Receiver, Partial<Pick<Receiver, 'saved' | 'status'>>>

interface Written {
  settled: Settled[]
  learned: Learned
  /** By the id of the delivery, of those that were ours to end: whether more of its resource waits. */
  kept: Kept
}

interface Parts {
  services: Services
  metrics: Metrics
  workerId: string
  random: () => number
  /** Whether other processes work on the same store. */
  shared: boolean
  /** Called once a result is durable. `followed`: more of its resource may wait. */
  written(finished: FinishedAttempt, settled: Settled, followed: boolean): void
}

const flushMs = 5
const maxBatch = 100
const maxWithConsequences = 20
const savedEveryMs = 10 * second

/** Results of many attempts become durable together: one commit for all that ended within a few milliseconds. */
export function createAcknowledger(parts: Parts): Acknowledger {
  const { services, metrics, workerId, random, shared, written } = parts
  const { db, clock, log } = services
  // Undone by a power cut, results are come to again: the deliveries are simply repeated. Where a commit that waits for the
  // disk would stop everything else, it does not wait; on a server it stops nobody, and a crash there costs no repetition.
  const commit = shared ? transaction : looseTransaction
  let queue: FinishedAttempt[] = []
  let running: Promise<void> | undefined
  let isScheduled = false
  /** So many at the head of the queue are written one by one: one of them cannot be. */
  let apart = 0

  function schedule(ms: number) {
    if (isScheduled) return
    isScheduled = true
    clock.machineAfter(ms, () => {
      isScheduled = false
      void flush()
    })
  }

  function flush(): Promise<void> {
    running ??= drain().finally(() => {
      running = undefined
      if (queue.length > 0) schedule(flushMs)
    })
    return running
  }

  async function drain() {
    while (queue.length > 0) {
      const batch = queue.slice(0, apart > 0 ? 1 : sizeOfNext())
      const startedAt = clock.steadyNow()
      try {
        // One statement needs no transaction around it.
        const isOneStatement = shared && batch.every(isPlainSuccess)
        const { settled, learned, kept } = await (isOneStatement
          ? writeSuccesses(db, batch)
          : commit(db, (tx) => write(tx, batch)))
        // Only now: what is rolled back was never known.
        for (const [receiver, facts] of learned) Object.assign(receiver, facts)
        queue = queue.slice(batch.length)
        apart = Math.max(0, apart - 1)
        metrics.ackFlush.observe((clock.steadyNow() - startedAt) / second)
        for (const [index, finished] of batch.entries()) {
          const result = settled[index] as Settled
          written(finished, result, kept.get(result.id) ?? true)
        }
        // Between two batches whoever has something to send gets a turn.
        if (queue.length > 0) await pauseFor(0)
      } catch (error) {
        log.warn({ error, waiting: queue.length }, 'results of deliveries could not be written')
        if (batch.length > 1 && !isUnavailable(error)) apart = batch.length
        else {
          if (!isUnavailable(error)) putLast(batch)
          // What a receiver has answered is not forgotten because the store is away for a while.
          await pauseFor(second)
        }
      }
    }
  }

  const pauseFor = (ms: number) => new Promise<void>((resolve) => clock.machineAfter(ms, resolve))

  /** Plain successes are quickly written; of the others only so many at a time that nobody waits for long. */
  function sizeOfNext(): number {
    const plain = queue.findIndex((finished) => !isPlainSuccess(finished))
    if (plain === -1) return maxBatch
    return plain >= maxWithConsequences ? Math.min(plain, maxBatch) : maxWithConsequences
  }

  /** One that cannot be written must not keep the others; it is tried again without the words of the receiver. */
  function putLast(batch: readonly FinishedAttempt[]) {
    const without = batch.map(({ outcome, receiver }) => ({
      receiver,
      outcome: { ...outcome, answer: { ...outcome.answer, body: '', headers: '' } },
    }))
    queue = [...queue.slice(batch.length), ...without]
    apart = Math.max(0, apart - 1)
  }

  async function write(tx: Tx, batch: readonly FinishedAttempt[]): Promise<Written> {
    if (batch.every(isPlainSuccess)) return writeSuccesses(tx, batch)
    const { settled, learned } = await writeAll(tx, batch)
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
    return { settled, learned, kept }
  }

  async function recordAll(tx: Db, batch: readonly FinishedAttempt[], settled: readonly Settled[]): Promise<Kept> {
    const attempts = batch.map(({ outcome }) => attemptOf(outcome))
    const kept = await record(tx, settled, attempts)
    metrics.leaseLost.inc(batch.length - kept.size)
    return kept
  }

  /** The usual case needs no look at the webhook, and nothing follows from it. */
  async function writeSuccesses(tx: Db, batch: readonly FinishedAttempt[]): Promise<Written> {
    const learned: Learned = new Map()
    for (const receiver of new Set(batch.map((finished) => finished.receiver))) {
      const { health, saved } = receiver
      const { cap, streak, lastSuccessAt } = health
      if (cap === saved.cap && (lastSuccessAt ?? 0) - (saved.lastSuccessAt ?? 0) < savedEveryMs) continue
      // No more than that: a failure that waits to be written down is counted then.
      await saveSuccess(tx, receiver.id, { cap, streak, lastSuccessAt })
      learned.set(receiver, { saved: { ...saved, cap, streak, lastSuccessAt } })
    }
    const settled = batch.map(({ outcome }) => settledBy(outcome, stillThere, 0))
    const kept = await recordAll(tx, batch, settled)
    return { settled, learned, kept }
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
    const learned: Learned = new Map()
    for (const { receiver } of batch) {
      const endpoint = endpoints.get(receiver.id)
      if (endpoint) learned.set(receiver, { saved: endpoint.health, status: endpoint.status })
    }
    return { settled, learned }
  }

  /** How the receiver fares, and what follows from it. The endpoint is changed as its row is. */
  async function react(tx: Tx, endpoint: Endpoint, { row, answer, endedAt }: Outcome): Promise<void> {
    if (isSuccess(answer)) {
      endpoint.health = afterSuccess(endpoint.health, endedAt)
      // Not after 410, and not for ever.
      const isAwaited = endpoint.probeUntil !== null && endedAt <= endpoint.probeUntil
      if (endpoint.status === 'disabled' && isAwaited && row.kind !== 'test')
        await reviveWebhook(services, tx, endpoint)
      return
    }
    if (isGone(answer) && row.kind !== 'test' && row.probe === 0 && endpoint.status === 'active') {
      metrics.disabled.inc({ reason: 'gone' })
      await disableWebhook(services, tx, endpoint, 'gone')
    }
    if (!counts(row)) return
    const { health, warn, disable } = afterFailure(endpoint.health, endedAt, answer.problem === 'timeout')
    endpoint.health = health
    if (endpoint.status !== 'active') return
    if (warn !== null) await warnOwners(services, tx, endpoint)
    if (disable) {
      metrics.disabled.inc({ reason: 'failing' })
      await disableWebhook(services, tx, endpoint, 'failing')
    }
  }

  const attemptOf = ({ row, answer, startedAt, requestHeaders }: Outcome): NewAttempt => ({
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

  return {
    push(finished) {
      queue.push(finished)
      if (queue.length >= maxBatch) void flush()
      else schedule(flushMs)
    },
    pending: () => queue.length,
    async flush() {
      while (queue.length > 0) await flush()
    },
  }
}

const stillThere = { status: 'active', isDeleted: false, isIntegrationRemoved: false } as const

/** Nothing follows from it: the receiver was well before, and is. */
function isPlainSuccess({ outcome, receiver }: FinishedAttempt): boolean {
  const { saved } = receiver
  const wasWell = saved.state === 'proven' && saved.consecutiveFailures === 0
  return isSuccess(outcome.answer) && outcome.row.probe === 0 && wasWell && receiver.status === 'active'
}

/** In memory at once, before it is written: the next choice of a lane must not wait for a commit. */
export function healthAfter(health: Health, { row, answer, endedAt }: Outcome): Health {
  if (isSuccess(answer)) return afterSuccess(health, endedAt)
  return counts(row) ? afterFailure(health, endedAt, answer.problem === 'timeout').health : health
}
