import { useQuery } from '@tanstack/react-query'
import { api, type ResponseOf } from '../../../kit/api.ts'
import { timeOfDay } from '../../../kit/ui/format.ts'
import { dayWords } from '../activity.ts'

export type ReportList = ResponseOf<'/v1/analytics/scheduled_reports'>
export type Report = ReportList['scheduled_reports'][number]
export type ReportRun = ResponseOf<'/v1/analytics/scheduled_reports/{id}/runs'>['runs'][number]

export const reportsKey = ['analytics', 'scheduled-reports']

const isUnderWay = (report: Report) => report.last_run?.state === 'pending' || report.last_run?.state === 'sending'

export const useReports = () =>
  useQuery({
    queryKey: reportsKey,
    queryFn: () => api.get('/v1/analytics/scheduled_reports'),
    refetchInterval: ({ state }) => (state.data?.scheduled_reports.some(isUnderWay) ? 1_500 : 30_000),
  })

export const weekdays = [
  { value: 'mon', label: 'Monday' },
  { value: 'tue', label: 'Tuesday' },
  { value: 'wed', label: 'Wednesday' },
  { value: 'thu', label: 'Thursday' },
  { value: 'fri', label: 'Friday' },
  { value: 'sat', label: 'Saturday' },
  { value: 'sun', label: 'Sunday' },
] as const

export const frequencies = [
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
  { value: 'monthly', label: 'Monthly' },
] as const

export const periods = [
  { value: 'previous_day', label: 'Previous day' },
  { value: 'previous_week', label: 'Previous week (Monday to Sunday)' },
  { value: 'previous_month', label: 'Previous month' },
] as const

/** The period that most reports of a frequency cover. */
export const defaultPeriod = { daily: 'previous_day', weekly: 'previous_week', monthly: 'previous_month' } as const

type Schedule = Pick<Report, 'frequency' | 'weekday' | 'day_of_month' | 'time'>

/** `Every Monday at 8:00 AM`. */
export function scheduleWords({ frequency, weekday, day_of_month: day, time: at }: Schedule): string {
  const time = timeOfDay(at)
  if (frequency === 'daily') return `Every day at ${time}`
  if (frequency === 'weekly') return `Every ${weekdays.find(({ value }) => value === weekday)?.label} at ${time}`
  const date = day === 31 ? 'On the last day' : `On day ${day}`
  return `${date} of the month at ${time}`
}

export const periodWords = (period: Report['period']) =>
  ({ previous_day: 'previous day', previous_week: 'previous week', previous_month: 'previous month' })[period]

/** In the time zone of the report. */
export const runTime = (at: string, timeZone: string) =>
  new Intl.DateTimeFormat(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
    timeZone,
  }).format(new Date(at))

export const runStates: Record<ReportRun['state'], { label: string; color: string }> = {
  pending: { label: 'Being created', color: 'blue' },
  sending: { label: 'Sending', color: 'blue' },
  sent: { label: 'Sent', color: 'green' },
  logged: { label: 'In the email log', color: 'gray' },
  retrying: { label: 'Retrying', color: 'orange' },
  failed: { label: 'Failed', color: 'red' },
}

/** `2 of 3 sent: 550 mailbox does not exist`. */
export function resultWords({ state, sent, recipients, reason }: ReportRun): string {
  if (state === 'failed' || state === 'retrying') {
    const share = recipients > 0 ? `${sent} of ${recipients} sent: ` : ''
    return `${share}${reason ?? ''}`
  }
  return recipients === 0 ? '' : `${recipients} ${recipients === 1 ? 'recipient' : 'recipients'}`
}

const short = { day: 'numeric', month: 'short' } as const

/** `8 Jun to 14 Jun`. */
export const datesOfRun = ({ from_date, to_date }: ReportRun) =>
  from_date && to_date
    ? [...new Set([from_date, to_date])].map((date) => dayWords(date, short)).join(' to ')
    : undefined
