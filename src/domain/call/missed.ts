import type { MissedReason } from './record.ts'

export interface MissedFacts {
  lastedMs: number
  ringStep: boolean
  agentRung: boolean
  /** Took the "any other time" branch of a time rule. */
  otherwise: boolean
  /** Ended while the menu was played or input was awaited. */
  inMenu: boolean
}

const short = 10_000

/** The missed-call reasons of the API, first match. For inbound calls that ended without an answer. */
export function missedReason(facts: MissedFacts): MissedReason {
  const isShort = facts.lastedMs < short
  if (facts.ringStep) {
    if (!facts.agentRung) return 'no_available_agent'
    return isShort ? 'short_abandoned' : 'agents_did_not_answer'
  }
  if (facts.otherwise) return 'out_of_opening_hours'
  if (isShort) return 'short_abandoned'
  return facts.inMenu ? 'abandoned_in_ivr' : 'abandoned_in_classic'
}
