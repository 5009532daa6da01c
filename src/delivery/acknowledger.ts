import { looseTransaction, transaction } from '../db/database.ts'
import { isUnavailable } from '../db/errors.ts'
import { second } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { Services } from '../services.ts'
import type { Settled } from './attempt-store.ts'
import { createResultWriter, type FinishedAttempt, isPlainSuccess } from './result-writer.ts'

export interface Acknowledger {
  push(finished: FinishedAttempt): void
  pending(): number
  /** Resolves when every pending result is written. */
  flush(): Promise<void>
}

interface Parts {
  services: Services
  metrics: Metrics
  workerId: string
  random: () => number
  /** Whether other processes use the same database. */
  shared: boolean
  /** Called once a result is durable. `followed`: a later delivery of its resource may wait. */
  written(finished: FinishedAttempt, settled: Settled, followed: boolean): void
}

const flushMs = 5
const maxBatch = 100
const maxWithConsequences = 20

/** Commits the results of attempts in batches: one commit for all that end within a few milliseconds. */
export function createAcknowledger(parts: Parts): Acknowledger {
  const { services, metrics, workerId, random, shared, written } = parts
  const { db, clock, log } = services
  const { write, writeSuccesses } = createResultWriter({ services, metrics, workerId, random })
  // A result lost in a power cut only repeats its delivery. With SQLite a commit that waits for the disk would block all
  // other writers, so it does not wait; PostgreSQL has no such cost, and a crash repeats nothing there.
  const commit = shared ? transaction : looseTransaction
  let queue: FinishedAttempt[] = []
  let running: Promise<void> | undefined
  let isScheduled = false
  /** How many results at the head of the queue are written one by one, because a batch with them failed. */
  let singleWrites = 0

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
      const batch = queue.slice(0, singleWrites > 0 ? 1 : sizeOfNext())
      const startedAt = clock.steadyNow()
      try {
        const isOneStatement = shared && batch.every(isPlainSuccess)
        const { settled, receiverUpdates, kept } = await (isOneStatement
          ? writeSuccesses(db, batch)
          : commit(db, (tx) => write(tx, batch)))
        // Only after the commit: a rollback must not change what this process knows.
        for (const [receiver, update] of receiverUpdates) Object.assign(receiver, update)
        queue = queue.slice(batch.length)
        singleWrites = Math.max(0, singleWrites - 1)
        metrics.ackFlush.observe((clock.steadyNow() - startedAt) / second)
        for (const [index, finished] of batch.entries()) {
          const result = settled[index] as Settled
          written(finished, result, kept.get(result.id) ?? true)
        }
        // Attempts can start between two batches.
        if (queue.length > 0) await pauseFor(0)
      } catch (error) {
        log.warn(
          { event: 'webhook.results_not_written', error, waiting: queue.length },
          'delivery results could not be written',
        )
        if (batch.length > 1 && !isUnavailable(error)) singleWrites = batch.length
        else {
          if (!isUnavailable(error)) requeueWithoutResponse(batch)
          // The results stay in the queue until the database is available again.
          await pauseFor(second)
        }
      }
    }
  }

  const pauseFor = (ms: number) => new Promise<void>((resolve) => clock.machineAfter(ms, resolve))

  /** Plain successes are written fast. Batches with other results are smaller, so that no result waits long. */
  function sizeOfNext(): number {
    const plain = queue.findIndex((finished) => !isPlainSuccess(finished))
    if (plain === -1) return maxBatch
    return plain >= maxWithConsequences ? Math.min(plain, maxBatch) : maxWithConsequences
  }

  /** Moves a result that cannot be written to the end, and retries it without the response of the receiver. */
  function requeueWithoutResponse(batch: readonly FinishedAttempt[]) {
    const without = batch.map(({ outcome, receiver }) => ({
      receiver,
      outcome: { ...outcome, answer: { ...outcome.answer, body: '', headers: '' } },
    }))
    queue = [...queue.slice(batch.length), ...without]
    singleWrites = Math.max(0, singleWrites - 1)
  }

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
