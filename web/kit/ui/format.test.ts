import { expect, test } from 'vitest'
import { timeOfDay, timeOnly } from './format.ts'

test.each(['00:00', '08:05', '17:30'])('a time of day is written like the time of an event: %s', (time) => {
  const event = new Date(`2026-06-15T${time}`).toISOString()

  expect(timeOfDay(time)).toBe(timeOnly(event))
})

test('the end of a day is midnight', () => {
  expect(timeOfDay('24:00')).toBe(timeOfDay('00:00'))
})
