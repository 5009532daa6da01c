// lib/ would fit in any product: nothing here knows a phone, a company or a database.
// This file is the only one that reads or waits for time; everything else is given a clock.
import { type WoundClock, woundClock } from './wound-clock.ts'

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
const maxTimer = 2 ** 31 - 1

export function systemClock(): Clock {
  return {
    now: Date.now,
    after: realTimer,
    machineNow: Date.now,
    machineAfter: afterInput,
    steadyNow: () => performance.now(),
  }
}

function realTimer(ms: number, run: () => void): Cancel {
  const timer = setTimeout(run, Math.min(Math.max(ms, 0), maxTimer))
  timer.unref()
  return () => clearTimeout(timer)
}

/** After a stall, what has arrived meanwhile is read first: it may be the answer that the timer waits for. */
function afterInput(ms: number, run: () => void): Cancel {
  let immediate: NodeJS.Immediate | undefined
  const cancel = realTimer(ms, () => {
    immediate = setImmediate(run)
  })
  return () => {
    cancel()
    clearImmediate(immediate)
  }
}

/** For a command that has nothing else to do: unlike a clock's timers it keeps the process alive. */
export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export interface HandWoundClock extends WoundClock {
  /** Moves machine time as well, for throttles and the rate limit. */
  shiftMachine(ms: number): void
}

/** Frozen, and no timer fires by itself, not even one that is due: everything waits until the test winds it. */
export function handWoundClock(start: number): HandWoundClock {
  let machineShift = 0
  const machine = { ...systemClock(), machineNow: () => Date.now() + machineShift }
  const wound = woundClock({ ...machine, machineAfter: () => () => {} }, { at: start, mode: 'frozen', speed: 1 })
  return {
    ...wound,
    machineAfter: machine.machineAfter,
    shiftMachine(ms) {
      machineShift += ms
    },
  }
}
