import type { UtteranceShown } from '../features/intelligence/realtime/view.ts'
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
      /** UNIX seconds of the service: in a sandbox people wind its clock. */
      now: number
      calls: CallShown[]
      /** For the sound of calls over real lines: servers that help through firewalls. */
      ice_servers: IceServer[]
      /** What a call dialled now goes over: with a real line an offer goes along. */
      voice: 'simulated' | 'real'
      /** Whether a line carries emergency calls. */
      emergency: boolean
    }
  | {
      type: 'ring'
      key: string
      call_id: number | null
      from: string
      number_id: number | null
      purpose: RingPurpose
      /** With a real one an offer goes along with the answer. */
      line: 'simulated' | 'real'
    }
  | {
      type: 'ring_stop'
      key: string
      call_id: number | null
      why: 'answered_elsewhere' | 'cancelled' | 'timeout'
    }
  | { type: 'call'; key: string; call_id: number | null; state: string; [more: string]: unknown }
  /** Only to the session that offered. */
  | { type: 'sdp_answer'; key: string; session: string; sdp_answer: string | null }
  /** Somebody on a call that goes on has said something; to those on it, and to dashboards that may see all calls. */
  | { type: 'utterance'; call_id: number; utterance: UtteranceShown }
  /** Of the line to the other party, by the server's measurement: how its sound arrives there, and the agent's at the far end. */
  | { type: 'quality'; key: string; received: LineGrade; sent: LineGrade }
  | { type: 'insight_card'; call_id: number; contents: unknown[] }
  | { type: 'dial'; to: string }
  | { type: 'presence'; availability: string }
  | { type: 'dialer_campaign' }
  /** Something in a conversation of theirs is new: whoever shows it reads it again. */
  | { type: 'inbox'; conversation_id: string; what: 'received' | 'changed' }
  /** `data` is what a webhook would get. */
  | { type: 'event'; position: number; name: string; data: unknown }
  | Answer

export type LineGrade = 'good' | 'fair' | 'poor' | 'unknown'

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

/** The same with everything a phone app shows: whoever comes back in the middle of a call finds it as it was. */
export interface CallShown extends CallAtPhone {
  /** Why it rings; null for a call the user is on. */
  purpose: RingPurpose | null
  /** `dialling`: nobody has answered yet. `consulted`: the user was asked by a colleague, who may transfer the call. */
  phase: 'ringing' | 'dialling' | 'talking' | 'consulted'
  /** `real`: the app brings its sound, with `attach` unless it has offered already. */
  line: 'simulated' | 'real'
  /** Whether one of the user's phone apps has brought the sound. */
  sound: boolean
  held: boolean
  /** The far end has put the call on hold. */
  remote_hold: boolean
  muted: boolean
  recording: 'off' | 'on' | 'paused'
  /** UNIX seconds. */
  started_at: number
  answered_at: number | null
  /** The outside party as people write it, and whom it belongs to. */
  external_display: string | null
  contact: string | null
  number: { id: number; name: string; digits: string } | null
  /** What the caller chose last in a menu. */
  menu: string | null
  /** Others of the company who are on the call, and whom an internal call rings on. */
  people: Colleague[]
  /** Further outside parties, E.164. */
  guests: string[]
  /** Whoever transfers it, or asks. */
  given_by: Colleague | null
  /** Somebody the user asks before a transfer, or invites. */
  aside: { purpose: 'consult' | 'conference'; to: string; state: 'ringing' | 'joined' | 'failed' } | null
}

export interface IceServer {
  urls: string
  username: string
  credential: string
}

export interface Colleague {
  id: number
  name: string
}

/** To each request that had an id; `id` is null when it could not be read. */
export type Answer =
  | {
      type: 'reply'
      id: number | null
      ok: true
      key?: string
      call_id?: number | null
      now?: number
      calls?: CallShown[]
    }
  | { type: 'reply'; id: number | null; ok: false; why: string }

/** `key` is needed only by somebody with more than one call. */
export type ClientMessage = { id?: number } & (
  | { type: 'answer'; key?: string; sdp_offer?: string }
  | { type: PlainRequest; key?: string }
  /** The sound of somebody who is on the call already: after a reload, or for a call that others have started. */
  | { type: 'attach'; key?: string; sdp_offer: string }
  /** Supervisors and admins: hear a call of the company; null ends it. */
  | { type: 'supervise'; key: string; mode: 'listen' | 'whisper' | 'join' | null; sdp_offer?: string }
  | { type: 'send_digits'; key?: string; digits: string }
  | { type: 'transfer'; key?: string; to: Target; strategy?: 'simultaneous' | 'random' | 'longest_idle' }
  | { type: 'consult'; key?: string; to: Target }
  | { type: 'add_participant'; key?: string; to: Omit<Target, 'team_id'> }
  | { type: 'comment'; key?: string; content: string }
  /** Without `number_id` from the user's default Number; an extension is an internal call. */
  | { type: 'dial'; to: string; number_id?: number; sdp_offer?: string }
  /** The calls of the user as they are now, as in hello. */
  | { type: 'calls' }
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
