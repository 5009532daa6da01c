import { expect, test } from 'vitest'
import { callerIdWords } from './caller-id-words.ts'

test('only what the carrier has verified is called verified', () => {
  expect(callerIdWords({ verification: 'passed', attestation: 'A' })).toBe('Caller ID verified by the carrier (A)')
  expect(callerIdWords({ verification: 'passed', attestation: null })).toBe('Caller ID verified by the carrier')
  expect(callerIdWords({ verification: 'failed', attestation: 'C' })).toBe('Caller ID verification failed')
  expect(callerIdWords({ verification: 'none', attestation: 'B' })).toBe('Caller ID signed (B), not verified')
  expect(callerIdWords({ verification: 'none', attestation: null })).toBe('Caller ID not verified')
})
