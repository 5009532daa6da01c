import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type MissedReason, missedReasonLabels } from '../../../src/domain/call/record.ts'
import { api, type ResponseOf } from '../../kit/api.ts'
import type { useFilters } from '../../kit/ui/filters.ts'

export type Counts = Omit<Activity['hours'][number], 'hour'>

export type Named = Omit<Activity['users'][number], 'talk_time'>

/** Durations are in seconds. */
export type Activity = ResponseOf<'/v1/analytics/activity'>

export type ActivityFilters = ReturnType<typeof useFilters>

export const defaultRange = 'last_30'
export const defaultSla = 20

export const ranges = [
  { value: 'TODAY', label: 'Today' },
  { value: 'YESTERDAY', label: 'Yesterday' },
  { value: 'THIS_WEEK', label: 'This week' },
  { value: 'LAST_WEEK', label: 'Last week' },
  { value: 'THIS_MONTH', label: 'This month' },
  { value: 'LAST_MONTH', label: 'Last month' },
  { value: defaultRange, label: 'Last 30 days' },
  { value: 'last_90', label: 'Last 90 days' },
  { value: 'custom', label: 'Custom range' },
]

/** The date range as API parameters; undefined until a custom range is complete. */
export function periodIn(filters: ActivityFilters, timezone: string) {
  const range = filters.get('range') ?? defaultRange
  const [from, to] = [filters.get('from'), filters.get('to')]
  if (range === 'custom' && !(from && to && from <= to)) return undefined
  const [, days] = /^last_(\d+)$/.exec(range) ?? []
  return {
    timezone,
    ...(range === 'custom' ? { from, to } : days ? { last_days: days } : { relative: range }),
  }
}

export const isCompared = (filters: ActivityFilters) => filters.get('compare') !== 'off'

/** API parameters of the page; undefined until a custom range is complete. */
export function questionOf(filters: ActivityFilters, timezone: string) {
  const period = periodIn(filters, timezone)
  return (
    period && {
      ...period,
      number_id: filters.all('number'),
      team_id: filters.all('team'),
      user_id: filters.all('user'),
      sla_seconds: filters.get('sla') ?? defaultSla,
      compare: isCompared(filters) || undefined,
    }
  )
}

export function useActivity(filters: ActivityFilters, timezone: string) {
  const question = questionOf(filters, timezone)
  return useQuery({
    queryKey: ['activity', question],
    queryFn: () => api.get('/v1/analytics/activity', { query: question }),
    enabled: question !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
}

export const share = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`

export const reasonWords = (reason: string) => missedReasonLabels[reason as MissedReason] ?? reason.replaceAll('_', ' ')

/** Formats `2026-06-15` independent of the time zone of the browser. */
export function dayWords(date: string, style: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(undefined, { ...style, timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`))
}
