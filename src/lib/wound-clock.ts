import type { Cancel, Clock } from './clock.ts'
import { createTimers } from './timers.ts'

export interface Pace {
  mode: 'running' | 'frozen'
  /** Product time per machine time while it runs. */
  speed: number
}

/** A clock whose product time can run faster or slower, stand still, and be wound forward; it never goes back. */
export interface WoundClock extends Clock {
  pace(): Pace
  setPace(pace: Pace): void
  /**
   * Winds to the instant by steps: on to the next one at which something is due, all that is due there, `settle`, and so
   * on. Asked again meanwhile it goes on to the later of the two, and both promises wait for that.
   */
  advanceTo(at: number): Promise<void>
  advance(ms: number): Promise<void>
  /** How far it has run: later than now while a timer is late. */
  reached(): number
  /** Where the steps lead, while there are some. */
  target(): number | undefined
  /** Takes no more steps once the present one has settled. */
  halt(): void
  /** Forward to the instant at once; what falls due on the way fires in its order, each timer at its own instant. */
  moveTo(at: number): void
  /** Stands still rather than run past this instant by itself. */
  holdAt(at: number): void
  /** How many timers are due up to the instant. */
  waiting(until: number): number
  /** When the next timer is due; infinity when there is none. */
  nextDue(): number
  /** What must have finished before a step is done. A number is the next instant at which another process has a timer. */
  settleWith(settle: () => Promise<unknown>): void
}

// Other work gets its turn between so many timers, whatever they set.
const maxPerTurn = 1_000

export function woundClock(machine: Clock, begin: Pace & { at: number }): WoundClock {
  const timers = createTimers()
  let { mode, speed } = begin
  let reached = begin.at
  let seen = machine.machineNow()
  let ceiling = Number.POSITIVE_INFINITY
  let firing: number | undefined
  let target: number | undefined
  let stepping = Promise.resolve()
  let settle: () => Promise<unknown> = async () => {}
  let disarm: Cancel = () => {}

  const nextDue = () => timers.first()?.at ?? Number.POSITIVE_INFINITY

  /** In increments: product time does not follow a host's clock that is set back. While steps are taken only they count. */
  function pass(): number {
    const now = machine.machineNow()
    const gone = Math.max(now - seen, 0)
    seen = now
    if (mode === 'running' && target === undefined) {
      reached = Math.max(reached, Math.min(reached + gone * speed, ceiling))
    }
    return reached
  }

  /** Time waits for a timer that is late, so each sees the instant it was set for and none that comes after. */
  const now = () => Math.floor(Math.min(pass(), firing ?? nextDue()))

  function fireDue() {
    for (let left = maxPerTurn; left > 0; left--) {
      const next = timers.first()
      if (!next || next.at > reached) return
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
      // What is under way belongs to the present: it may still set timers that come first.
      let elsewhere = await settle()
      do {
        const next = Math.min(nextDue(), typeof elsewhere === 'number' ? elsewhere : Number.POSITIVE_INFINITY)
        reached = Math.max(reached, Math.min(next, target ?? reached))
        fireDue()
        elsewhere = await settle()
      } while (reached < (target ?? reached) || nextDue() <= reached)
    } finally {
      pass()
      target = undefined
      arm()
    }
  }

  function advanceTo(at: number): Promise<void> {
    pass()
    const isUnderWay = target !== undefined
    target = Math.max(at, target ?? reached)
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
    pace: () => ({ mode, speed }),
    setPace(pace) {
      pass()
      mode = pace.mode
      speed = pace.speed
      arm()
    },
    reached: () => Math.floor(pass()),
    advanceTo,
    advance: (ms) => advanceTo((target ?? now()) + ms),
    target: () => target,
    halt() {
      if (target !== undefined) target = reached
    },
    moveTo(at) {
      reached = Math.max(pass(), at)
      arm()
    },
    holdAt(at) {
      pass()
      ceiling = at
      arm()
    },
    nextDue,
    waiting: (until) => timers.countUntil(until),
    settleWith(work) {
      settle = work
    },
  }
}
