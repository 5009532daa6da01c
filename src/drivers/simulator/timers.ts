import type { Cancel, Clock } from '../../lib/clock.ts'

export interface CountedTimers {
  after(ms: number, run: () => void): Cancel
  pending(): number
}

/** Timers on the product's clock that can be counted. */
export function countedTimers(clock: Clock): CountedTimers {
  const waiting = new Set<Cancel>()
  return {
    after(ms, run) {
      const cancel = () => {
        stop()
        waiting.delete(cancel)
      }
      const stop = clock.after(ms, () => {
        waiting.delete(cancel)
        run()
      })
      waiting.add(cancel)
      return cancel
    },
    pending: () => waiting.size,
  }
}
