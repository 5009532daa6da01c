import type { RingPurpose } from '../services.ts'

// Every message between the server and a phone app: JSON text frames. Types only, so that web apps may import them.

export type ServerMessage =
  /** Always the first. */
  | {
      type: 'hello'
      session: string
      user_id: number
      /** Events after this place in the log follow. */
      position: number
      presence: string
      calls: CallAtPhone[]
    }
  | { type: 'ring'; key: string; call_id: number | null; from: string; number_id: number | null; purpose: RingPurpose }
  | {
      type: 'ring_stop'
      key: string
      call_id: number | null
      why: 'answered_elsewhere' | 'cancelled' | 'timeout'
    }
  | { type: 'call'; key: string; call_id: number | null; state: string; [more: string]: unknown }
  /** Only to the session that offered. */
  | { type: 'sdp_answer'; key: string; session: string; sdp_answer: string | null }
  | { type: 'insight_card'; call_id: number; contents: unknown[] }
  | { type: 'dial'; to: string }
  | { type: 'presence'; availability: string }
  | { type: 'dialer_campaign' }
  /** `data` is what a webhook would get. */
  | { type: 'event'; position: number; name: string; data: unknown }
  | Answer

/** A call the user is on or is rung by. */
export interface CallAtPhone {
  key: string
  call_id: number | null
  state: 'ringing' | 'on_call'
  direction: 'inbound' | 'outbound' | null
  /** The outside party; null for an internal call. */
  external: string | null
  number_id: number | null
}

/** To each request that had an id; `id` is null when it could not be read. */
export type Answer =
  | { type: 'reply'; id: number | null; ok: true; key?: string; call_id?: number | null }
  | { type: 'reply'; id: number | null; ok: false; why: string }

/** `key` is needed only by somebody with more than one call. */
export type ClientMessage = { id?: number } & (
  | { type: 'answer'; key?: string; sdp_offer?: string }
  | { type: PlainRequest; key?: string }
  | { type: 'send_digits'; key?: string; digits: string }
  | { type: 'transfer'; key?: string; to: Target; strategy?: 'simultaneous' | 'random' | 'longest_idle' }
  | { type: 'consult'; key?: string; to: Target }
  | { type: 'add_participant'; key?: string; to: Omit<Target, 'team_id'> }
  | { type: 'comment'; key?: string; content: string }
  /** Without `number_id` from the user's default Number; an extension is an internal call. */
  | { type: 'dial'; to: string; number_id?: number; sdp_offer?: string }
  /** Somebody uses this session: what goes to one only comes here. */
  | { type: 'active' }
)

export type PlainRequest =
  | 'decline'
  | 'hang_up'
  | 'hold'
  | 'unhold'
  | 'mute'
  | 'unmute'
  | 'complete_transfer'
  | 'pause_recording'
  | 'resume_recording'

/** Exactly one of them. */
export interface Target {
  user_id?: number
  team_id?: number
  /** E.164 */
  number?: string
}
