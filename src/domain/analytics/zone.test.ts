import { describe, expect, test } from 'vitest'
import { csvLine, percent } from './csv.ts'
import { periodsOf, rangeOf } from './range.ts'
import { zoneOf } from './zone.ts'

const hour = 3_600_000
const paris = zoneOf('Europe/Paris')
const absolute = (fromDate: string, toDate = fromDate) => ({ absoluteRange: { fromDate, toDate } })

describe('a time zone', () => {
  test('writes instants with the offset that holds at them', () => {
    expect(paris.iso(Date.UTC(2026, 2, 29, 0, 59, 59))).toBe('2026-03-29T01:59:59+01:00')
    expect(paris.iso(Date.UTC(2026, 2, 29, 1))).toBe('2026-03-29T03:00:00+02:00')
    expect(zoneOf('America/St_Johns').iso(Date.UTC(2026, 0, 1))).toBe('2025-12-31T20:30:00-03:30')
    expect(zoneOf('Asia/Kathmandu').iso(Date.UTC(2026, 0, 1))).toBe('2026-01-01T05:45:00+05:45')
    expect(zoneOf('Etc/UTC').iso(Date.UTC(2026, 0, 1))).toBe('2026-01-01T00:00:00+00:00')
  })

  test('knows when its days begin: at midnight, and where there is none at the first instant', () => {
    expect(paris.startOf('2026-03-29')).toBe(Date.UTC(2026, 2, 28, 23))
    expect(paris.startOf('2026-03-30') - paris.startOf('2026-03-29')).toBe(23 * hour)
    expect(paris.startOf('2026-10-26') - paris.startOf('2026-10-25')).toBe(25 * hour)
    // In Beirut the clocks are put forward at midnight.
    expect(zoneOf('Asia/Beirut').iso(zoneOf('Asia/Beirut').startOf('2026-03-29'))).toBe('2026-03-29T01:00:00+03:00')
    expect(zoneOf('Pacific/Kiritimati').startOf('2026-01-02')).toBe(Date.UTC(2026, 0, 1, 10))
    expect([paris.dateOf(Date.UTC(2026, 5, 1, 22)), paris.hourOf(Date.UTC(2026, 5, 1, 22))]).toEqual(['2026-06-02', 0])
  })
})

describe('a range', () => {
  const now = Date.UTC(2026, 5, 15, 12)
  const dates = (
    relative: 'LAST_MONTH' | 'LAST_WEEK' | 'THIS_MONTH' | 'THIS_WEEK' | 'TODAY' | 'YESTERDAY',
    at = now,
  ) => {
    const { fromDate, toDate } = rangeOf({ relative }, paris, at)
    return [fromDate, toDate]
  }

  test('is named by keyword: weeks start on Monday, and ranges end today', () => {
    expect(dates('TODAY')).toEqual(['2026-06-15', '2026-06-15'])
    expect(dates('YESTERDAY')).toEqual(['2026-06-14', '2026-06-14'])
    expect(dates('THIS_WEEK')).toEqual(['2026-06-15', '2026-06-15'])
    expect(dates('LAST_WEEK')).toEqual(['2026-06-08', '2026-06-14'])
    expect(dates('THIS_MONTH')).toEqual(['2026-06-01', '2026-06-15'])
    expect(dates('LAST_MONTH')).toEqual(['2026-05-01', '2026-05-31'])
    expect(dates('LAST_MONTH', Date.UTC(2026, 2, 31, 12))).toEqual(['2026-02-01', '2026-02-28'])
    expect(dates('THIS_WEEK', Date.UTC(2026, 5, 21, 21, 59))).toEqual(['2026-06-15', '2026-06-21'])
    expect(dates('THIS_WEEK', Date.UTC(2026, 5, 21, 22))).toEqual(['2026-06-22', '2026-06-22'])
  })

  test('is cut at the present and six months back, and has a period per day', () => {
    const all = rangeOf(absolute('2020-01-01', '2030-12-31'), paris, now)
    expect([all.fromDate, all.toDate, all.from]).toEqual(['2025-12-15', '2026-06-15', Date.UTC(2025, 11, 15, 12)])
    const days = periodsOf(all, paris, 'DAILY')
    expect(days).toHaveLength(183)
    expect(days.every(({ from }, i) => i === 0 || from === days[i - 1]?.to)).toBe(true)
    expect(periodsOf(all, paris, undefined)).toHaveLength(1)
    for (const gone of [absolute('2020-01-01'), absolute('2030-01-01')]) {
      expect(periodsOf(rangeOf(gone, paris, now), paris, 'DAILY')).toEqual([])
    }
  })
})

describe('cells', () => {
  test('a cell holds no formula that a spreadsheet would run, and a phone number stays as it is', () => {
    const cells = ['=1+1', '+33', '-1', '@x', '\tx', 'a=b', 'a,b', 'a"b', 'a\nb', "'=x", '', null, true, -5, 0]
    expect(csvLine(cells)).toBe(`'=1+1,+33,'-1,'@x,'\tx,a=b,"a,b","a""b","a\nb",'=x,,,true,-5,0\r\n`)
    expect(csvLine(['=a,"b"'])).toBe(`"'=a,""b"""\r\n`)
  })

  test('percentages have two decimals, also of nothing', () => {
    expect([percent(1, 3), percent(0, 0), percent(5, 5)]).toEqual(['33.33', '0.00', '100.00'])
  })
})
