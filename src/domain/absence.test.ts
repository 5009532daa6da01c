import { expect, test } from 'vitest'
import { absenceEndsAt } from './absence.ts'

const at = (text: string) => Date.parse(text)

test('do not disturb ends after its duration', () => {
  const now = at('2025-06-02T15:10:00Z')

  expect(absenceEndsAt('30_minutes', 'Europe/Paris', now)).toBe(at('2025-06-02T15:40:00Z'))
  expect(absenceEndsAt('1_hour', 'Europe/Paris', now)).toBe(at('2025-06-02T16:10:00Z'))
})

test('until tomorrow is 8:00 of the next day where the user is, also in the night in which the clocks change', () => {
  expect(absenceEndsAt('until_tomorrow', 'Europe/Paris', at('2025-06-02T15:10:00Z'))).toBe(at('2025-06-03T06:00:00Z'))
  // 23:30 in Paris is still the day before.
  expect(absenceEndsAt('until_tomorrow', 'Europe/Paris', at('2025-06-02T21:30:00Z'))).toBe(at('2025-06-03T06:00:00Z'))
  expect(absenceEndsAt('until_tomorrow', 'America/Los_Angeles', at('2025-06-03T05:00:00Z'))).toBe(
    at('2025-06-03T15:00:00Z'),
  )
  expect(absenceEndsAt('until_tomorrow', 'Europe/Paris', at('2025-03-29T20:00:00Z'))).toBe(at('2025-03-30T06:00:00Z'))
})
