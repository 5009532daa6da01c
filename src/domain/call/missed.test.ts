import { expect, test } from 'vitest'
import { type MissedFacts, missedReason } from './missed.ts'

const nothing: MissedFacts = { lastedMs: 60_000, ringStep: false, agentRung: false, otherwise: false, inMenu: false }
const rung = { ringStep: true, agentRung: true }

test.each<[reason: string, facts: Partial<MissedFacts>]>([
  ['short_abandoned', { ...rung, lastedMs: 9_999 }],
  ['agents_did_not_answer', { ...rung, lastedMs: 10_000 }],
  ['agents_did_not_answer', { ...rung, otherwise: true }],
  ['no_available_agent', { ringStep: true, lastedMs: 0 }],
  ['no_available_agent', { ringStep: true, otherwise: true }],
  ['out_of_opening_hours', { otherwise: true, lastedMs: 0 }],
  ['out_of_opening_hours', { otherwise: true, inMenu: true }],
  ['short_abandoned', { lastedMs: 9_999 }],
  ['short_abandoned', { inMenu: true, lastedMs: 9_999 }],
  ['abandoned_in_ivr', { inMenu: true, lastedMs: 10_000 }],
  ['abandoned_in_classic', { lastedMs: 10_000 }],
])('%s: %o', (reason, facts) => {
  expect(missedReason({ ...nothing, ...facts })).toBe(reason)
})
