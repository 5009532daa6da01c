import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import type { useFilters } from '../../kit/ui/filters.ts'

/** What GET /app/v1/analytics/activity tells; spans are seconds. */
export interface Counts {
  inbound: number
  inbound_answered: number
  inbound_missed: number
  outbound: number
  outbound_answered: number
}

interface Sla {
  within_sla: number
  outside_sla: number
}

export interface Named extends Counts {
  id: number
  name: string | null
}

export interface Activity {
  timezone: string
  from_date: string
  to_date: string
  sla_seconds: number
  totals: Counts &
    Sla & {
      average_wait: number | null
      average_patience: number | null
      talk_time: number
      waiting_time: number
    }
  days: (Counts & Sla & { date: string })[]
  hours: (Counts & { hour: number })[]
  waits: { up_to: number | null; answered: number; missed: number }[]
  missed_reasons: { reason: string; calls: number }[]
  users: (Named & { talk_time: number })[]
  teams: (Named & { average_wait: number | null })[]
  numbers: (Named & { average_wait: number | null; talk_time: number })[]
}

export type Filters = ReturnType<typeof useFilters>

export const usualRange = 'last_30'
export const usualSla = 20

export const ranges = [
  { value: 'TODAY', label: 'Today' },
  { value: 'YESTERDAY', label: 'Yesterday' },
  { value: 'THIS_WEEK', label: 'This week' },
  { value: 'LAST_WEEK', label: 'Last week' },
  { value: 'THIS_MONTH', label: 'This month' },
  { value: 'LAST_MONTH', label: 'Last month' },
  { value: usualRange, label: 'Last 30 days' },
  { value: 'last_90', label: 'Last 90 days' },
  { value: 'custom', label: 'From … to …' },
]

/** What the address asks for, as the API takes it; undefined while dates are still to be chosen. */
export function questionOf(filters: Filters, timezone: string) {
  const range = filters.get('range') ?? usualRange
  const [from, to] = [filters.get('from'), filters.get('to')]
  if (range === 'custom' && !(from && to && from <= to)) return undefined
  const [, days] = /^last_(\d+)$/.exec(range) ?? []
  return {
    timezone,
    ...(range === 'custom' ? { from, to } : days ? { last_days: days } : { relative: range }),
    number_id: filters.all('number'),
    team_id: filters.all('team'),
    user_id: filters.all('user'),
    sla_seconds: filters.get('sla') ?? usualSla,
  }
}

export function useActivity(filters: Filters, timezone: string) {
  const question = questionOf(filters, timezone)
  return useQuery({
    queryKey: ['activity', question],
    queryFn: () => api.get<Activity>('/v1/analytics/activity', question),
    enabled: question !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
}

export const share = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`

const reasons: Record<string, string> = {
  out_of_opening_hours: 'Out of opening hours',
  short_abandoned: 'Gave up within seconds',
  abandoned_in_ivr: 'Gave up in the menu',
  abandoned_in_classic: 'Gave up before a ring',
  no_available_agent: 'Nobody was available',
  agents_did_not_answer: 'Rang, nobody answered',
}

export const reasonWords = (reason: string) => reasons[reason] ?? reason.replaceAll('_', ' ')

/** `2026-06-15` is a day, whatever zone the reader is in. */
export function dayWords(date: string, style: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(undefined, { ...style, timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`))
}
