import { describe, expect, test } from 'vitest'
import { rangeOf } from './range.ts'
import { dateFilterOf, latestRun, localInstant, nextRun, type ReportSchedule } from './report-schedule.ts'
import { zoneOf } from './zone.ts'

const paris = zoneOf('Europe/Paris')
const daily: ReportSchedule = { frequency: 'daily', weekday: 'mon', dayOfMonth: 1, time: '08:00' }
const at = (text: string) => Date.parse(text)

/** Local times of the next runs. */
function runs(schedule: ReportSchedule, from: string, n: number, zone = paris): string[] {
  const found: string[] = []
  for (let after = at(from); found.length < n; ) {
    after = nextRun(schedule, zone, after)
    found.push(zone.iso(after))
  }
  return found
}

describe('the runs of a scheduled report', () => {
  test('a daily report keeps its local time when clocks change', () => {
    expect(runs(daily, '2026-03-27T12:00:00Z', 3)).toEqual([
      '2026-03-28T08:00:00+01:00',
      '2026-03-29T08:00:00+02:00',
      '2026-03-30T08:00:00+02:00',
    ])
    expect(runs(daily, '2026-10-24T12:00:00Z', 2)).toEqual(['2026-10-25T08:00:00+01:00', '2026-10-26T08:00:00+01:00'])
  })

  test('a time that is skipped becomes the first instant after the gap', () => {
    expect(runs({ ...daily, time: '02:30' }, '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T03:00:00+02:00',
      '2026-03-30T02:30:00+02:00',
    ])
  })

  test('a time that occurs twice is used once', () => {
    expect(runs({ ...daily, time: '02:30' }, '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T02:30:00+02:00',
      '2026-10-26T02:30:00+01:00',
    ])
  })

  test('midnight exists in a zone that skips it', () => {
    const cairo = zoneOf('Africa/Cairo')
    expect(cairo.iso(localInstant(cairo, '2026-04-24', '00:00'))).toBe('2026-04-24T01:00:00+03:00')
  })

  test('a zone with a half hour of daylight saving time keeps its local time', () => {
    const howe = zoneOf('Australia/Lord_Howe')
    expect(runs(daily, '2026-10-02T12:00:00Z', 2, howe)).toEqual([
      '2026-10-03T08:00:00+10:30',
      '2026-10-04T08:00:00+11:00',
    ])
  })

  test('a weekly report is sent on its day', () => {
    expect(runs({ ...daily, frequency: 'weekly', weekday: 'wed' }, '2026-06-17T06:00:00Z', 2)).toEqual([
      '2026-06-24T08:00:00+02:00',
      '2026-07-01T08:00:00+02:00',
    ])
  })

  test('a monthly report on day 31 is sent on the last day of shorter months', () => {
    expect(runs({ ...daily, frequency: 'monthly', dayOfMonth: 31 }, '2028-01-01T00:00:00Z', 4)).toEqual([
      '2028-01-31T08:00:00+01:00',
      '2028-02-29T08:00:00+01:00',
      '2028-03-31T08:00:00+02:00',
      '2028-04-30T08:00:00+02:00',
    ])
    expect(runs({ ...daily, frequency: 'monthly', dayOfMonth: 29 }, '2027-02-01T00:00:00Z', 2)).toEqual([
      '2027-02-28T08:00:00+01:00',
      '2027-03-29T08:00:00+02:00',
    ])
  })

  test('the date is that of the time zone', () => {
    const auckland = zoneOf('Pacific/Auckland')
    expect(runs({ ...daily, frequency: 'weekly' }, '2026-06-14T00:00:00Z', 1, auckland)).toEqual([
      '2026-06-15T08:00:00+12:00',
    ])
  })

  test('of several missed runs the latest is found', () => {
    const late = at('2026-06-20T05:59:59Z')
    expect(paris.iso(latestRun(daily, paris, late))).toBe('2026-06-19T08:00:00+02:00')
    expect(latestRun(daily, paris, at('2026-06-20T06:00:00Z'))).toBe(at('2026-06-20T06:00:00Z'))
    const monthly = { ...daily, frequency: 'monthly', dayOfMonth: 31 } as const
    expect(paris.iso(latestRun(monthly, paris, at('2026-03-30T12:00:00Z')))).toBe('2026-02-28T08:00:00+01:00')
  })

  test('every run is followed by a later one, and is the latest at its own instant', () => {
    for (const zone of ['America/New_York', 'America/Santiago'].map(zoneOf)) {
      for (const time of ['00:00', '01:30', '02:30', '23:59']) {
        for (const frequency of ['daily', 'weekly', 'monthly'] as const) {
          const schedule: ReportSchedule = { frequency, weekday: 'sun', dayOfMonth: 30, time }
          let after = at('2026-03-25T00:00:00Z')
          for (let i = 0; i < 9; i++) {
            const next = nextRun(schedule, zone, after)
            expect(next).toBeGreaterThan(after)
            expect(latestRun(schedule, zone, next)).toBe(next)
            after = next
          }
        }
      }
    }
  })
})

describe('the period of a scheduled report', () => {
  test.each([
    ['previous_day', '2026-03-31', '2026-03-31'],
    ['previous_week', '2026-03-23', '2026-03-29'],
    ['previous_month', '2026-03-01', '2026-03-31'],
  ] as const)('%s is complete', (period, fromDate, toDate) => {
    const due = at('2026-04-01T06:00:00Z')
    const range = rangeOf(dateFilterOf(period), paris, due)
    expect(range).toMatchObject({ fromDate, toDate, from: paris.startOf(fromDate) })
    expect(range.to).toBeLessThan(due)
  })
})
