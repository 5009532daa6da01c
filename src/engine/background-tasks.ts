import type { Log } from '../lib/log.ts'

/** Work outside of the steps of calls: failures are logged, and the process waits for it before it stops. */
export interface BackgroundTasks {
  run(task: Promise<unknown>, event: string, failure: string): void
  pending(): number
  /** Number of tasks started so far. */
  started(): number
  /** Waits for the tasks that are pending now. */
  all(): Promise<unknown>
  /** Waits until no task is pending; true when one was. */
  settle(): Promise<boolean>
}

export function createBackgroundTasks(log: Log): BackgroundTasks {
  const running = new Set<Promise<void>>()
  let started = 0
  return {
    run(task, event, failure) {
      started++
      const done = task
        .then(() => {})
        .catch((error) => log.warn({ event, error }, failure))
        .finally(() => running.delete(done))
      running.add(done)
    },
    pending: () => running.size,
    started: () => started,
    all: () => Promise.all(running),
    async settle() {
      const wasBusy = running.size > 0
      while (running.size > 0) await Promise.all(running)
      return wasBusy
    },
  }
}
