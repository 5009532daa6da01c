import type { RecordingConsent } from '../domain/call/state.ts'
import type { CallerIdVerification } from '../domain/caller-id.ts'
import type { SuggestionShown } from '../domain/intelligence/suggestions.ts'
import type { LineGrade } from '../domain/line-quality.ts'
import type { PushMessage } from '../domain/push-message.ts'
import type { UtteranceShown } from '../features/intelligence/realtime/view.ts'
import type { RingPurpose } from '../services.ts'

// All messages between the server and a phone app: JSON text frames. Types only, so that web apps may import them.

export type ServerMessage =
  /** Always the first message. */
  | {
      type: 'hello'
      session: string
      user_id: number
      /** Events after this log position follow. */
      position: number
      presence: string
      /** Product time in UNIX seconds: sandbox users may advance it. */
      now: number
      calls: CallShown[]
      /** STUN and TURN servers for the audio of real calls. */
      ice_servers: IceServer[]
      /** How a call dialled now is connected: `real` requires an SDP offer. */
      voice: 'simulated' | 'real'
      /** Whether a trunk carries emergency calls. */
      emergency: boolean
    }
  | {
      type: 'ring'
      key: string
      call_id: number | null
      from: string
      number_id: number | null
      purpose: RingPurpose
      /** `real` requires an SDP offer with the answer. */
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
  /**
   * A participant of an active call has spoken; sent to the users on the call, and to dashboards that see all calls.
   */
  | { type: 'utterance'; call_id: number; utterance: UtteranceShown }
  /** A passage of a document about what the customer has said; sent to the agents on the call. */
  | { type: 'suggestion'; call_id: number; suggestion: SuggestionShown }
  /** Quality of the connection to the other party as measured by the server: of the received and of the sent audio. */
  | { type: 'quality'; key: string; received: LineGrade; sent: LineGrade }
  | { type: 'insight_card'; call_id: number; contents: unknown[] }
  | { type: 'dial'; to: string }
  | { type: 'presence'; availability: string }
  /** A missed call or a voicemail: an app in the background shows a system notification. */
  | { type: 'notice'; notice: PushMessage }
  | { type: 'dialer_campaign' }
  /** A conversation with a colleague has changed: clients must read it again. `received`: the colleague has written. */
  | { type: 'direct_message'; user_id: number; what: 'received' | 'changed' }
  /** The to-do list of the user has changed: clients must read it again. */
  | { type: 'to_do' }
  /** A conversation of the user has changed: clients showing it must reload it. */
  | { type: 'inbox'; conversation_id: string; what: 'received' | 'changed' }
  /** `data` is the payload of the corresponding webhook. */
  | { type: 'event'; position: number; name: string; data: unknown }
  | ReplyMessage

/** A call that the user is on or that rings on the user's phone. */
export interface CallAtPhone {
  key: string
  call_id: number | null
  state: 'ringing' | 'on_call'
  direction: 'inbound' | 'outbound' | null
  /** The external party; null for an internal call. */
  external: string | null
  number_id: number | null
}

/** A call with everything a phone app displays, so that an app restores its view after a reload. */
export interface CallShown extends CallAtPhone {
  /** Reason it rings; null for a call the user is on. */
  purpose: RingPurpose | null
  /** `dialling`: not answered yet. `consulted`: a colleague consults the user before a transfer. */
  phase: 'ringing' | 'dialling' | 'talking' | 'consulted'
  /** `real`: the app connects its audio, with `attach` unless it has already sent an offer. */
  line: 'simulated' | 'real'
  /** Whether a phone app of the user has connected its audio. */
  sound: boolean
  held: boolean
  /** The far end, or a colleague on an internal call, has put the call on hold. */
  remote_hold: boolean
  /** STIR/SHAKEN: what the carrier reports about the caller ID of an inbound call. */
  caller_id?: CallerIdVerification | null
  muted: boolean
  recording: 'off' | 'on' | 'paused'
  /** Result of the recording announcement; `playing`: the other party is hearing it. */
  recording_consent?: RecordingConsent | 'playing' | null
  /** UNIX seconds. */
  started_at: number
  answered_at: number | null
  /** Formatted number of the external party, and its contact. */
  external_display: string | null
  contact: string | null
  number: { id: number; name: string; digits: string } | null
  /** The last menu option chosen by the caller. */
  menu: string | null
  /** Other users on the call, and targets of an internal call. */
  people: Colleague[]
  /** Further external parties, E.164. */
  guests: string[]
  /** The same, formatted. */
  guests_display?: string[]
  /** The user who transfers or consults. */
  given_by: Colleague | null
  /** A consultation before a transfer, or an added participant. */
  consultation: ConsultationShown | null
  /** The former name of `consultation`, sent for phone apps that were loaded from the previous release. */
  aside?: ConsultationShown | null
}

export interface ConsultationShown {
  purpose: 'consult' | 'conference'
  to: string
  state: 'ringing' | 'joined' | 'failed'
  /** Failed because no phone of the destination could be rung. */
  never_rung?: true
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

/** Response to a request with an id; `id` is null when it could not be read. */
export type ReplyMessage =
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

/** `key` is required only with more than one call. */
export type ClientMessage = { id?: number } & (
  | { type: 'answer'; key?: string; sdp_offer?: string }
  | { type: PlainRequest; key?: string }
  /** Connects the audio of a user who is already on the call: after a reload, or for a call started elsewhere. */
  | { type: 'attach'; key?: string; sdp_offer: string }
  /** Supervisors and admins: monitor a call of the company; null ends it. */
  | { type: 'supervise'; key: string; mode: 'listen' | 'whisper' | 'join' | null; sdp_offer?: string }
  | { type: 'send_digits'; key?: string; digits: string }
  | { type: 'transfer'; key?: string; to: DestinationFields; strategy?: 'simultaneous' | 'random' | 'longest_idle' }
  | { type: 'consult'; key?: string; to: DestinationFields }
  | { type: 'add_participant'; key?: string; to: Omit<DestinationFields, 'team_id'> }
  | { type: 'comment'; key?: string; content: string }
  /** Without `number_id` from the user's default Number; an extension is an internal call. */
  | { type: 'dial'; to: string; number_id?: number; sdp_offer?: string }
  /** Merges the user's two calls into a conference. */
  | { type: 'merge' }
  /** The current calls of the user, as in hello. */
  | { type: 'calls' }
  /** The user is active in this session: messages for a single session are sent here. */
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
export interface DestinationFields {
  user_id?: number
  team_id?: number
  /** E.164 */
  number?: string
}
