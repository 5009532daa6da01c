import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  alwaysOpen,
  type Hours,
  isOpen,
  isTimeZone,
  nextChange,
  parseHours,
  parseSchedule,
  type Schedule,
  type TimeRange,
} from './opening-hours.ts'

const at = (iso: string) => Date.parse(iso)
const minute = 60_000

function schedule(hours: Hours, closedDates: string[] = []): Schedule {
  return { hours, closedDates }
}

function changesFrom(start: string, count: number, timetable: Schedule, timeZone: string): string[] {
  const changes: string[] = []
  for (let next = nextChange(timetable, timeZone, at(start)); next !== undefined && changes.length < count; ) {
    changes.push(new Date(next).toISOString())
    next = nextChange(timetable, timeZone, next)
  }
  return changes
}

describe('opening hours', () => {
  const office = schedule({ mon: [['09:00', '18:00']] }, ['2026-06-22'])

  test.each([
    ['2026-06-15T06:59:59.999Z', false],
    ['2026-06-15T07:00:00.000Z', true],
    ['2026-06-15T15:59:59.999Z', true],
    ['2026-06-15T16:00:00.000Z', false],
    ['2026-06-16T10:00:00.000Z', false],
    ['2026-06-22T10:00:00.000Z', false],
  ])('a shop in Paris open on Mondays from 9 to 18 is at %s open: %s', (instant, open) => {
    expect(isOpen(office, 'Europe/Paris', at(instant))).toBe(open)
  })

  test('a shop that closes at 24:00 is open in the last minute of the day', () => {
    expect(isOpen(schedule({ mon: [['22:00', '24:00']] }), 'Etc/UTC', at('2026-06-15T23:59:59Z'))).toBe(true)
    expect(isOpen(schedule({ mon: [['22:00', '24:00']] }), 'Etc/UTC', at('2026-06-16T00:00:00Z'))).toBe(false)
  })
})

describe('the next change', () => {
  test('a closed Monday is skipped', () => {
    const office = schedule({ mon: [['09:00', '18:00']] }, ['2026-06-22'])

    expect(changesFrom('2026-06-15T08:00:00Z', 2, office, 'Europe/Paris')).toEqual([
      '2026-06-15T16:00:00.000Z',
      '2026-06-29T07:00:00.000Z',
    ])
  })

  test('a night shift over midnight is one opening', () => {
    const night = schedule({
      mon: [['22:00', '24:00']],
      tue: [
        ['00:00', '03:00'],
        ['03:00', '06:00'],
      ],
    })

    expect(changesFrom('2026-06-15T12:00:00Z', 2, night, 'Etc/UTC')).toEqual([
      '2026-06-15T22:00:00.000Z',
      '2026-06-16T06:00:00.000Z',
    ])
  })

  test('an opening time that the clocks leap over happens at the leap', () => {
    const early = schedule({ sun: [['02:30', '05:00']] })

    expect(changesFrom('2026-03-28T12:00:00Z', 2, early, 'Europe/Paris')).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-29T03:00:00.000Z',
    ])
  })

  test('a range that the clocks repeat is open twice', () => {
    const early = schedule({ sun: [['01:00', '02:30']] })

    expect(changesFrom('2026-10-24T12:00:00Z', 4, early, 'Europe/Paris')).toEqual([
      '2026-10-24T23:00:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T01:30:00.000Z',
    ])
  })

  test('a shop that is always open closes only for its closed dates', () => {
    expect(nextChange(schedule(alwaysOpen), 'America/New_York', at('2026-01-01T00:00:00Z'))).toBeUndefined()
    expect(changesFrom('2026-01-01T00:00:00Z', 2, schedule(alwaysOpen, ['2026-07-04']), 'America/New_York')).toEqual([
      '2026-07-04T04:00:00.000Z',
      '2026-07-05T04:00:00.000Z',
    ])
  })

  test('a change further away than 400 days is not looked for', () => {
    const distant = schedule(alwaysOpen, ['2028-01-01'])

    expect(nextChange(distant, 'Etc/UTC', at('2026-01-01T00:00:00Z'))).toBeUndefined()
    expect(nextChange(schedule({}), 'Etc/UTC', at('2026-01-01T00:00:00Z'))).toBeUndefined()
  })

  test('it matches a check of every minute, in any time zone', () => {
    fc.assert(
      fc.property(anySchedule, anyMoment, (timetable, { timeZone, instant }) => {
        const before = isOpen(timetable, timeZone, instant)

        const next = nextChange(timetable, timeZone, instant)

        const end = Math.min(next ?? Number.POSITIVE_INFINITY, instant + 30 * 60 * minute)
        let seen = instant
        while (seen < end && isOpen(timetable, timeZone, seen) === before) seen += minute
        expect(seen).toBeGreaterThanOrEqual(end)
        if (next === undefined) return
        expect(next).toBeGreaterThan(instant)
        expect(isOpen(timetable, timeZone, next - 1)).toBe(before)
        expect(isOpen(timetable, timeZone, next)).toBe(!before)
      }),
      { numRuns: 200 },
    )
  })
})

// Ordinary weeks, and moments at which clocks move: by one hour, by half an hour, at midnight, by a whole day.
const moments: [string, string][] = [
  ['Etc/UTC', '2026-06-15T12:00:00Z'],
  ['Asia/Kathmandu', '2026-06-15T12:00:00Z'],
  ['Europe/Paris', '2026-03-29T01:00:00Z'],
  ['Europe/Paris', '2026-10-25T01:00:00Z'],
  ['America/New_York', '2026-03-08T07:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['America/Havana', '2026-03-08T05:00:00Z'],
  ['America/Havana', '2026-11-01T05:00:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z'],
]

const anyMoment = fc
  .tuple(fc.constantFrom(...moments), fc.integer({ min: -30 * 3_600_000, max: 6 * 3_600_000 }))
  .map(([[timeZone, iso], shift]) => ({ timeZone, instant: at(iso) + shift }))

const anyRanges: fc.Arbitrary<TimeRange[]> = fc
  .uniqueArray(fc.integer({ min: 0, max: 96 }), { maxLength: 6 })
  .map((quarters) => quarters.toSorted((a, b) => a - b).map(timeOfQuarter))
  .map((times) => times.flatMap((end, index): TimeRange[] => (index % 2 ? [[times[index - 1] ?? '00:00', end]] : [])))

const anySchedule: fc.Arbitrary<Schedule> = fc.record({
  hours: fc.record(
    { mon: anyRanges, tue: anyRanges, wed: anyRanges, thu: anyRanges, fri: anyRanges, sat: anyRanges, sun: anyRanges },
    { requiredKeys: [] },
  ),
  closedDates: fc.subarray(['2026-03-08', '2026-03-29', '2026-10-25', '2026-11-01', '2026-06-15', '2011-12-31']),
})

function timeOfQuarter(quarter: number): string {
  return `${String(Math.floor(quarter / 4)).padStart(2, '0')}:${String((quarter % 4) * 15).padStart(2, '0')}`
}

describe('hours as submitted', () => {
  test('good hours are taken as they are', () => {
    const hours = {
      mon: [
        ['14:00', '24:00'],
        ['09:00', '12:00'],
        ['12:00', '14:00'],
      ],
      sun: [],
    }

    expect(parseHours(hours, 'hours')).toEqual({ hours })
  })

  test.each([
    [null, 'hours must be an object'],
    [[], 'hours must be an object'],
    [{ monday: [] }, 'unknown day "monday"'],
    [JSON.parse('{"__proto__": []}'), 'unknown day "__proto__"'],
    [{ constructor: [] }, 'unknown day "constructor"'],
    [{ mon: '09:00-18:00' }, 'hours.mon must be an Array'],
    [{ mon: [['9:00', '18:00']] }, 'hours.mon[0] must be'],
    [{ mon: [['09:00']] }, 'hours.mon[0] must be'],
    [{ mon: [['24:00', '24:00']] }, 'hours.mon[0] must be'],
    [{ mon: [['09:00', '24:01']] }, 'hours.mon[0] must be'],
    [
      {
        tue: [
          ['00:00', '01:00'],
          ['18:00', '18:00'],
        ],
      },
      'hours.tue[1] must start before it ends',
    ],
    [
      {
        fri: [
          ['12:00', '15:00'],
          ['09:00', '12:01'],
        ],
      },
      'hours.fri has ranges that overlap',
    ],
    [
      {
        fri: [
          ['09:00', '12:00'],
          ['09:00', '12:00'],
        ],
      },
      'hours.fri has ranges that overlap',
    ],
    [{ sat: Array.from({ length: 25 }, () => ['09:00', '12:00']) }, 'hours.sat may hold at most 24'],
  ])('%j is refused with the reason', (value, reason) => {
    expect(parseHours(value, 'hours')).toEqual({ problem: expect.stringContaining(reason) })
  })

  test('closed dates are real dates of the calendar', () => {
    expect(parseSchedule({ hours: {}, closed_dates: ['2028-02-29'] })).toEqual({
      schedule: { hours: {}, closedDates: ['2028-02-29'] },
    })
    expect(parseSchedule({ hours: {} })).toEqual({ schedule: { hours: {}, closedDates: [] } })
  })

  test.each([
    ['2026-12-25', 'must be an Array'],
    [['2026-12-25', '2026-02-29'], 'closed_dates[1] must be a date'],
    [['2026-13-01'], 'closed_dates[0] must be a date'],
    [['2026-1-1'], 'closed_dates[0] must be a date'],
    [[20261225], 'closed_dates[0] must be a date'],
    [Array.from({ length: 401 }, () => '2026-12-25'), 'at most 400'],
  ])('the closed dates %j are refused', (dates, reason) => {
    expect(parseSchedule({ hours: {}, closed_dates: dates })).toEqual({ problem: expect.stringContaining(reason) })
  })

  test('whatever was written, the answer is hours or a sentence', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (hours, dates) => {
        const parsed = parseSchedule({ hours, closed_dates: dates })
        return 'schedule' in parsed || parsed.problem.length < 200
      }),
    )
  })
})

describe('time zones', () => {
  test.each(['Etc/UTC', 'Europe/Paris', 'America/Argentina/Buenos_Aires'])('%s is one', (name) => {
    expect(isTimeZone(name)).toBe(true)
  })

  test.each(['', 'Paris', '+02:00', 'Europe/Atlantis', '__proto__'])('%j is none', (name) => {
    expect(isTimeZone(name)).toBe(false)
  })
})
