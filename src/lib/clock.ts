// lib/ would fit in any product: nothing here knows a phone, a company or a database.
// This file is the only one that reads or waits for time; everything else is given a clock.

export type Cancel = () => void

export interface Clock {
  /** Product time in ms: calls, expiries, opening hours, jobs and timestamps use it; a sandbox user may wind it. */
  now(): number
  after(ms: number, run: () => void): Cancel
  /** Machine time in ms: network time-outs, leases, the rate limit, ids; no user can freeze it. */
  machineNow(): number
  machineAfter(ms: number, run: () => void): Cancel
  /** Milliseconds since some moment; unlike the others it goes on evenly when somebody sets the host's clock. */
  steadyNow(): number
}

export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

// Node fires a timer at once when its delay does not fit in 32 bits.
const longestTimer = 2 ** 31 - 1

export function systemClock(): Clock {
  return {
    now: Date.now,
    after: realTimer,
    machineNow: Date.now,
    machineAfter: realTimer,
    steadyNow: () => performance.now(),
  }
}

function realTimer(ms: number, run: () => void): Cancel {
  const timer = setTimeout(run, Math.min(Math.max(ms, 0), longestTimer))
  timer.unref()
  return () => clearTimeout(timer)
}

/** For a command that has nothing else to do: unlike a clock's timers it keeps the process alive. */
export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export interface HandWoundClock extends Clock {
  /** Moves product time, firing what falls due in order; `settle` runs after each instant. */
  advance(ms: number): Promise<void>
  /** What must have finished before time moves on: the app sets it. */
  settleWith(settle: () => Promise<void>): void
  /** Moves machine time as well, for throttles and the rate limit. */
  shiftMachine(ms: number): void
}

export function handWoundClock(start: number): HandWoundClock {
  let now = start
  let machineShift = 0
  let settle = async () => {}
  const waiting = new Set<{ at: number; run: () => void }>()

  const nextDue = (until: number) => [...waiting].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0]

  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + Math.max(ms, 0), run }
      waiting.add(timer)
      return () => waiting.delete(timer)
    },
    machineNow: () => Date.now() + machineShift,
    machineAfter: realTimer,
    steadyNow: () => performance.now(),
    async advance(ms) {
      const target = now + ms
      for (let timer = nextDue(target); timer; timer = nextDue(target)) {
        now = Math.max(now, timer.at)
        waiting.delete(timer)
        timer.run()
        await settle()
      }
      now = target
      await settle()
    },
    settleWith(work) {
      settle = work
    },
    shiftMachine(ms) {
      machineShift += ms
    },
  }
}
