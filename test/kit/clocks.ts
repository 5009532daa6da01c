import { type Cancel, createManualClock, type ManualClock } from '../../src/lib/clock.ts'

// Clocks for tests of time itself; advanced manually like every clock of the kit.

/** Moves to the start of the next minute, so that real time cannot split a rate limit window. */
export const nextMinute = (clock: ManualClock) => clock.shiftMachine(60_000 - (clock.machineNow() % 60_000))

export interface JumpingClock extends ManualClock {
  /** Sets the host's clock: everything that reads it jumps, monotonic time does not. */
  jump(ms: number): void
  /** Product time alone, past its timers: a year of daily work would take minutes. */
  leap(ms: number): void
}

export function jumpingClock(start: number): JumpingClock {
  const even = createManualClock(start)
  let jumped = 0
  let leapt = 0
  return {
    ...even,
    now: () => even.now() + jumped + leapt,
    machineNow: () => even.machineNow() + jumped,
    jump(ms) {
      jumped += ms
    },
    leap(ms) {
      leapt += ms
    },
  }
}

export interface HeldClock extends ManualClock {
  /** Advances machine time: due timeouts, sweeps and heartbeats run in order. */
  advanceMachine(ms: number): void
  /** Resolves with true once a timer of this length is set. */
  nextHeld(ms: number): Promise<true>
}

/** Machine timers up to this length fire by themselves: results are written in batches of a few milliseconds. */
const tooShortToHold = 100

/** Machine timers wait for the test, too: no timeout and no sweep unless advanced. */
export function heldClock(start: number): HeldClock {
  const product = createManualClock(start)
  let wound = 0
  const now = () => Date.now() + wound
  const held = new Set<{ at: number; ms: number; run: () => void }>()
  const expected: { ms: number; found: (isHeld: true) => void }[] = []
  const nextDue = (until: number) => [...held].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
  return {
    ...product,
    machineNow: now,
    steadyNow: () => performance.now() + wound,
    machineAfter(ms, run): Cancel {
      if (ms <= tooShortToHold) return product.machineAfter(ms, run)
      const timer = { at: now() + ms, ms, run }
      held.add(timer)
      for (const one of expected.filter((one) => one.ms === ms)) one.found(true)
      return () => held.delete(timer)
    },
    shiftMachine(ms) {
      wound += ms
    },
    nextHeld: (ms) =>
      new Promise((found) => {
        if ([...held].some((timer) => timer.ms === ms)) found(true)
        else expected.push({ ms, found })
      }),
    advanceMachine(ms) {
      const target = now() + ms
      wound += ms
      for (let timer = nextDue(target); timer; timer = nextDue(target)) {
        held.delete(timer)
        timer.run()
      }
    },
  }
}
