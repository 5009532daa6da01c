import type { Clock } from './clock.ts'

export interface Pace {
  mode: 'running' | 'frozen'
  /** Product time per machine time while running. */
  speed: number
}

/** Product time that follows machine time at a pace, and never goes back. */
export interface PacedTime {
  /** Follows machine time up to now; while `isRunning` is false, the time that has passed is dropped. */
  follow(isRunning: boolean): number
  /** As of the last call. */
  reached(): number
  moveTo(at: number): void
  /** Does not run past this instant by itself. */
  holdAt(at: number): void
  pace(): Pace
  setPace(pace: Pace): void
}

export function createPacedTime(machine: Clock, begin: Pace & { at: number }): PacedTime {
  let { mode, speed, at: reached } = begin
  let seen = machine.machineNow()
  let ceiling = Number.POSITIVE_INFINITY

  return {
    /** Incremental: product time does not follow a host clock that is set back. */
    follow(isRunning) {
      const now = machine.machineNow()
      const gone = Math.max(now - seen, 0)
      seen = now
      if (mode === 'running' && isRunning) {
        reached = Math.max(reached, Math.min(reached + gone * speed, ceiling))
      }
      return reached
    },
    reached: () => reached,
    moveTo(at) {
      reached = Math.max(reached, at)
    },
    holdAt(at) {
      ceiling = at
    },
    pace: () => ({ mode, speed }),
    setPace(pace) {
      mode = pace.mode
      speed = pace.speed
    },
  }
}
