// Loops that kill all processes of a fleet in each round, and start them again.

export interface RoundsOptions {
  kills: number
  seed: number
  folder: string
  databaseUrl?: string
  /** As for a fleet. */
  from?: string
}

export interface RoundsReport {
  seed: number
  /** Processes that were killed: all of the fleet in each round. */
  kills: number
  rounds: number
  /** Processes that did not exit with 0 when stopped at the end. */
  badExits: number
}
