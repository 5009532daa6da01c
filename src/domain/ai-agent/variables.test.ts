import { expect, test } from 'vitest'
import { problemOfContext, variablesIn, withContext } from './variables.ts'

const message = 'Hello {{name}}, your visit is on {{ visit }}. {{name}}?'

test('a message names its variables once each', () => {
  expect(variablesIn(message)).toEqual(['name', 'visit'])
})

test('a context must have every variable, and a time zone with a datetime', () => {
  expect(problemOfContext(message, { name: 'Jo' })).toContain('`visit`')
  expect(problemOfContext(message, { name: 'Jo', visit: '2026-06-15T12:00:00Z' })).toContain('timezone')
  expect(problemOfContext(message, { name: 'Jo', visit: '2026-06-15T12:00:00Z', timezone: 'Mars/Base' })).toContain(
    'IANA',
  )
  expect(problemOfContext(message, { name: 'Jo', visit: '2026-06-15T12:00:00Z', timezone: 'Europe/Paris' })).toBe(
    undefined,
  )
  expect(problemOfContext(message, { name: 'Jo', visit: 'Monday' })).toBe(undefined)
})

test('a datetime is said in words, in its time zone and the language of the agent', () => {
  const context = { name: 'Jo', visit: '2026-06-15T12:00:00Z', timezone: 'Europe/Paris' }

  expect(withContext('On {{visit}}', context, 'en')).toMatch(/^On Monday,? June 15, 2026 at 2:00\sPM$/)
  expect(withContext('Le {{visit}}', context, 'fr')).toContain('lundi 15 juin 2026')
  expect(withContext('{{unknown}} {{name}}', context, 'en')).toBe(' Jo')
})

test('a time zone that does not exist does not end the call', () => {
  const context = { visit: '2026-06-15T12:00:00Z', timezone: 'Mars/Base' }
  expect(withContext('At {{visit}}', context, 'en')).toContain('12:00')
  expect(withContext('At {{visit}}', { ...context, timezone: 7 }, 'en')).toContain('12:00')
})
