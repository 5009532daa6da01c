import { expect, test } from 'vitest'
import { type DateFilter, rangeBefore, rangeOf } from './range.ts'
import { zoneOf } from './zone.ts'

const zone = zoneOf('Europe/Paris')
const now = Date.UTC(2026, 2, 31, 10)
const before = (filter: DateFilter, at = now) => {
  const found = rangeBefore(filter, rangeOf(filter, zone, at), zone)
  return found && [found.fromDate, found.toDate, zone.iso(found.to)]
}

test('the period before a range in progress ends at the same local time, also after a change of the clocks', () => {
  expect(before({ relative: 'TODAY' })).toEqual(['2026-03-30', '2026-03-30', '2026-03-30T12:00:00+02:00'])
  expect(before({ relative: 'THIS_WEEK' })).toEqual(['2026-03-23', '2026-03-24', '2026-03-24T12:00:00+01:00'])
  expect(before({ absoluteRange: { fromDate: '2026-03-25', toDate: '2026-03-31' } })).toEqual([
    '2026-03-18',
    '2026-03-24',
    '2026-03-24T12:00:00+01:00',
  ])
})

test('the period before a whole month is the month before, and a longer month is compared with a whole one', () => {
  expect(before({ relative: 'LAST_MONTH' })).toEqual(['2026-01-01', '2026-01-31', '2026-02-01T00:00:00+01:00'])
  expect(before({ relative: 'THIS_MONTH' })?.slice(0, 2)).toEqual(['2026-02-01', '2026-02-28'])
})

test('a period that is no longer readable is not compared', () => {
  expect(before({ absoluteRange: { fromDate: '2025-12-01', toDate: '2026-03-30' } })).toBeUndefined()
})

test('the offset of a zone ends where the clocks change', () => {
  const change = Date.UTC(2026, 2, 29, 1)
  expect(zone.offsetEnd(Date.UTC(2026, 2, 1), now)).toBe(change)
  expect(zone.offsetEnd(change, now)).toBe(now)
  expect(zone.offsetEnd(change - 1, now)).toBe(change)
})
