import type { Db } from '../db/database.ts'
import { listen, receiveNotifications } from '../db/dialect.ts'
import { type Cancel, type Clock, second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Metrics } from '../lib/metrics.ts'
import { createWakeLoop } from '../lib/wake-loop.ts'
import { claimJobs, nextRunAt, releaseAllLeases } from './leases.ts'
import { createJobRunner, type JobHandlers } from './runner.ts'

/** Runs due jobs in this process. */
export interface JobWorker {
  start(): void
  stop(): Promise<void>
  /** Resolves when no due job is left and its notifications have arrived. */
  settle(): Promise<void>
  /** Number of jobs run by this process. */
  activity(): number
}

export interface JobWorkerOptions {
  db: Db
  clock: Clock
  log: Log
  metrics: Metrics
  /** Other processes may run jobs of the same queue. */
  shared: boolean
}

const sweepMs = 5 * second

export function createJobWorker(options: JobWorkerOptions, handlers: JobHandlers): JobWorker {
  const { db, clock, log, shared } = options
  const loop = createWakeLoop({
    clock,
    sweepMs,
    run: drain,
    // The store may be unavailable; the next sweep retries.
    onError: (error) => log.warn({ event: 'jobs.read_failed', error }, 'jobs could not be read'),
  })
  const runner = createJobRunner({ ...options, handlers, isStopped: loop.isStopped, onSlotFree: loop.wake })
  let mayHaveStaleLeases = !shared
  let jobsRun = 0
  let cancelTimer: Cancel = () => {}
  let unsubscribe = () => {}

  async function drain(): Promise<void> {
    if (mayHaveStaleLeases) await releaseAllLeases(db)
    mayHaveStaleLeases = false
    for (;;) {
      const kinds = runner.claimableKinds()
      const next = await nextRunAt(db, clock, kinds)
      if (loop.isStopped()) return
      // Claimed jobs always run: a leased job that is skipped would be blocked until the lease ends.
      const isDue = next !== undefined && next <= clock.now()
      const claimed = isDue ? await claimJobs(db, clock, runner.runsInBatches, kinds, runner.turnOf) : []
      if (claimed.length === 0) return wakeAt(next)
      jobsRun += claimed.length
      await runner.run(claimed)
    }
  }

  function wakeAt(next: number | undefined): void {
    cancelTimer()
    if (next !== undefined && !loop.isStopped()) cancelTimer = clock.after(next - clock.now(), loop.wake)
  }

  return {
    start() {
      unsubscribe = listen(db, 'jobs', loop.wake)
      loop.start()
    },
    async stop() {
      unsubscribe()
      cancelTimer()
      await loop.stop()
      cancelTimer()
      await Promise.all(runner.unfinished())
    },
    activity: () => jobsRun,
    async settle() {
      loop.wake()
      for (;;) {
        if (await loop.idle()) continue
        const unfinished = runner.unfinished()
        // Other parts continue with what the jobs have done.
        if (unfinished.length === 0) return receiveNotifications(db)
        await Promise.race(unfinished)
      }
    },
  }
}
