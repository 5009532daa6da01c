import type { Cancel, Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

/** Processes many queues concurrently, each by one worker at a time. */
export interface MessageQueues {
  /** Schedules the queue, which may have new entries; a delayed queue stays delayed. */
  schedule(key: string): void
  /** Delays the queue: for the rate limit of a number, or because no carrier accepts messages now. */
  delay(key: string, ms: number, why: 'pace' | 'pause'): void
  /** Ends a pause, but not a rate limit. */
  resume(key: string): void
  /** Resolves when no worker runs; true if one did. */
  settle(): Promise<boolean>
  stop(): Promise<void>
}

export function createMessageQueues(parts: {
  clock: Clock
  log: Log
  work: (key: string) => Promise<void>
}): MessageQueues {
  const { clock, log, work } = parts
  const running = new Map<string, Promise<void>>()
  const again = new Set<string>()
  const timers = new Map<string, { cancel: Cancel; why: 'pace' | 'pause' }>()
  let stopped = false

  function schedule(key: string) {
    if (stopped || timers.has(key)) return
    if (running.has(key)) return void again.add(key)
    const run = work(key)
      .catch((error: unknown) => {
        // The database may be unavailable for a while.
        log.warn({ event: 'messages.queue_failed', error, key }, 'message queue could not be processed')
        delay(key, 5_000, 'pause')
      })
      .finally(() => {
        running.delete(key)
        if (again.delete(key)) schedule(key)
      })
    running.set(key, run)
  }

  function delay(key: string, ms: number, why: 'pace' | 'pause') {
    if (stopped) return
    timers.get(key)?.cancel()
    const cancel = clock.after(ms, () => {
      timers.delete(key)
      schedule(key)
    })
    timers.set(key, { cancel, why })
  }

  function resume(key: string) {
    const timer = timers.get(key)
    if (timer?.why === 'pause') {
      timer.cancel()
      timers.delete(key)
    }
    schedule(key)
  }

  return {
    schedule,
    delay,
    resume,
    async settle() {
      const wasBusy = running.size > 0
      while (running.size > 0) await Promise.all(running.values())
      return wasBusy
    },
    async stop() {
      stopped = true
      for (const { cancel } of timers.values()) cancel()
      timers.clear()
      await Promise.all(running.values())
    },
  }
}
