import type { DialogState, Next } from '../ai-agent/dialog.ts'
import type { AgentLanguage } from '../ai-agent/plan.ts'
import type { Context } from '../ai-agent/variables.ts'
import type { Granular } from '../availability.ts'
import type { CallerIdVerification } from '../caller-id.ts'
import type { Strategy, Target } from '../flow/document.ts'
import type { DialOrigin } from '../toll.ts'
import type { EndReason, LegId, VoiceFactOf } from '../voice.ts'
import type { CallCommand, SuperviseMode } from './commands.ts'
import type { MergedParties } from './merge.ts'
import type { CallRecord, HangupCause, MissedReason } from './record.ts'
import type { NumberFacts, RecordingConsent, RecordingNotice, RungLeg, TimerName, VoiceAgentSession } from './state.ts'
import type { VoiceAgentSetup } from './voice-agent-session.ts'

/** An input of the call machine. The time is part of it: the machine has no clock and no source of randomness. */
export type CallMachineEvent = { at: number } & CallInput

export type CallInput =
  /** `leg`: the device that places the call. */
  | { kind: 'begin'; sdpOffer?: string; session?: string; leg?: LegId }
  | { kind: 'timer'; name: TimerName }
  | { kind: 'command'; command: CallCommand }
  | { kind: 'engine.restarted' }
  /** Another process has taken over the call with its legs; the speech services of the previous one have ended. */
  | { kind: 'engine.resumed' }
  // reported by a voice driver: legs unchanged, playback and recordings in terms of the call
  | LegEvent
  /** Playback to the customer has ended, or was interrupted after `said`. */
  | { kind: 'play.ended'; sound: number; failed?: true }
  | { kind: 'play.cut'; sound: number; said: string }
  /** The process that synthesized the speech has ended. */
  | { kind: 'play.lost'; sound: number; said: string }
  | { kind: 'record.started'; what: 'recording' | 'voicemail'; recId: string }
  | { kind: 'record.failed'; what: 'recording' | 'voicemail' }
  | { kind: 'record.ended'; recId: string; what: 'recording' | 'voicemail'; file: string; ms: number }
  // results of effects
  | { kind: 'dialled'; role: DialRole; to: string; leg: LegId }
  | { kind: 'dial.failed'; role: DialRole; to: string }
  | { kind: 'agent.attached'; userId: number; leg: LegId }
  /** A device or the mobile number of a rung user is being called. */
  | { kind: 'ring.dialled'; userId: number; leg: LegId; via: RungLeg['via']; prompt?: string }
  /** After all `ring.dialled`: the user has no phone app open. */
  | { kind: 'ring.noApp'; userId: number }
  | { kind: 'agent.lost'; userId: number }
  /** Parties of another call of the agent, which has ended. */
  | { kind: 'merged'; by: number; parties: MergedParties }
  // answers to queries of the machine
  | { kind: 'agents.found'; people: readonly Found[]; considered: readonly Considered[]; consultation: boolean }
  | { kind: 'position'; place: number }
  | { kind: 'number.entered'; number: NumberFacts }
  | { kind: 'number.missing' }
  | ({ kind: 'voiceAgent.ready' } & VoiceAgentSetup)
  | { kind: 'voiceAgent.unavailable' }
  /** Data about the caller, empty if there is none. */
  | { kind: 'voiceAgent.context'; session: string; context: Context }
  // results of the language model, and failures of speech services
  | { kind: 'llm.sentence'; requestId: number; text: string }
  | { kind: 'llm.done'; requestId: number; talk: DialogState; after: Next }
  | { kind: 'voiceAgent.failed'; service: SpeechService; requestId?: number }
  /** An agent the caller waits for is available and reserved for this call. */
  | { kind: 'agent.free'; userId: number; teamId: number | null }

/** Events of legs that the machine handles. */
type LegEvent = VoiceFactOf<
  | 'leg.dialog'
  | 'leg.answered'
  | 'leg.progress'
  | 'leg.remoteHold'
  | 'leg.ended'
  | 'leg.dtmf'
  | 'leg.speechStarted'
  | 'leg.speechContinued'
  | 'leg.utterance'
>

/** Speech services of an AI voice agent. */
export type SpeechService = 'tts' | 'stt' | 'llm'

/**
 * Role of a dialled leg: the customer of an outbound call, the target of a forward, or a consulted or invited party.
 */
export type DialRole = 'customer' | 'forwarded' | 'consultation'

export interface Found {
  userId: number
  teamId: number | null
}

/** A user evaluated by routing, and the result. */
export interface Considered {
  userId: number
  availability: Granular
  /** Another call rings on the user. */
  reserved: boolean
  sinceMs: number
  rung: boolean
}

/** Why a user is rung; internal calls have no origin. */
export type RingOrigin = 'RING_TO' | 'TRANSFER' | 'CALLBACK' | 'ESCALATION'

export type RingOutcome = 'answered' | 'declined' | 'no_answer' | 'cancelled'

export type CallEventName =
  | 'created'
  | 'ringing_on_agent'
  | 'agent_declined'
  | 'answered'
  | 'transferred'
  | 'external_transferred'
  | 'unsuccessful_transfer'
  | 'hungup'
  | 'assigned'
  | 'hold'
  | 'unhold'
  | 'ivr_option_selected'

export type VoiceAgentEvent = 'started' | 'escalated' | 'ended' | 'summary'

/**
 * Everything a step of the machine requests. Persist effects are written in the transaction of the state; driver
 * commands run after its commit.
 */
export type Effect = PersistEffect | DriverCommand

export type PersistEffect =
  | {
      kind: 'publish'
      event: CallEventName
      record: CallRecord
      userId?: number
      external?: { to: string; caller: string }
    }
  | { kind: 'trace'; entry: TraceEntry }
  /** A query: answered within the same step. */
  | {
      kind: 'find.agents'
      targets: readonly Target[]
      strategy: Strategy
      max: number
      except: readonly number[]
      consultation: boolean
    }
  | { kind: 'query.position' }
  | { kind: 'query.number'; numberId: number }
  | { kind: 'query.voiceAgent'; agentId: string }
  | { kind: 'voiceAgent'; event: VoiceAgentEvent; voiceAgent: VoiceAgentSession }
  | { kind: 'ring.started'; userId: number; teamId: number | null; origin: RingOrigin | null }
  | { kind: 'ring.ended'; userId: number; outcome: RingOutcome }
  /** The user was reserved for this call but is not needed. */
  | { kind: 'release'; userId: number }
  /** A consulted user is on the phone, but is not a party of the call. */
  | { kind: 'joined'; userId: number; consultation?: true }
  /** A consulted user has no wrap-up. */
  | { kind: 'left'; userId: number; consultation?: true }
  /** The user has transferred the call; the user has received it. */
  | { kind: 'transfer.sent'; userId: number }
  | { kind: 'transfer.received'; userId: number }
  | { kind: 'queue.enter'; targets: readonly Target[]; rank: number; enteredAt: number }
  | { kind: 'queue.accepting'; accepting: boolean }
  | { kind: 'queue.leave' }
  | { kind: 'callback.requested'; params: CallbackParams; record: CallRecord }
  | { kind: 'ended'; notes: readonly { by: number; content: string }[] }
  | { kind: 'recording.save'; what: 'recording' | 'voicemail'; file: string; ms: number }
  | { kind: 'recording.consent'; result: RecordingConsent }

export interface CallbackParams {
  phone: string
  numberId: number
  targets: readonly Target[]
  rank: number
  enteredAt: number
  attempts: number
  retrySeconds: number
  expiresSeconds: number
}

export type DriverCommand =
  | {
      kind: 'ring'
      userId: number
      purpose: 'inbound' | 'transfer' | 'consult' | 'conference' | 'internal'
      /** Where legs outlive the process: ids of the legs to devices of the user start with it. */
      legs?: string
    }
  | { kind: 'ring.stop'; userId: number; why: 'answered_elsewhere' | 'cancelled' | 'timeout' }
  /** `failure`: why the call could not be completed. `to`: the call in which it continues. */
  | { kind: 'show'; userId: number; state: string; failure?: string; to?: string }
  | { kind: 'card'; userId: number; contents: readonly unknown[] }
  | { kind: 'attach'; userId: number; sdpOffer: string; session?: string }
  | { kind: 'leg.ringing'; leg: LegId }
  | { kind: 'leg.answer'; leg: LegId }
  | { kind: 'leg.hangup'; leg: LegId; reason: EndReason | 'answered_elsewhere' }
  /** Early media towards a device that places a call: it hears ringback. */
  | { kind: 'leg.early'; leg: LegId }
  /** `from` is the caller ID, `line` the company's own number behind it. */
  | {
      kind: 'dial'
      role: DialRole
      /** Assigned by the engine, so that the command can be repeated. */
      leg?: LegId
      to: string
      from: string
      line: string
      userId: number | null
      origin: DialOrigin
      timeoutMs: number
    }
  | {
      kind: 'play'
      leg: LegId
      sound: number
      media: readonly string[]
      loop: boolean
      bargeInOn?: string
      speaker?: string
    }
  | { kind: 'play.stop'; leg: LegId }
  /** Starts speech-to-text for the leg, where the driver delivers no text. */
  | { kind: 'stt.start'; leg: LegId; language: AgentLanguage; hangoverMs: number }
  | { kind: 'stt.stop'; leg: LegId }
  /** Sends a request to the language model. */
  | { kind: 'llm.request'; requestId: number; voiceAgent: VoiceAgentSession }
  | { kind: 'llm.cancel' }
  /** Requests data about the caller from a server of the company. */
  | { kind: 'voiceAgent.fetchContext'; voiceAgent: VoiceAgentSession }
  | { kind: 'join'; room: 'main' | 'consultation'; leg: LegId; listenOnly?: true; whisperTo?: readonly LegId[] }
  | { kind: 'mute'; leg: LegId; muted: boolean }
  | { kind: 'digits'; leg: LegId; digits: string }
  /** `recId` is assigned by the engine. */
  | { kind: 'record'; what: 'recording'; recId?: string }
  | { kind: 'record'; what: 'voicemail'; recId?: string; leg: LegId; maxSeconds: number; silenceSeconds: number }
  | { kind: 'record.pause' | 'record.resume' | 'record.stop'; recId: string }
  | { kind: 'rooms.close' }
  /** The legs continue in another call of this process. */
  | { kind: 'hand_over'; to: string; by: number; parties: MergedParties }

const driverCommandKinds = new Set<Effect['kind']>([
  'ring',
  'ring.stop',
  'show',
  'card',
  'attach',
  'leg.ringing',
  'leg.answer',
  'leg.hangup',
  'leg.early',
  'dial',
  'play',
  'play.stop',
  'stt.start',
  'stt.stop',
  'llm.request',
  'llm.cancel',
  'voiceAgent.fetchContext',
  'join',
  'mute',
  'digits',
  'record',
  'record.pause',
  'record.resume',
  'record.stop',
  'rooms.close',
  'hand_over',
])

export const isDriverCommand = (effect: Effect): effect is DriverCommand => driverCommandKinds.has(effect.kind)
export const isPersistEffect = (effect: Effect): effect is PersistEffect => !isDriverCommand(effect)

/** Routing details of a call. */
export type TraceEntry =
  | { kind: 'widget'; node: string; type: string; name: string | null; number_id: number }
  | { kind: 'time_rule'; node: string; open: boolean }
  | { kind: 'menu'; node: string; key: string; title: string }
  | { kind: 'ring'; node: string | null; purpose: string; strategy: string; targets: readonly Target[] }
  /** All evaluated users, with their availability and its duration. */
  | { kind: 'considered'; people: readonly ConsideredEntry[] }
  | { kind: 'rang'; user_id: number; outcome: RingOutcome; seconds: number }
  | { kind: 'queue'; waits_until: number }
  | { kind: 'answered'; user_id: number | null }
  | { kind: 'transfer'; by: number | null; to: string; id: number | null; strategy: string | null }
  | { kind: 'no_answer'; node: string | null; goes_to: string | null }
  | { kind: 'callback'; node: string }
  | { kind: 'ai_agent'; node: string | null; agent_id: string; name: string }
  | { kind: 'escalated'; reason: string; to: string; destination: string }
  /** The callee of an AI agent is a voicemail. */
  | { kind: 'voicemail_detected'; agent_id: string }
  /** A provisional SIP response, 180 to 183, to an outbound call. */
  | { kind: 'progress'; code: number; early_media: boolean }
  /** STIR/SHAKEN: what the carrier reports about the caller ID of an inbound call. */
  | ({ kind: 'caller_id' } & CallerIdVerification)
  /** The far end put the call on hold, or resumed it. */
  | { kind: 'remote_hold'; held: boolean }
  /** A supervisor listens, whispers or barges in; null: has stopped before the end of the call. */
  | { kind: 'supervised'; by: number; mode: SuperviseMode | null }
  /** The customer heard the recording announcement. */
  | { kind: 'recording_notice'; mode: RecordingNotice['mode']; result: RecordingConsent }
  | {
      kind: 'ended'
      cause: HangupCause
      missed_call_reason: MissedReason | null
      /** Outbound calls that were not answered: the final SIP response, if any, and its meaning. */
      sip_code?: number | null
      failure?: string
    }

export interface ConsideredEntry {
  user_id: number
  availability: Granular
  since_seconds: number
  /** Another call rang on the user. */
  reserved: boolean
  rung: boolean
}
