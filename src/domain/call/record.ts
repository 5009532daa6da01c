/** What the world may know of a call: the engine writes it down after every step. Times are ms of product time. */
export interface CallRecord {
  direction: 'inbound' | 'outbound'
  /** The Number the call is on at this moment. */
  numberId: number
  /** The outside party: E.164, or `anonymous`. */
  external: string
  startedAt: number
  answeredAt: number | null
  endedAt: number | null
  missedReason: MissedReason | null
  hangupCause: HangupCause | null
  /** Who took or made the call. */
  userId: number | null
  assignedTo: number | null
  transferredBy: number | null
  transferredTo: number | null
  transferredOut: boolean
  teamIds: readonly number[]
  /** In the order in which they joined. */
  participants: readonly Participant[]
  ivrOptions: readonly IvrChoice[]
  /** The call that asked to be called back. */
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

/** The names of Q.850 for what SIP and telephone networks report; `failure` where nothing better is known. */
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

/** A contact is an outside party somebody has saved: that is looked up when it is shown. */
export type Participant = { kind: 'user'; userId: number } | { kind: 'external'; phone: string }

export interface IvrChoice {
  id: string
  title: string
  /** `fallback` when the caller gave no or a wrong input. */
  key: string
  /** Name of the node it leads to. */
  branch: string | null
  createdAt: number
  /** The caller begins to hear the options. */
  shownAt: number
  takenAt: number
}

export type CallStatus = 'initial' | 'answered' | 'done'

/** Derived, never set: so it cannot go backwards. */
export function statusOf({ answeredAt, endedAt }: Pick<CallRecord, 'answeredAt' | 'endedAt'>): CallStatus {
  if (endedAt !== null) return 'done'
  return answeredAt === null ? 'initial' : 'answered'
}

/** A call of which nothing is known but that it began. */
export const blankRecord = (direction: CallRecord['direction'], at: number): CallRecord => ({
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
