import type { Next, Talk } from '../ai-agent/brain.ts'
import type { AgentLanguage } from '../ai-agent/plan.ts'
import type { Granular } from '../availability.ts'
import type { Strategy, Target } from '../flow/document.ts'
import type { DialOrigin } from '../toll.ts'
import type { EndReason, LegId } from '../voice.ts'
import type { AgentReady } from './agent-part.ts'
import type { CallCommand } from './commands.ts'
import type { CallRecord, HangupCause, MissedReason } from './record.ts'
import type { AgentPart, NumberFacts, TimerName } from './state.ts'

/** All that can happen to a call. Time and chance come with it: the machine has neither. */
export type CallEvent = { at: number } & CallHappening

export type CallHappening =
  | { kind: 'begin'; sdpOffer?: string; session?: string }
  | { kind: 'timer'; name: TimerName }
  | { kind: 'command'; command: CallCommand }
  | { kind: 'engine.restarted' }
  // what a voice driver reports
  | { kind: 'leg.dialog'; leg: LegId; dialog: string }
  | { kind: 'leg.answered'; leg: LegId }
  | { kind: 'leg.progress'; leg: LegId; code: number; early?: boolean }
  | { kind: 'leg.remoteHold'; leg: LegId; held: boolean }
  | { kind: 'leg.ended'; leg: LegId; reason: EndReason; code?: number }
  | { kind: 'leg.dtmf'; leg: LegId; digit: string }
  /** Somebody begins to speak; then what was said, where the line brings words. */
  | { kind: 'leg.speaks'; leg: LegId }
  | { kind: 'leg.said'; leg: LegId; text: string }
  /** The customer has heard it to its end; or only so much of what was said. */
  | { kind: 'play.ended'; sound: number }
  | { kind: 'play.cut'; sound: number; said: string }
  | { kind: 'record.started'; what: 'recording' | 'voicemail'; recId: string }
  | { kind: 'record.failed'; what: 'recording' | 'voicemail' }
  | { kind: 'record.ended'; recId: string; what: 'recording' | 'voicemail'; file: string; ms: number }
  // what became of an effect
  | { kind: 'dialled'; role: DialRole; to: string; leg: LegId }
  | { kind: 'dial.failed'; role: DialRole; to: string }
  | { kind: 'agent.attached'; userId: number; leg: LegId }
  | { kind: 'agent.lost'; userId: number }
  // answers to what the machine asked
  | { kind: 'found'; people: readonly Found[]; considered: readonly Considered[]; aside: boolean }
  | { kind: 'position'; place: number }
  | { kind: 'number.entered'; number: NumberFacts }
  | { kind: 'number.missing' }
  | ({ kind: 'agent.ready' } & AgentReady)
  | { kind: 'agent.missing' }
  // what a language model makes of the caller's words, and what it cannot do
  | { kind: 'agent.says'; asked: number; text: string }
  | { kind: 'agent.thought'; asked: number; talk: Talk; after: Next }
  | { kind: 'agent.failed'; what: Organ; asked?: number }
  /** Somebody the caller waits for has become free, and is kept for this call. */
  | { kind: 'agent.free'; userId: number; teamId: number | null }

/** What of an AI voice agent can fail. */
export type Organ = 'mouth' | 'ear' | 'mind'

/** Whom a leg is dialled for: the other party of an outbound call, the target of a transfer, or somebody beside the talk. */
export type DialRole = 'customer' | 'passed' | 'aside'

export interface Found {
  userId: number
  teamId: number | null
}

/** Somebody who was looked at, and why they are rung or not. */
export interface Considered {
  userId: number
  availability: Granular
  /** Rung by another call at this moment. */
  reserved: boolean
  sinceMs: number
  rung: boolean
}

/** Why somebody is rung; an internal call and an invitation to a conference have no word for it. */
export type RingOrigin = 'RING_TO' | 'TRANSFER' | 'CALLBACK' | 'ESCALATION'

export type RingOutcome = 'answered' | 'declined' | 'no_answer' | 'cancelled'

export type CallWord =
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

/** All that a call can ask for. The first kind is written down with the state, the second is done once that is safe. */
export type Effect = Fact | Deed

export type Fact =
  | { kind: 'publish'; what: CallWord; record: CallRecord; userId?: number; external?: { to: string; caller: string } }
  | { kind: 'trace'; entry: TraceEntry }
  /** Asks: answered within the same step. */
  | {
      kind: 'seek'
      targets: readonly Target[]
      strategy: Strategy
      most: number
      except: readonly number[]
      aside: boolean
    }
  | { kind: 'ask.position' }
  | { kind: 'ask.number'; numberId: number }
  | { kind: 'ask.agent'; agentId: string }
  | { kind: 'agent'; what: 'started' | 'escalated' | 'ended' | 'summary'; part: AgentPart }
  | { kind: 'ring.begun'; userId: number; teamId: number | null; origin: RingOrigin | null }
  | { kind: 'ring.ended'; userId: number; outcome: RingOutcome }
  /** Kept for this call, but not needed. */
  | { kind: 'release'; userId: number }
  /** Whoever is only asked aside is on the phone, but no party of the call. */
  | { kind: 'joined'; userId: number; aside?: true }
  /** Whoever was only asked aside has nothing to wrap up. */
  | { kind: 'left'; userId: number; aside?: true }
  /** Somebody has given the call away; somebody has got it so. */
  | { kind: 'gave'; userId: number }
  | { kind: 'received'; userId: number }
  | { kind: 'queue.enter'; targets: readonly Target[]; rank: number; enteredAt: number }
  | { kind: 'queue.hungry'; hungry: boolean }
  | { kind: 'queue.leave' }
  | { kind: 'callback.wanted'; wish: CallbackWish; record: CallRecord }
  | { kind: 'ended'; notes: readonly { by: number; content: string }[] }
  | { kind: 'keep.sound'; what: 'recording' | 'voicemail'; file: string; ms: number }

export interface CallbackWish {
  phone: string
  numberId: number
  targets: readonly Target[]
  rank: number
  enteredAt: number
  attempts: number
  retrySeconds: number
  expiresSeconds: number
}

export type Deed =
  | { kind: 'ring'; userId: number; purpose: 'inbound' | 'transfer' | 'consult' | 'conference' | 'internal' }
  | { kind: 'ring.stop'; userId: number; why: 'answered_elsewhere' | 'cancelled' | 'timeout' }
  /** `failure`: why the call could not be completed. */
  | { kind: 'show'; userId: number; state: string; failure?: string }
  | { kind: 'card'; userId: number; contents: readonly unknown[] }
  | { kind: 'attach'; userId: number; sdpOffer: string; session?: string }
  | { kind: 'leg.ringing'; leg: LegId }
  | { kind: 'leg.answer'; leg: LegId }
  | { kind: 'leg.hangup'; leg: LegId; reason: EndReason }
  /** `from` is what the far end sees, `line` the company's own number behind it. */
  | {
      kind: 'dial'
      role: DialRole
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
  /** What the leg says comes as words, where it does not by itself; anew with another patience. */
  | { kind: 'listen'; leg: LegId; language: AgentLanguage; hangoverMs: number }
  | { kind: 'listen.stop'; leg: LegId }
  /** A language model is asked. */
  | { kind: 'think'; asked: number; part: AgentPart }
  | { kind: 'think.stop' }
  | { kind: 'join'; room: 'main' | 'aside'; leg: LegId; listenOnly?: true; whisperTo?: readonly LegId[] }
  | { kind: 'mute'; leg: LegId; muted: boolean }
  | { kind: 'digits'; leg: LegId; digits: string }
  | { kind: 'record'; what: 'recording' }
  | { kind: 'record'; what: 'voicemail'; leg: LegId; maxSeconds: number; silenceSeconds: number }
  | { kind: 'record.pause' | 'record.resume' | 'record.stop'; recId: string }
  | { kind: 'rooms.close' }

const deedKinds = new Set<Effect['kind']>([
  'ring',
  'ring.stop',
  'show',
  'card',
  'attach',
  'leg.ringing',
  'leg.answer',
  'leg.hangup',
  'dial',
  'play',
  'play.stop',
  'listen',
  'listen.stop',
  'think',
  'think.stop',
  'join',
  'mute',
  'digits',
  'record',
  'record.pause',
  'record.resume',
  'record.stop',
  'rooms.close',
])

export const isDeed = (effect: Effect): effect is Deed => deedKinds.has(effect.kind)
export const isFact = (effect: Effect): effect is Fact => !isDeed(effect)

/** Why a call went where it went. */
export type TraceEntry =
  | { kind: 'widget'; node: string; type: string; name: string | null; number_id: number }
  | { kind: 'time_rule'; node: string; open: boolean }
  | { kind: 'menu'; node: string; key: string; title: string }
  | { kind: 'ring'; node: string | null; purpose: string; strategy: string; targets: readonly Target[] }
  /** Everybody who was looked at, and in what state for how long. */
  | { kind: 'considered'; people: readonly ConsideredEntry[] }
  | { kind: 'rang'; user_id: number; outcome: RingOutcome; seconds: number }
  | { kind: 'queue'; waits_until: number }
  | { kind: 'answered'; user_id: number | null }
  | { kind: 'transfer'; by: number | null; to: string; id: number | null; strategy: string | null }
  | { kind: 'no_answer'; node: string | null; goes_to: string | null }
  | { kind: 'callback'; node: string }
  | { kind: 'ai_agent'; node: string | null; agent_id: string; name: string }
  | { kind: 'escalated'; reason: string; to: string; destination: string }
  /** What the network said about a call that is being placed: SIP response 180 to 183. */
  | { kind: 'progress'; code: number; early_media: boolean }
  /** The far end put the call on hold, or resumed it. */
  | { kind: 'remote_hold'; held: boolean }
  | {
      kind: 'ended'
      cause: HangupCause
      missed_call_reason: MissedReason | null
      /** Of an outbound call that was not answered: the final SIP response, if any, and what it means. */
      sip_code?: number | null
      failure?: string
    }

export interface ConsideredEntry {
  user_id: number
  availability: Granular
  since_seconds: number
  /** Rung by another call at that moment. */
  reserved: boolean
  rung: boolean
}
