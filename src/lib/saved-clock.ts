import { type AdjustableClock, createAdjustableClock } from './adjustable-clock.ts'
import { type Clock, second } from './clock.ts'
import type { Pace } from './paced-time.ts'

/** Persisted state of a manual clock, so that neither a restart nor a crash sets it back. */
export interface SavedClock extends Pace {
  /** Product time at the machine time `at`. */
  now: number
  at: number
  /** Persisted before the clock may pass it: advances and fast running are saved ahead of time. */
  ceiling: number
  /** The process that wrote it. */
  by: string
}

/** How often the persisted state is checked. */
export const renewMs = second

/** How far ahead a clock that runs faster than real time is saved: the distance it covers in two check intervals. */
export const leadOf = ({ mode, speed }: Pace) => (mode === 'running' && speed > 1 ? 2 * renewMs * speed : 0)

/** While no process was running, product time continued at real speed, or stayed frozen. */
export function restartAt({ mode, now, at, ceiling }: SavedClock, machineNow: number): number {
  const gone = mode === 'running' ? Math.max(machineNow - at, 0) : 0
  return Math.max(now + gone, ceiling)
}

/**
 * How far the clock may run without being saved. At real speed there is no limit: a restart computes the time from the
 * saved instant.
 */
export const limitOf = (saved: SavedClock) =>
  leadOf(saved) > 0 || saved.ceiling > saved.now ? saved.ceiling : Number.POSITIVE_INFINITY

/** The current time of the process that saved the state. */
export function followedTo(saved: SavedClock, machineNow: number): number {
  const gone = saved.mode === 'running' ? Math.max(machineNow - saved.at, 0) * saved.speed : 0
  return Math.min(saved.now + gone, limitOf(saved))
}

/** The clock as saved; a new one starts at machine time. */
export function restoreClock(machine: Clock, text: string | undefined): AdjustableClock {
  const now = machine.machineNow()
  if (text === undefined) return createAdjustableClock(machine, { at: now, mode: 'running', speed: 1 })
  const saved: SavedClock = JSON.parse(text)
  return createAdjustableClock(machine, { at: restartAt(saved, now), mode: saved.mode, speed: saved.speed })
}
