import { type TSchema, Type } from 'typebox'
import {
  type DateFilter,
  type RelativeRange,
  type ReportRange,
  rangeOf,
  relativeRanges,
} from '../../domain/analytics/range.ts'
import { dateAfter, type Zone, zoneOf } from '../../domain/analytics/zone.ts'
import { isCalendarDate, isTimeZone } from '../../domain/opening-hours.ts'
import { badRequest } from '../../http/errors.ts'
import { Id, oneOf } from '../../http/schemas.ts'

// The date range of the Analytics pages, as query parameters.

const Day = Type.String({ maxLength: 10, description: 'YYYY-MM-DD', examples: ['2026-06-15'] })

export const periodFields = {
  timezone: Type.String({ maxLength: 64, description: 'IANA name', examples: ['Europe/Paris'] }),
  relative: Type.Optional(oneOf(relativeRanges)),
  last_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 186, description: 'Number of days up to today' })),
  from: Type.Optional(Day),
  to: Type.Optional(Day),
}

const ids = (description: string) => Type.Optional(Type.Array(Id, { maxItems: 100, description }))

export const narrowingFields = {
  number_id: ids('Only calls of these Numbers'),
  user_id: ids('Only calls answered or made by these users'),
  team_id: ids('Only calls routed to one of these teams'),
} satisfies Record<string, TSchema>

export const periodErrors = [
  { status: 400 as const, when: 'not exactly one of relative, last_days and from/to is given' },
]

interface PeriodQuery {
  timezone: string
  relative?: RelativeRange
  last_days?: number
  from?: string
  to?: string
}

export interface AskedPeriod {
  zone: Zone
  filter: DateFilter
  range: ReportRange
}

export function periodIn(query: PeriodQuery, now: number): AskedPeriod {
  if (!isTimeZone(query.timezone)) throw badRequest('`timezone` must be an IANA name such as Europe/Paris')
  const zone = zoneOf(query.timezone)
  const filter = datesIn(query, zone.dateOf(now))
  return { zone, filter, range: rangeOf(filter, zone, now) }
}

function datesIn({ relative, last_days: last, from, to }: PeriodQuery, today: string): DateFilter {
  const isAbsolute = from !== undefined || to !== undefined
  if ([relative !== undefined, last !== undefined, isAbsolute].filter(Boolean).length !== 1) {
    throw badRequest('Give one of `relative`, `last_days`, and `from` with `to`')
  }
  if (relative) return { relative }
  if (last !== undefined) return { absoluteRange: { fromDate: dateAfter(today, 1 - last), toDate: today } }
  if (!isCalendarDate(from) || !isCalendarDate(to) || from < '1970-01-02' || to > '9990-12-31') {
    throw badRequest('`from` and `to` must be valid dates in the form YYYY-MM-DD')
  }
  if (from > to) throw badRequest('`from` must not be after `to`')
  return { absoluteRange: { fromDate: from, toDate: to } }
}
