import { transaction } from '../db/database.ts'
import type { Flag } from '../db/tables.ts'
import { maxAttempts, maxDelay } from '../domain/delivery/schedule.ts'
import { type Cancel, minute, second } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { Services } from '../services.ts'
import { freeLeases } from './lease-store.ts'
import type { Receivers } from './receivers.ts'
import { alignFollowers, clampTo, nextDue, overdueRetries, reschedule } from './schedule-store.ts'
import type { Workers } from './workers.ts'

interface SweeperParts {
  services: Services
  metrics: Metrics
  workers: Workers
  receivers: Receivers
  pump(): void
  /** Whether other processes use the same database. */
  shared: boolean
}

const sweepEveryMs = { alone: 5 * second, shared: 500 }
const afterErrorMs = 5 * second
const spreadMs = 5 * minute
const overdueMs = minute
const jumpMs = 30 * second

/** Looks for due deliveries periodically: notifications between processes can be lost. */
export function createSweeper({ services, metrics, workers, receivers, pump, shared }: SweeperParts) {
  const { db, clock, log } = services
  const periodMs = sweepEveryMs[shared ? 'shared' : 'alone']
  let stopped = true
  let nextSweep: Cancel = () => {}
  let running: Promise<void> | undefined
  let lastHostDifference = 0

  async function sweep() {
    // Deliveries whose lease is freed here are found by nextDue below.
    if (shared) await freeLeases(services, { machineNow: clock.machineNow() })
    await watchHostClock()
    for (const { webhookId, live, bulk } of await nextDue(db)) {
      if (!workers.owns(webhookId)) continue
      found(webhookId, false, live)
      found(webhookId, true, bulk)
    }
    pump()
  }

  function found(id: string, bulk: boolean, at: number | null) {
    if (at === null) return
    if (at > clock.now()) {
      receivers.wakeAt(id, bulk, at)
      return
    }
    const receiver = receivers.get(id)
    const isExpected =
      receiver && (receiver.inFlight.size > 0 || receiver.busy.size > 0 || receiver.status !== 'active')
    if (!isExpected && !receivers.waiting[bulk ? 'bulk' : 'live'].has(id)) metrics.sweepFound.inc()
    receivers.wake(id, bulk)
  }

  /** After a change of the host's clock no retry may be scheduled later than its own pause allows. */
  async function watchHostClock() {
    const difference = clock.machineNow() - clock.steadyNow()
    const jump = difference - lastHostDifference
    if (Math.abs(jump) < jumpMs) {
      lastHostDifference = difference
      return
    }
    log.warn({ event: 'clock.jumped', jumpMs: Math.round(jump) }, 'system clock changed; retries are rescheduled')
    const now = clock.now()
    const bounds = Array.from({ length: maxAttempts }, (_, failed) =>
      ([0, 1] as Flag[]).map((asked) => ({ attempts: failed, asked, latest: now + maxDelay(failed, asked === 1) })),
    ).flat()
    await transaction(db, async (tx) => {
      await clampTo(tx, bounds)
      await alignFollowers(tx)
    })
    lastHostDifference = difference
    receivers.cancelTimers()
  }

  function schedule(ms: number) {
    nextSweep()
    nextSweep = clock.machineAfter(ms, () => {
      const startedAt = clock.steadyNow()
      let pause = periodMs
      running = sweep()
        .catch((error) => {
          log.warn({ event: 'webhook.sweep_failed', error }, 'due deliveries could not be read')
          pause = afterErrorMs
        })
        .finally(() => {
          running = undefined
          // With many webhooks a sweep takes longer; sweeps use at most a twentieth of the time.
          if (!stopped) schedule(Math.max(pause, 20 * (clock.steadyNow() - startedAt)))
        })
    })
  }

  /** Retries that fell due while no process was running are spread over five minutes; first attempts are sent at once. */
  async function spreadOverdue() {
    const now = clock.now()
    const ids = await overdueRetries(db, now - overdueMs)
    if (ids.length === 0) return
    await transaction(db, async (tx) => {
      await reschedule(
        tx,
        ids.map((id, index) => ({ id, next_at: now + Math.floor((spreadMs * (index + 1)) / ids.length) })),
      )
      await alignFollowers(tx)
    })
    log.info({ event: 'webhook.retries_spread', retries: ids.length }, 'overdue retries are spread over five minutes')
  }

  return {
    sweep,
    spreadOverdue,
    sweepNow: () => schedule(0),
    start() {
      stopped = false
      lastHostDifference = clock.machineNow() - clock.steadyNow()
    },
    schedule: () => schedule(periodMs),
    async stop() {
      stopped = true
      nextSweep()
      await running
    },
  }
}
