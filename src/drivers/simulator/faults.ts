import type { CompanyFaults } from '../../domain/sandbox/faults.ts'
import { second } from '../../lib/clock.ts'
import { chanceFor } from './chance.ts'

/** What can go wrong on the line. */
export type Faults = Pick<CompanyFaults, 'seed' | 'carrier_failure' | 'drop_media'>

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
