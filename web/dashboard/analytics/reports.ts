/** The filters of the API that a report listens to. */
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
  /** One row per person and day, when that is wished. */
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
    hint: 'One row per time in one status',
    daily: false,
    filters: [...ofPeople, 'status', 'hours'],
  },
  {
    name: 'USER_ACTIVITY_RINGING_ATTEMPTS',
    label: 'Rings',
    hint: 'One row each time a phone rang',
    daily: false,
    filters: ofRings,
  },
  {
    name: 'USER_ACTIVITY_CALL_VOLUME_AND_TIME',
    label: 'Calls and time per person',
    hint: 'How many, and how long, both ways',
    daily: true,
    filters: ofCalls,
  },
  {
    name: 'USER_ACTIVITY_CALLS_HANDLED',
    label: 'Calls handled per person',
    hint: 'Taken, made, and passed on',
    daily: true,
    filters: ofCalls,
  },
  {
    name: 'USER_ACTIVITY_AVERAGE_INBOUND_IN_CALL_TIME_PER_USER',
    label: 'Average inbound talk per person',
    hint: 'Time in inbound calls',
    daily: true,
    filters: ofCalls,
  },
  {
    name: 'USER_ACTIVITY_AVERAGE_OUTBOUND_IN_CALL_TIME_PER_USER',
    label: 'Average outbound talk per person',
    hint: 'Time in outbound calls',
    daily: true,
    filters: ofCalls,
  },
  {
    name: 'USER_ACTIVITY_RINGING_ATTEMPTS_PER_USER',
    label: 'Rings per person',
    hint: 'Answered, declined, let ring',
    daily: true,
    filters: ofRings,
  },
  {
    name: 'USER_ACTIVITY_AVAILABILITY_BREAKDOWN',
    label: 'Time per status',
    hint: 'Seconds in each status',
    daily: true,
    filters: ofPeople,
  },
  {
    name: 'USER_ACTIVITY_PERCENTAGE_OF_TIME_IN_EACH_STATUS',
    label: 'Share of time per status',
    hint: 'Per cent in each status',
    daily: true,
    filters: ofPeople,
  },
  {
    name: 'USER_ACTIVITY_WORK_TIME_AND_AVAILABILITY',
    label: 'Work time and availability',
    hint: 'When people came and left, and how long they were free',
    daily: true,
    filters: ofPeople,
  },
  {
    name: 'USER_ACTIVITY_AVERAGE_AFTER_CALL_WORK_TIME_PER_USER',
    label: 'Average wrap-up per person',
    hint: 'Time after calls',
    daily: true,
    filters: ofPeople,
  },
]

export const reportLabel = (name: string) => reports.find((report) => report.name === name)?.label ?? name

export interface Wish {
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

/** As the API takes it: only what was chosen, and only what concerns the report. */
export function inputOf(wish: Wish) {
  const report = reports.find(({ name }) => name === wish.report)
  const listens = (filter: Filter) => report?.filters.includes(filter)
  const list = <T>(filter: Filter, name: string, values: T[]) =>
    listens(filter) && values.length > 0 ? { [name]: values } : {}
  const ids = (filter: Filter, name: string, values: string[]) => list(filter, name, values.map(Number))
  const options = {
    ...(report?.daily && wish.daily && { dateBreakdown: 'DAILY' }),
    ...(report?.sla && { slaTimeToAnswerInSeconds: wish.sla }),
  }
  return {
    input: {
      reportName: wish.report,
      filter: {
        timezone: wish.zone,
        dateFilter:
          wish.range === 'custom'
            ? { absoluteRange: { fromDate: wish.from, toDate: wish.to } }
            : { relative: wish.range },
        ...ids('people', 'userIDs', wish.people),
        ...ids('teams', 'teamIDs', wish.teams),
        ...(listens('teams') && wish.teams.length > 1 && wish.allTeams && { teamFilterOption: 'ALL' }),
        ...ids('numbers', 'lineIDs', wish.numbers),
        ...list('customers', 'customerNumbers', wish.customers),
        ...ids('tags', 'tagIDs', wish.tags),
        ...list('types', 'callTypes', wish.types),
        ...(listens('voicemail') && wish.voicemail !== '' && { withVoicemail: wish.voicemail === 'with' }),
        ...list('origin', 'ringAttemptOrigin', wish.origin),
        ...list('status', 'userStatuses', wish.status),
        ...ids('hours', 'hours', wish.hours),
      },
      ...(Object.keys(options).length > 0 && { options }),
      exportOptions: { format: 'CSV', ...(wish.name.trim() !== '' && { exportName: wish.name.trim() }) },
    },
  }
}
