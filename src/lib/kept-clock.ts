import { type Clock, second } from './clock.ts'
import { type Pace, type WoundClock, woundClock } from './wound-clock.ts'

/** What is written down of a wound clock, so that no restart and no crash sets it back. */
export interface KeptClock extends Pace {
  /** Product time at the machine time `at`. */
  now: number
  at: number
  /** Written before the clock may come so far: steps and fast running are kept ahead. */
  ceiling: number
  /** The process that wrote it. */
  by: string
}

/** How often the writing is looked after. */
export const renewMs = second

/** Running faster than natural, a clock is kept so far ahead: the time until two looks at its speed. */
export const leadOf = ({ mode, speed }: Pace) => (mode === 'running' && speed > 1 ? 2 * renewMs * speed : 0)

/** While nobody was there, time went on at its natural speed, or stood still. */
export function restartAt({ mode, now, at, ceiling }: KeptClock, machineNow: number): number {
  const gone = mode === 'running' ? Math.max(machineNow - at, 0) : 0
  return Math.max(now + gone, ceiling)
}

/** How far the clock may run by itself: not faster than natural, a restart finds the right time however long it ran. */
export const limitOf = (kept: KeptClock) =>
  leadOf(kept) > 0 || kept.ceiling > kept.now ? kept.ceiling : Number.POSITIVE_INFINITY

/** Where the writer's clock is by now. */
export function followedTo(kept: KeptClock, machineNow: number): number {
  const gone = kept.mode === 'running' ? Math.max(machineNow - kept.at, 0) * kept.speed : 0
  return Math.min(kept.now + gone, limitOf(kept))
}

/** The clock as it was kept; one that never was begins with the machine's time. */
export function restoredClock(machine: Clock, text: string | undefined): WoundClock {
  const now = machine.machineNow()
  if (text === undefined) return woundClock(machine, { at: now, mode: 'running', speed: 1 })
  const kept: KeptClock = JSON.parse(text)
  return woundClock(machine, { at: restartAt(kept, now), mode: kept.mode, speed: kept.speed })
}
