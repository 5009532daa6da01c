import type { Cancel, Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

/** Many queues, each worked off by one at a time, all of them side by side. */
export interface Lanes {
  /** Something may wait in the queue; one that is to wait itself goes on waiting. */
  poke(key: string): void
  /** Looks again after a while, and not before: for the pace of a line, or because nobody takes anything now. */
  later(key: string, ms: number, why: 'pace' | 'pause'): void
  /** What was paused for may be over. */
  hurry(key: string): void
  /** Resolves when nothing runs; true when something did. */
  settle(): Promise<boolean>
  stop(): Promise<void>
}

export function createLanes(parts: { clock: Clock; log: Log; work: (key: string) => Promise<void> }): Lanes {
  const { clock, log, work } = parts
  const running = new Map<string, Promise<void>>()
  const again = new Set<string>()
  const timers = new Map<string, { cancel: Cancel; why: 'pace' | 'pause' }>()
  let stopped = false

  function poke(key: string) {
    if (stopped || timers.has(key)) return
    if (running.has(key)) return void again.add(key)
    const run = work(key)
      .catch((error: unknown) => {
        // The store may be away for a while.
        log.warn({ error, key }, 'messages could not be worked off')
        later(key, 5_000, 'pause')
      })
      .finally(() => {
        running.delete(key)
        if (again.delete(key)) poke(key)
      })
    running.set(key, run)
  }

  function later(key: string, ms: number, why: 'pace' | 'pause') {
    if (stopped) return
    timers.get(key)?.cancel()
    const cancel = clock.after(ms, () => {
      timers.delete(key)
      poke(key)
    })
    timers.set(key, { cancel, why })
  }

  function hurry(key: string) {
    const timer = timers.get(key)
    if (timer?.why === 'pause') {
      timer.cancel()
      timers.delete(key)
    }
    poke(key)
  }

  return {
    poke,
    later,
    hurry,
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
