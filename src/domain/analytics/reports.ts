// The available reports and their column titles.

const ofUser = ['from_date', 'to_date', 'user_id', 'user_name', 'team_names'] as const

const perUser = {
  USER_ACTIVITY_AVAILABILITY_BREAKDOWN: [
    'available_time',
    'in_call_time',
    'after_call_work_time',
    'do_not_disturb_time',
    'offline_time',
    'total_time',
  ],
  USER_ACTIVITY_AVERAGE_AFTER_CALL_WORK_TIME_PER_USER: [
    'after_call_work_periods',
    'after_call_work_time',
    'average_after_call_work_time',
  ],
  USER_ACTIVITY_AVERAGE_INBOUND_IN_CALL_TIME_PER_USER: [
    'inbound_calls',
    'inbound_in_call_time',
    'average_inbound_in_call_time',
  ],
  USER_ACTIVITY_AVERAGE_OUTBOUND_IN_CALL_TIME_PER_USER: [
    'outbound_calls',
    'outbound_in_call_time',
    'average_outbound_in_call_time',
  ],
  USER_ACTIVITY_CALL_VOLUME_AND_TIME: [
    'inbound_calls',
    'outbound_calls',
    'total_calls',
    'inbound_in_call_time',
    'outbound_in_call_time',
    'total_in_call_time',
  ],
  USER_ACTIVITY_CALLS_HANDLED: [
    'inbound_answered',
    'outbound_answered',
    'outbound_unanswered',
    'transfers_received',
    'transfers_made',
    'total_handled',
  ],
  USER_ACTIVITY_PERCENTAGE_OF_TIME_IN_EACH_STATUS: [
    'available_percent',
    'in_call_percent',
    'after_call_work_percent',
    'do_not_disturb_percent',
    'offline_percent',
  ],
  USER_ACTIVITY_RINGING_ATTEMPTS_PER_USER: [
    'ring_attempts',
    'answered',
    'declined',
    'not_answered',
    'cancelled',
    'answered_percent',
    'average_ring_time',
  ],
  USER_ACTIVITY_WORK_TIME_AND_AVAILABILITY: [
    'first_connected_at',
    'last_disconnected_at',
    'connected_time',
    'work_time',
    'available_time',
    'availability_percent',
  ],
} as const

export type UserReport = keyof typeof perUser
export type ReportName = UserReport | 'CALLS_HISTORY' | 'USER_STATUS_HISTORY' | 'USER_ACTIVITY_RINGING_ATTEMPTS'

const perFact = {
  CALLS_HISTORY: [
    'call_id',
    'direction',
    'started_at',
    'answered_at',
    'ended_at',
    'duration',
    'number_id',
    'number_name',
    'external_number',
    'user_id',
    'user_name',
    'team_names',
    'answered',
    'missed_call_reason',
    'voicemail',
    'tags',
    'waiting_time',
    'talk_time',
    'ivr_branches',
    'ai_voice_agent_ids',
    'within_sla',
  ],
  USER_STATUS_HISTORY: [
    'user_id',
    'user_name',
    'team_names',
    'status',
    'reason',
    'started_at',
    'ended_at',
    'duration',
    'next_status',
  ],
  USER_ACTIVITY_RINGING_ATTEMPTS: [
    'call_id',
    'origin',
    'user_id',
    'user_name',
    'team_names',
    'number_id',
    'number_name',
    'external_number',
    'started_at',
    'ended_at',
    'ring_time',
    'outcome',
  ],
} as const

export const reportNames = [
  'CALLS_HISTORY',
  'USER_STATUS_HISTORY',
  'USER_ACTIVITY_AVAILABILITY_BREAKDOWN',
  'USER_ACTIVITY_AVERAGE_AFTER_CALL_WORK_TIME_PER_USER',
  'USER_ACTIVITY_AVERAGE_INBOUND_IN_CALL_TIME_PER_USER',
  'USER_ACTIVITY_AVERAGE_OUTBOUND_IN_CALL_TIME_PER_USER',
  'USER_ACTIVITY_CALL_VOLUME_AND_TIME',
  'USER_ACTIVITY_CALLS_HANDLED',
  'USER_ACTIVITY_PERCENTAGE_OF_TIME_IN_EACH_STATUS',
  'USER_ACTIVITY_RINGING_ATTEMPTS_PER_USER',
  'USER_ACTIVITY_WORK_TIME_AND_AVAILABILITY',
  'USER_ACTIVITY_RINGING_ATTEMPTS',
] as const satisfies readonly ReportName[]

export const isUserReport = (name: ReportName): name is UserReport => Object.hasOwn(perUser, name)

export const columnsOf = (name: ReportName): readonly string[] =>
  isUserReport(name) ? [...ofUser, ...perUser[name]] : perFact[name]

/** Source of the rows of a report. */
export function sourceOf(name: UserReport): 'statuses' | 'calls' | 'rings' {
  switch (name) {
    case 'USER_ACTIVITY_AVAILABILITY_BREAKDOWN':
    case 'USER_ACTIVITY_PERCENTAGE_OF_TIME_IN_EACH_STATUS':
    case 'USER_ACTIVITY_WORK_TIME_AND_AVAILABILITY':
    case 'USER_ACTIVITY_AVERAGE_AFTER_CALL_WORK_TIME_PER_USER':
      return 'statuses'
    case 'USER_ACTIVITY_RINGING_ATTEMPTS_PER_USER':
      return 'rings'
    default:
      return 'calls'
  }
}
