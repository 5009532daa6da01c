// The state of a call: plain, serializable data.
//
//   inbound ──► widget ⇄ ringing ──► talking ──► done          widget: the flow, before a phone rings
//                 │         ▲          │  ▲
//                 │         └ transfer ┘  │                    ringing: a ring step, or the target of a transfer
//                 └─────► forwarded ◄─────┤                    forwarded: to an external number
//   outbound ─► dialling ─────────────────┘                    voiceAgent: an AI voice agent talks to the customer
//                                                              notice: the recording announcement is played
//                                                              every phase may end in done
import type { DialogState, Next } from '../ai-agent/dialog.ts'
import type { AgentPlayback } from '../ai-agent/heard.ts'
import type { AgentPlan, EscalationTarget } from '../ai-agent/plan.ts'
import type { CallerIdVerification } from '../caller-id.ts'
import type { Flow, Strategy, Target } from '../flow/document.ts'
import type { LegId } from '../voice.ts'
import type { SuperviseMode, TransferDestination } from './commands.ts'
import type { CallbackParams } from './events.ts'
import type { CallRecord } from './record.ts'

export interface CallState {
  /** The call's uuid. */
  key: string
  companyId: number
  /** Null for an internal call, which is not visible in the API. */
  callId: number | null
  record: CallRecord
  /** Simulated parties, or a real line with media. */
  line: 'simulated' | 'real'
  /** Speech services available to AI voice agents on this call. */
  speech: Speech
  /** The Number the call is on, with the version of the flow it entered; null for an internal call. */
  number: NumberFacts | null
  phase: CallPhase
  /** Due times. A timer that is not listed has been cancelled. */
  timers: { readonly [T in TimerName]?: number }
  /** The external party. */
  customer: Customer
  /** Users on the call, in the order in which they joined. */
  agents: readonly Agent[]
  /** Users who listen to the call. */
  supervisors: readonly Supervisor[]
  /** Identifies the SIP dialog of an external leg, so that it can be ended after a crash. */
  dialogs: Readonly<Record<LegId, string>>
  /** Additional external parties of a conference. */
  guests: readonly Guest[]
  /** The AI voice agent that talks to the customer. */
  voiceAgent: VoiceAgentSession | null
  /** The AI voice agent escalated the call, and no agent has answered yet. */
  escalated: boolean
  /** Set when an AI voice agent places the call. */
  outboundVoiceAgent: OutboundVoiceAgent | null
  /** A party consulted or invited apart from the conversation: one at a time. */
  consultation: Consultation | null
  /** Audio and options of a waiting caller. */
  waiting: WaitingRoom
  /** Callback to be created when the call ends. */
  callback: CallbackParams | null
  /** The ring step the call came from: where an unanswered transfer continues. */
  ringNode: string | null
  recording: Recording
  /** Result of the recording announcement, and the announcement that the customer heard. */
  recordingConsent?: RecordingConsent
  noticeGiven?: RecordingNotice['mode']
  /** Input for the missed-call reason. */
  seen: { ringStep: boolean; agentRung: boolean; otherwise: boolean }
  /** Guard against loops in flows. */
  entered: number
  passes: number
  /** Sequence number of the current playback: the end of an earlier one is ignored. */
  sound: number
  notes: readonly { by: number; content: string }[]
  /** Insight cards of the call, oldest first: agents rung later receive them as well. */
  cards: readonly InsightCard[]
}

/** The contents of a card, as received by the API. */
export type InsightCard = readonly unknown[]

/** Speech services available on the call. Stored: the field names are kept for compatibility. */
export interface Speech {
  /** Speech-to-text and text-to-speech are available. */
  talks: boolean
  /** Languages of speech-to-text; all unless set. */
  hears?: readonly string[]
  /** A language model is available. */
  thinks: boolean
}

export interface NumberFacts {
  id: number
  digits: string
  timeZone: string
  recording: boolean
  priority: number | null
  flow: Flow
  ringSimultaneousMs: number
  ringOneByOneMs: number
  musicOnHold: string | null
  /** The announcement before a recording. */
  recordingNotice?: RecordingNotice
}

/**
 * `opt_out`: the customer may press the key not to be recorded. `consent`: recorded only if the customer presses the key.
 */
export interface RecordingNotice {
  mode: 'announce' | 'opt_out' | 'consent'
  /** Null: the prompt cannot be played, so nothing is recorded. */
  media: string | null
  key: string
  /** Also played to customers who are called. */
  outbound: boolean
}

/** `no_response`: consent is required and no key was pressed. `failed`: the announcement could not be played. */
export const recordingConsents = ['announced', 'consented', 'declined', 'no_response', 'failed'] as const
export type RecordingConsent = (typeof recordingConsents)[number]

export type TimerName =
  | 'ring'
  | 'retry'
  | 'deadline'
  | 'menu'
  | 'wait'
  | 'announce'
  | 'consultation'
  | 'sound'
  | 'voiceAgent'
  | 'voiceAgentLimit'
  | 'notice'

export interface Customer {
  leg: LegId | null
  /** The leg is answered: playback is audible. */
  open: boolean
  /** The far end has put the call on hold. */
  holds?: boolean
  /** STIR/SHAKEN, if the carrier reports it. */
  callerId?: CallerIdVerification
  /** The number of a merged party that continues the call after the caller has left. */
  phone?: string
}

/** `merged`: the party of another call of the agent; the call goes on with it when the caller leaves. */
export interface Guest {
  leg: LegId
  phone: string
  merged?: true
}

export interface Agent {
  userId: number
  /** Null until the browser has joined, and while it is expected to reconnect. */
  leg: LegId | null
  muted?: boolean
  /** Media was lost; a page reload reconnects with a new leg. */
  lost?: boolean
  /** The leg is a SIP device or a mobile number, not a browser. */
  device?: true
  /** The device placed the call: it is answered when the other party answers. */
  unanswered?: true
}

/** A user who listens to the call without being a party of it. */
export interface Supervisor {
  userId: number
  leg: LegId | null
  mode: SuperviseMode
}

export interface WaitingRoom {
  media: string | null
  announceEveryMs: number | null
  /** The widget that creates the callback. */
  callbackNode: string | null
  /** Start of the wait: the position in the queue. */
  since: number | null
}

/** `waits`: paused until an agent answers a call that an AI voice agent has escalated, or the hold ends. */
export type Recording = { kind: 'off' } | { kind: 'on' | 'paused'; recId: string | null; waits?: true }

export type CallPhase =
  | { kind: 'widget'; node: string; activity: WidgetActivity }
  | { kind: 'ringing'; ring: Ring }
  /** `tone`: the agent hears ringback. `early`: the agent hears early media. */
  | { kind: 'dialling'; progress?: 'tone' | 'early' }
  /** `heldBy`: the agent who holds an internal call; the others hear music. */
  | { kind: 'talking'; held: boolean; heldBy?: number }
  | { kind: 'voiceAgent' }
  /** The customer hears the recording announcement. */
  | {
      kind: 'notice'
      mode: RecordingNotice['mode']
      key: string
      then: { kind: 'node'; node: string } | { kind: 'connect' } | { kind: 'voiceAgent' }
    }
  | { kind: 'forwarded'; phone: string; leg: LegId | null; joined: boolean; node: string | null }
  | { kind: 'done' }

/** What a widget is waiting for. */
export type WidgetActivity =
  | { kind: 'playing' }
  /** `invalidKeys`: when the first and the last invalid key of the current attempt were pressed. */
  | {
      kind: 'menu'
      tries: number
      shownAt: number
      listening: boolean
      invalidKeys?: { firstAt: number; lastAt: number }
    }
  | { kind: 'waiting' }
  | { kind: 'greeting' }
  | { kind: 'voicemail'; recId: string | null }
  | { kind: 'farewell' }
  /** Waiting for the data of another Number, or of an AI voice agent. */
  | { kind: 'moving' }

export interface Ring {
  purpose: 'flow' | 'transfer' | 'internal'
  node: string | null
  targets: readonly Target[]
  strategy: Strategy
  ringMs: number
  /** End of the wait in the queue; null: a single round of ringing. */
  deadline: number | null
  enteredAt: number
  /** Ringing now. */
  rung: readonly Rung[]
  /** Users who must not be rung: the one who transferred the call. */
  except: readonly number[]
  /** Users who declined or did not answer, and when. */
  tried: Readonly<Record<number, number>>
}

export interface Rung {
  userId: number
  teamId: number | null
  since: number
  /** Devices and a mobile number that ring beside the phone app. */
  legs?: readonly RungLeg[]
  /** No phone app is open. */
  noApp?: true
}

export interface RungLeg {
  leg: LegId
  via: 'device' | 'mobile'
  /** What the user hears at the mobile number. */
  prompt?: string
}

export interface Consultation {
  purpose: 'consult' | 'conference'
  by: number
  to: TransferDestination
  firstUserId: number | null
  rung: readonly Rung[]
  /** The leg of an external party. */
  leg: LegId | null
  /** Has answered; `userId` is set for a user. */
  joined: boolean
  userId: number | null
  /** The leg of the user is a device. */
  device?: true
  /** The second call of a device, from which the agent consults; unanswered until the other party answers. */
  byLeg?: LegId
  byUnanswered?: true
  /** Did not answer, was not available, or has hung up. */
  failed: boolean
  /** No phone of the destination could be rung. */
  neverRung?: true
  /** What the consulting agent hears until the other party answers: ringback, or early media. */
  progress?: 'tone' | 'early'
}

export type VoiceAgentEndReason = 'answered' | 'escalated' | 'disconnected' | 'caller_hung_up'

export interface VoiceAgentSession {
  session: string
  plan: AgentPlan
  firstUserId: number | null
  firstOfTeams?: Readonly<Record<number, number | null>>
  /** The widget; null for a call that the agent placed. */
  node: string | null
  numberId: number
  startedAt: number
  endedAt: number | null
  endReason: VoiceAgentEndReason | null
  escalation: { reason: string; target: { type: EscalationTarget['type']; destination: string } } | null
  talk: DialogState
  /** What follows the current playback; null: nothing is playing. */
  next: Next | { kind: 'more' } | null
  /** LLM mode: the current request, queued sentences, and what follows the last one. */
  llm: {
    requestId: number
    /** Absent before the first request. */
    requestedAt?: number
    isPending: boolean
    queue: readonly string[]
    after: Next | null
  }
  /** The agent could not continue and has said so. */
  failed: boolean
  /** Silence that separates two pieces of the caller's speech. */
  patienceMs: number
  /** Absent in sessions of earlier releases. */
  floor?: Floor
  /** Data about the caller is requested; the agent has not greeted yet. */
  awaitsContext?: true
  /** Keys pressed so far. */
  keys: string
  turns: readonly VoiceAgentTurn[]
}

/** Turn-taking between the caller and the agent. */
export interface Floor {
  /** What the caller has said in the open turn. */
  text: string
  /** Start of the open turn; null: the caller has said nothing. */
  startedAt: number | null
  /** The caller spoke before the open question could be heard. */
  isUnheard: boolean
  /** Speech whose words are not known yet. */
  speakingSince: number | null
  /** `continues`: the caller resumed the last turn; `interrupts`: the caller spoke over the agent. */
  held: 'continues' | 'interrupts' | null
  /** The caller was cut off: the agent finishes its sentence. */
  isFirm: boolean
  playback: AgentPlayback | null
  /** The last turn of the caller, and the conversation before it. */
  last: {
    text: string
    startedAt: number
    isUnheard: boolean
    talk: DialogState
    /** Number of turns. */
    turns: number
    /** When the agent started to reply; null: not yet. */
    repliedAt: number | null
  } | null
}

export interface VoiceAgentTurn {
  by: 'agent' | 'caller'
  text: string
  at: number
  /** Sequence number of the playback, until it has ended. */
  sound?: number
  /** The agent did not understand the caller. */
  misunderstood?: true
}

/** An outbound call of an AI voice agent. */
export interface OutboundVoiceAgent {
  id: string
  session: string
  plan: AgentPlan
  firstUserId: number | null
  firstOfTeams?: Readonly<Record<number, number | null>>
  /** The callee is a voicemail. */
  isVoicemail?: true
}

export const emptyWaitingRoom: WaitingRoom = { media: null, announceEveryMs: null, callbackNode: null, since: null }

export const isDone = (call: CallState) => call.phase.kind === 'done'

/** All users who are currently rung by the call. */
export function rungBy(call: CallState): readonly Rung[] {
  const ring = call.phase.kind === 'ringing' ? call.phase.ring.rung : []
  return call.consultation ? [...ring, ...call.consultation.rung] : ring
}
