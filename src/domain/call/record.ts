/** The public record of a call, saved after every step. Times are ms of product time. */
export interface CallRecord {
  direction: 'inbound' | 'outbound'
  /** The Number the call is currently on. */
  numberId: number
  /** The outside party: E.164, or `anonymous`. */
  external: string
  startedAt: number
  answeredAt: number | null
  endedAt: number | null
  missedReason: MissedReason | null
  hangupCause: HangupCause | null
  /** The user who answered or placed the call. */
  userId: number | null
  assignedTo: number | null
  transferredBy: number | null
  transferredTo: number | null
  transferredOut: boolean
  teamIds: readonly number[]
  /** In the order in which they joined. */
  participants: readonly CallParticipant[]
  ivrOptions: readonly IvrChoice[]
  /** The call that requested this callback. */
  callbackOf: number | null
}

export const missedReasons = [
  'out_of_opening_hours',
  'short_abandoned',
  'abandoned_in_ivr',
  'abandoned_in_classic',
  'no_available_agent',
  'agents_did_not_answer',
] as const
export type MissedReason = (typeof missedReasons)[number]

/** As shown to users. */
export const missedReasonLabels: Record<MissedReason, string> = {
  out_of_opening_hours: 'After hours',
  short_abandoned: 'Abandoned (short)',
  abandoned_in_ivr: 'Abandoned in IVR',
  abandoned_in_classic: 'Abandoned in queue',
  no_available_agent: 'No agents available',
  agents_did_not_answer: 'Missed: no answer',
}

/** Q.850 cause names for the results of SIP and telephone networks; `failure` where no better one is known. */
export type HangupCause =
  | 'normal_clearing'
  | 'user_busy'
  | 'no_answer'
  | 'call_rejected'
  | 'unallocated_number'
  | 'invalid_number_format'
  | 'incompatible_destination'
  | 'service_unavailable'
  | 'failure'

/** External parties are stored by number; contact names are resolved on read. */
export type CallParticipant = { kind: 'user'; userId: number } | { kind: 'external'; phone: string }

export interface IvrChoice {
  id: string
  title: string
  /** `fallback` for no or invalid input. */
  key: string
  /** Name of the next node. */
  branch: string | null
  createdAt: number
  /** Playback of the options started. */
  shownAt: number
  takenAt: number
}

export type CallStatus = 'initial' | 'answered' | 'done'

/** Derived, never stored: so it cannot go backwards. */
export function statusOf({ answeredAt, endedAt }: Pick<CallRecord, 'answeredAt' | 'endedAt'>): CallStatus {
  if (endedAt !== null) return 'done'
  return answeredAt === null ? 'initial' : 'answered'
}

/** The record of a call that has just started. */
export const newRecord = (direction: CallRecord['direction'], at: number): CallRecord => ({
  direction,
  numberId: 0,
  external: '',
  startedAt: at,
  answeredAt: null,
  endedAt: null,
  missedReason: null,
  hangupCause: null,
  userId: null,
  assignedTo: null,
  transferredBy: null,
  transferredTo: null,
  transferredOut: false,
  teamIds: [],
  participants: [],
  ivrOptions: [],
  callbackOf: null,
})
