import { type Clock, second } from './clock.ts'
import { type Pace, type WoundClock, woundClock } from './wound-clock.ts'

/** Persisted state of a manual clock, so that neither a restart nor a crash sets it back. */
export interface KeptClock extends Pace {
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
export function restartAt({ mode, now, at, ceiling }: KeptClock, machineNow: number): number {
  const gone = mode === 'running' ? Math.max(machineNow - at, 0) : 0
  return Math.max(now + gone, ceiling)
}

/**
 * How far the clock may run without being saved. At real speed there is no limit: a restart computes the time from the
 * saved instant.
 */
export const limitOf = (kept: KeptClock) =>
  leadOf(kept) > 0 || kept.ceiling > kept.now ? kept.ceiling : Number.POSITIVE_INFINITY

/** The current time of the process that saved the state. */
export function followedTo(kept: KeptClock, machineNow: number): number {
  const gone = kept.mode === 'running' ? Math.max(machineNow - kept.at, 0) * kept.speed : 0
  return Math.min(kept.now + gone, limitOf(kept))
}

/** The clock as saved; a new one starts at machine time. */
export function restoredClock(machine: Clock, text: string | undefined): WoundClock {
  const now = machine.machineNow()
  if (text === undefined) return woundClock(machine, { at: now, mode: 'running', speed: 1 })
  const kept: KeptClock = JSON.parse(text)
  return woundClock(machine, { at: restartAt(kept, now), mode: kept.mode, speed: kept.speed })
}
