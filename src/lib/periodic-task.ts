import type { Cancel, Clock } from './clock.ts'

/** Work at an interval of machine time, measured from the end of the previous run. */
export interface PeriodicTask {
  /** The first run is after one interval. */
  start(): void
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

  function schedule(): void {
    if (stopped) return
    cancel = clock.machineAfter(intervalMs, () => {
      running = run().catch(onError).finally(schedule)
    })
  }

  return {
    start: schedule,
    async stop() {
      stopped = true
      cancel()
      await running
    },
  }
}
