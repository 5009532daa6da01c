import { type Cancel, type HandWoundClock, handWoundClock } from '../../src/lib/clock.ts'

// Clocks for stories about time itself. Both are wound by hand like every clock of the kit.

/** To the first moment of the next minute, so that a real minute passing cannot split a window of the rate limit. */
export const nextMinute = (clock: HandWoundClock) => clock.shiftMachine(60_000 - (clock.machineNow() % 60_000))

export interface JumpingClock extends HandWoundClock {
  /** Somebody sets the host's clock: all that reads it jumps, what counts evenly does not. */
  jump(ms: number): void
}

export function jumpingClock(start: number): JumpingClock {
  const even = handWoundClock(start)
  let jumped = 0
  return {
    ...even,
    now: () => even.now() + jumped,
    machineNow: () => even.machineNow() + jumped,
    jump(ms) {
      jumped += ms
    },
  }
}

export interface HeldClock extends HandWoundClock {
  /** Lets machine time pass: time-outs, sweeps and heartbeats that fall due run, in order. */
  windMachine(ms: number): void
  /** Resolves with true once a timer of this length is held. */
  nextHeld(ms: number): Promise<true>
}

/** The machine's timers up to this long fire by themselves: results are written in groups of a few milliseconds. */
const tooShortToHold = 100

/** The machine's timers wait for the test, too: no attempt times out and nobody looks again unless it says so. */
export function heldClock(start: number): HeldClock {
  const product = handWoundClock(start)
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
    windMachine(ms) {
      const target = now() + ms
      wound += ms
      for (let timer = nextDue(target); timer; timer = nextDue(target)) {
        held.delete(timer)
        timer.run()
      }
    },
  }
}
