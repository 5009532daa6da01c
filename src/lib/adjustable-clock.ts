import type { Cancel, Clock } from './clock.ts'
import { createPacedTime, type Pace } from './paced-time.ts'
import { createTimers } from './timers.ts'

/** A clock whose product time can run faster or slower, be frozen, and be advanced; it never goes back. */
export interface AdjustableClock extends Clock {
  pace(): Pace
  setPace(pace: Pace): void
  /**
   * Advances in steps: moves to the next due timer, runs everything due there, settles, and repeats. A second call
   * while stepping extends the target, and both promises resolve at the later one.
   */
  advanceTo(at: number): Promise<void>
  advance(ms: number): Promise<void>
  /** How far the clock has run: later than `now` while a timer is late. */
  reached(): number
  /** Target of the steps in progress. */
  target(): number | undefined
  /** Stops stepping after the current step. */
  halt(): void
  /** Moves forward at once; timers due on the way fire in order, each at its own instant. */
  moveTo(at: number): void
  /** The clock does not run past this instant by itself. */
  holdAt(at: number): void
  /** Number of timers due by this time. */
  waiting(until: number): number
  /** When the next timer is due; infinity without timers. */
  nextDue(): number
  /** Awaited after each step. A number is the next instant at which another process has a timer due. */
  settleWith(settle: () => Promise<unknown>): void
}

// Timers fired before other work gets its turn.
const maxPerTurn = 1_000

export function createAdjustableClock(machine: Clock, begin: Pace & { at: number }): AdjustableClock {
  const timers = createTimers()
  const time = createPacedTime(machine, begin)
  let firing: number | undefined
  let target: number | undefined
  let stepping = Promise.resolve()
  let settle: () => Promise<unknown> = async () => {}
  let disarm: Cancel = () => {}

  const nextDue = () => timers.first()?.at ?? Number.POSITIVE_INFINITY

  /** While stepping, only steps move product time. */
  const pass = () => time.follow(target === undefined)

  /** Time waits for late timers, so that each one sees the instant it was set for. */
  const now = () => Math.floor(Math.min(pass(), firing ?? nextDue()))

  function fireDue() {
    for (let left = maxPerTurn; left > 0; left--) {
      const next = timers.first()
      if (!next || next.at > time.reached()) return
      timers.remove(next)
      firing = next.at
      try {
        next.run()
      } finally {
        firing = undefined
      }
    }
  }

  function arm() {
    disarm()
    const next = timers.first()
    if (!next || target !== undefined) return
    const wait = Math.max(next.at - pass(), 0)
    const { mode, speed } = time.pace()
    if (wait > 0 && mode === 'frozen') return
    disarm = machine.machineAfter(Math.ceil(wait / speed), ring)
  }

  function ring() {
    if (target !== undefined) return
    pass()
    try {
      fireDue()
    } finally {
      arm()
    }
  }

  async function step(): Promise<void> {
    try {
      // Work in progress belongs to the current instant: it may still set earlier timers.
      let elsewhere = await settle()
      do {
        const next = Math.min(nextDue(), typeof elsewhere === 'number' ? elsewhere : Number.POSITIVE_INFINITY)
        time.moveTo(Math.min(next, target ?? time.reached()))
        fireDue()
        elsewhere = await settle()
      } while ((target !== undefined && time.reached() < target) || nextDue() <= time.reached())
    } finally {
      pass()
      target = undefined
      arm()
    }
  }

  function advanceTo(at: number): Promise<void> {
    pass()
    const isUnderWay = target !== undefined
    target = Math.max(at, target ?? time.reached())
    if (!isUnderWay) stepping = step()
    return stepping
  }

  return {
    now,
    after(ms, run) {
      const timer = timers.add(now() + Math.max(Math.ceil(ms), 0), run)
      if (timers.first() === timer) arm()
      return () => timers.remove(timer)
    },
    machineNow: machine.machineNow,
    machineAfter: machine.machineAfter,
    steadyNow: machine.steadyNow,
    pace: time.pace,
    setPace(pace) {
      pass()
      time.setPace(pace)
      arm()
    },
    reached: () => Math.floor(pass()),
    advanceTo,
    advance: (ms) => advanceTo((target ?? now()) + ms),
    target: () => target,
    halt() {
      if (target !== undefined) target = time.reached()
    },
    moveTo(at) {
      pass()
      time.moveTo(at)
      arm()
    },
    holdAt(at) {
      pass()
      time.holdAt(at)
      arm()
    },
    nextDue,
    waiting: (until) => timers.countUntil(until),
    settleWith(work) {
      settle = work
    },
  }
}
