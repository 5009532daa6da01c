import type { CompanyFaults } from '../../domain/sandbox/faults.ts'
import { second } from '../../lib/clock.ts'
import { randomFor } from './random-for.ts'

/** Injected faults of the phone network. */
export type NetworkFaults = Pick<CompanyFaults, 'seed' | 'carrier_failure' | 'drop_media'>

export interface Fate {
  carrierFails: boolean
  /** Time from the connection to the loss of media; null: no loss. */
  lostAfterMs: number | null
}

/** The outcome of the nth leg of a Number. */
export function fateOf(faults: NetworkFaults, number: string, nth: number): Fate {
  const random = randomFor(faults.seed, number, nth)
  const carrierFails = random.next() < faults.carrier_failure
  const isLost = random.next() < faults.drop_media
  return { carrierFails, lostAfterMs: isLost ? random.integer(2, 20) * second : null }
}
