/** The API filters a report supports. */
export type Filter =
  | 'people'
  | 'teams'
  | 'numbers'
  | 'calls'
  | 'customers'
  | 'tags'
  | 'types'
  | 'voicemail'
  | 'origin'
  | 'status'
  | 'hours'

export interface ReportKind {
  name: string
  label: string
  hint: string
  /** Supports one row per agent and day. */
  daily: boolean
  sla?: true
  filters: Filter[]
}

const ofCalls: Filter[] = ['people', 'teams', 'numbers', 'customers', 'tags', 'types', 'voicemail', 'hours']
const ofPeople: Filter[] = ['people', 'teams']
const ofRings: Filter[] = ['people', 'teams', 'numbers', 'customers', 'origin', 'hours']

export const reports: ReportKind[] = [
  { name: 'CALLS_HISTORY', label: 'Calls', hint: 'One row per call', daily: false, sla: true, filters: ofCalls },
  {
    name: 'USER_STATUS_HISTORY',
    label: 'Status history',
    hint: 'One row per status change',
    daily: false,
    filters: [...ofPeople, 'status', 'hours'],
  },
  {
    name: 'USER_ACTIVITY_RINGING_ATTEMPTS',
    label: 'Ring attempts',
    hint: 'One row per ring attempt',
    daily: false,
    filters: ofRings,
  },
  {
    name: 'USER_ACTIVITY_CALL_VOLUME_AND_TIME',
    label: 'Call volume and time by agent',
    hint: 'Inbound and outbound calls and durations',
    daily: true,
    filters: ofCalls,
  },
  {
    name: 'USER_ACTIVITY_CALLS_HANDLED',
    label: 'Calls handled by agent',
    hint: 'Inbound answered, outbound and transferred',
    daily: true,
    filters: ofCalls,
  },
  {
    name: 'USER_ACTIVITY_AVERAGE_INBOUND_IN_CALL_TIME_PER_USER',
    label: 'Avg. inbound call time by agent',
    hint: 'Average time on inbound calls',
    daily: true,
    filters: ofCalls,
  },
  {
    name: 'USER_ACTIVITY_AVERAGE_OUTBOUND_IN_CALL_TIME_PER_USER',
    label: 'Avg. outbound call time by agent',
    hint: 'Average time on outbound calls',
    daily: true,
    filters: ofCalls,
  },
  {
    name: 'USER_ACTIVITY_RINGING_ATTEMPTS_PER_USER',
    label: 'Ring attempts by agent',
    hint: 'Answered, declined and not answered',
    daily: true,
    filters: ofRings,
  },
  {
    name: 'USER_ACTIVITY_AVAILABILITY_BREAKDOWN',
    label: 'Availability breakdown',
    hint: 'Seconds in each status',
    daily: true,
    filters: ofPeople,
  },
  {
    name: 'USER_ACTIVITY_PERCENTAGE_OF_TIME_IN_EACH_STATUS',
    label: 'Time in each status (%)',
    hint: 'Percentage of time in each status',
    daily: true,
    filters: ofPeople,
  },
  {
    name: 'USER_ACTIVITY_WORK_TIME_AND_AVAILABILITY',
    label: 'Work time and availability',
    hint: 'First and last connection, and available time',
    daily: true,
    filters: ofPeople,
  },
  {
    name: 'USER_ACTIVITY_AVERAGE_AFTER_CALL_WORK_TIME_PER_USER',
    label: 'Avg. wrap-up time by agent',
    hint: 'Average after-call work time',
    daily: true,
    filters: ofPeople,
  },
]

export const reportLabel = (name: string) => reports.find((report) => report.name === name)?.label ?? name

export interface ReportForm {
  report: string
  name: string
  range: string
  from: string
  to: string
  zone: string
  daily: boolean
  sla: number
  people: string[]
  teams: string[]
  allTeams: boolean
  numbers: string[]
  customers: string[]
  tags: string[]
  types: string[]
  voicemail: string
  origin: string[]
  status: string[]
  hours: string[]
}

/** The API input: only selected filters that the report supports. */
export function inputOf(form: ReportForm) {
  const report = reports.find(({ name }) => name === form.report)
  const supports = (filter: Filter) => report?.filters.includes(filter)
  const list = <T>(filter: Filter, name: string, values: T[]) =>
    supports(filter) && values.length > 0 ? { [name]: values } : {}
  const ids = (filter: Filter, name: string, values: string[]) => list(filter, name, values.map(Number))
  const options = {
    ...(report?.daily && form.daily && { dateBreakdown: 'DAILY' }),
    ...(report?.sla && { slaTimeToAnswerInSeconds: form.sla }),
  }
  return {
    input: {
      reportName: form.report,
      filter: {
        timezone: form.zone,
        dateFilter:
          form.range === 'custom'
            ? { absoluteRange: { fromDate: form.from, toDate: form.to } }
            : { relative: form.range },
        ...ids('people', 'userIDs', form.people),
        ...ids('teams', 'teamIDs', form.teams),
        ...(supports('teams') && form.teams.length > 1 && form.allTeams && { teamFilterOption: 'ALL' }),
        ...ids('numbers', 'lineIDs', form.numbers),
        ...list('customers', 'customerNumbers', form.customers),
        ...ids('tags', 'tagIDs', form.tags),
        ...list('types', 'callTypes', form.types),
        ...(supports('voicemail') && form.voicemail !== '' && { withVoicemail: form.voicemail === 'with' }),
        ...list('origin', 'ringAttemptOrigin', form.origin),
        ...list('status', 'userStatuses', form.status),
        ...ids('hours', 'hours', form.hours),
      },
      ...(Object.keys(options).length > 0 && { options }),
      exportOptions: { format: 'CSV', ...(form.name.trim() !== '' && { exportName: form.name.trim() }) },
    },
  }
}
