import type { Cancel, Clock } from './clock.ts'

/** Work at an interval of machine time, measured from the end of the previous run. */
export interface PeriodicTask {
  /** The first run is after one interval. */
  start(): void
  /** Runs without waiting for the interval; after the current run, if there is one. */
  runNow(): void
  /** For good; resolves when the current run has ended. */
  stop(): Promise<void>
}

export interface PeriodicTaskOptions {
  clock: Clock
  intervalMs: number
  run(): Promise<void>
  onError(error: unknown): void
}

export function createPeriodicTask({ clock, intervalMs, run, onError }: PeriodicTaskOptions): PeriodicTask {
  let cancel: Cancel = () => {}
  let running: Promise<void> = Promise.resolve()
  let stopped = false
  let isRunning = false
  let isWanted = false

  function schedule(): void {
    isRunning = false
    if (stopped) return
    if (isWanted) runOnce()
    else cancel = clock.machineAfter(intervalMs, runOnce)
  }

  function runOnce(): void {
    cancel()
    isWanted = false
    isRunning = true
    running = run().catch(onError).finally(schedule)
  }

  return {
    start: schedule,
    runNow() {
      if (stopped) return
      if (isRunning) isWanted = true
      else runOnce()
    },
    async stop() {
      stopped = true
      cancel()
      await running
    },
  }
}
