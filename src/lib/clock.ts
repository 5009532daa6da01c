// lib/ is independent of the product: no module here knows about phones, companies or databases. This file is the only
// one that reads the time or sets timers; all others receive a clock.
import { type AdjustableClock, createAdjustableClock } from './adjustable-clock.ts'

export type Cancel = () => void

export interface Clock {
  /** Product time in ms, for calls, expiries, opening hours, jobs and timestamps; sandbox users may advance it. */
  now(): number
  after(ms: number, run: () => void): Cancel
  /** Machine time in ms, for network timeouts, leases, the rate limit and ids; users cannot freeze it. */
  machineNow(): number
  machineAfter(ms: number, run: () => void): Cancel
  /** Monotonic milliseconds, unaffected by changes of the host's clock. */
  steadyNow(): number
}

export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

// Node fires a timer immediately when its delay exceeds 32 bits.
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

/** Machine time. */
export const delay = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => void clock.machineAfter(ms, resolve))

function realTimer(ms: number, run: () => void): Cancel {
  const timer = setTimeout(run, Math.min(Math.max(ms, 0), maxTimer))
  timer.unref()
  return () => clearTimeout(timer)
}

/** After a stall, pending input is read first: it may be the response that the timer waits for. */
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

/** For commands without other work: unlike the timers of a clock, it keeps the process alive. */
export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export interface ManualClock extends AdjustableClock {
  /** Moves machine time as well, for throttles and the rate limit. */
  shiftMachine(ms: number): void
}

/** Frozen product time: no timer fires, not even a due one, until the test advances the clock. */
export function createManualClock(start: number): ManualClock {
  let machineShift = 0
  const machine = { ...systemClock(), machineNow: () => Date.now() + machineShift }
  const manual = createAdjustableClock(
    { ...machine, machineAfter: () => () => {} },
    { at: start, mode: 'frozen', speed: 1 },
  )
  return {
    ...manual,
    machineAfter: machine.machineAfter,
    shiftMachine(ms) {
      machineShift += ms
    },
  }
}
