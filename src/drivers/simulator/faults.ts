import { second } from '../../lib/clock.ts'
import { chanceFor } from './chance.ts'

/** How often the network fails: rates from 0 to 1. */
export interface Faults {
  seed: number
  carrier_failure: number
  drop_media: number
}

export const noFaults: Faults = { seed: 42, carrier_failure: 0, drop_media: 0 }

export interface Fate {
  carrierFails: boolean
  /** From the moment it is connected; null: it holds. */
  lostAfterMs: number | null
}

/** What becomes of the nth leg of a company's Number. */
export function fateOf(faults: Faults, number: string, nth: number): Fate {
  const chance = chanceFor(faults.seed, number, nth)
  const carrierFails = chance.next() < faults.carrier_failure
  const isLost = chance.next() < faults.drop_media
  return { carrierFails, lostAfterMs: isLost ? chance.integer(2, 20) * second : null }
}
