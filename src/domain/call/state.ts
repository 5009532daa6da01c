// A call as the machine sees it: plain data that can be written down, and nothing that waits or happens by itself.
//
//   inbound ──► widget ⇄ ringing ──► talking ──► done          widget: whatever the flow does before somebody is rung
//                 │         ▲          │  ▲
//                 │         └ transfer ┘  │                     ringing: a ring step, or the target of a transfer
//                 └──────► passed ◄───────┤                     passed: to an outside number
//   outbound ─► dialling ─────────────────┘                     agent: an AI voice agent speaks, from a widget or a call it made
//                                                               every phase may end in done
import type { Next, Talk } from '../ai-agent/brain.ts'
import type { AgentPlan, EscalationTarget } from '../ai-agent/plan.ts'
import type { Flow, Strategy, Target } from '../flow/document.ts'
import type { LegId } from '../voice.ts'
import type { Destination, SuperviseMode } from './commands.ts'
import type { CallbackWish } from './events.ts'
import type { CallRecord } from './record.ts'

export interface CallState {
  /** The call's uuid. */
  key: string
  companyId: number
  /** Null for an internal call: the world knows nothing of it. */
  callId: number | null
  record: CallRecord
  /** Who carries it: synthetic people, or a line with sound. */
  line: 'simulated' | 'real'
  /** What AI voice agents can do on it: speak and hear, and think with a language model. */
  speech: Speech
  /** The Number the call is on, with the version of the flow it entered; null for an internal call. */
  number: NumberFacts | null
  phase: Phase
  /** When each one is due. A timer that is not here has been cancelled. */
  timers: { readonly [T in TimerName]?: number }
  /** The outside party. */
  customer: Customer
  /** People of the company who are on the call, in the order in which they came. */
  agents: readonly Agent[]
  /** Of our people, who listens. */
  supervisors: readonly Supervisor[]
  /** What ends the dialog of an outside leg at its far end after a crash. */
  dialogs: Readonly<Record<LegId, string>>
  /** Further outside parties of a conference. */
  guests: readonly { leg: LegId; phone: string }[]
  /** The AI voice agent that speaks with the customer. */
  agent: AgentPart | null
  /** It handed the call over, and nobody has taken it yet. */
  escalated: boolean
  /** An AI voice agent makes the call. */
  errand: AgentErrand | null
  /** Somebody asked or invited beside the talk: one at a time. */
  aside: Aside | null
  /** What a caller who waits hears, and may do. */
  waiting: WaitingRoom
  /** To be called back once the call is over. */
  callback: CallbackWish | null
  /** The ring step the call came from: where a transfer that nobody takes goes on. */
  ringNode: string | null
  recording: Recording
  /** For the reason why a call was missed. */
  seen: { ringStep: boolean; agentRung: boolean; otherwise: boolean }
  /** Guards against flows that run in circles. */
  entered: number
  passes: number
  /** Number of the sound the customer hears: the end of an earlier one means nothing any more. */
  sound: number
  notes: readonly { by: number; content: string }[]
  /** Insight cards of the call, oldest first: every agent it rings later sees them too. */
  cards: readonly InsightCard[]
}

/** The lines of a card as the API took them. */
export type InsightCard = readonly unknown[]

export interface Speech {
  talks: boolean
  /** Languages that are understood; all of them unless told. */
  hears?: readonly string[]
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
}

export type TimerName =
  | 'ring'
  | 'retry'
  | 'deadline'
  | 'menu'
  | 'wait'
  | 'announce'
  | 'aside'
  | 'sound'
  | 'agent'
  | 'agent_limit'

export interface Customer {
  leg: LegId | null
  /** The line is open: what is played can be heard. */
  open: boolean
  /** The far end has put us on hold. */
  holds?: boolean
}

export interface Agent {
  userId: number
  /** Null until the browser has joined, and while it is expected back. */
  leg: LegId | null
  muted?: boolean
  /** The sound was lost; whoever reloads the page comes back with a new one. */
  lost?: boolean
}

/** Somebody who hears the call without being a party of it. */
export interface Supervisor {
  userId: number
  leg: LegId | null
  mode: SuperviseMode
}

export interface WaitingRoom {
  media: string | null
  announceEveryMs: number | null
  /** The widget that takes a request to be called back. */
  callbackNode: string | null
  /** Since when the caller waits: the place in the queue. */
  since: number | null
}

/** `waits`: until somebody takes a call that an AI voice agent has handed over. */
export type Recording = { is: 'off' } | { is: 'on' | 'paused'; recId: string | null; waits?: true }

export type Phase =
  | { at: 'widget'; node: string; doing: Doing }
  | { at: 'ringing'; ring: Ring }
  /** `tone`: the agent hears ringback. `early`: the agent hears the early media of the network. */
  | { at: 'dialling'; progress?: 'tone' | 'early' }
  | { at: 'talking'; held: boolean }
  | { at: 'agent' }
  | { at: 'passed'; phone: string; leg: LegId | null; joined: boolean; node: string | null }
  | { at: 'done' }

/** What a widget is busy with. */
export type Doing =
  | { is: 'playing' }
  /** `invalidKeys`: when the first and the last invalid key of the present attempt were pressed. */
  | {
      is: 'menu'
      tries: number
      shownAt: number
      listening: boolean
      invalidKeys?: { firstAt: number; lastAt: number }
    }
  | { is: 'waiting' }
  | { is: 'greeting' }
  | { is: 'voicemail'; recId: string | null }
  | { is: 'farewell' }
  /** Asked for the facts of another Number, or of an AI voice agent. */
  | { is: 'moving' }

export interface Ring {
  purpose: 'flow' | 'transfer' | 'internal'
  node: string | null
  targets: readonly Target[]
  strategy: Strategy
  ringMs: number
  /** Until when the caller stays in the queue; null: one round is made. */
  deadline: number | null
  enteredAt: number
  /** Being rung now. */
  rung: readonly Rung[]
  /** Agents whom it must not ring: the one who transferred the call. */
  except: readonly number[]
  /** Who has declined or let it ring, and when. */
  tried: Readonly<Record<number, number>>
}

export interface Rung {
  userId: number
  teamId: number | null
  since: number
}

export interface Aside {
  purpose: 'consult' | 'conference'
  by: number
  to: Destination
  firstUserId: number | null
  rung: readonly Rung[]
  /** An outside party. */
  leg: LegId | null
  /** Has picked up; the person, when it is one of ours. */
  joined: boolean
  userId: number | null
  /** Did not pick up, or has hung up again. */
  failed: boolean
  /** What the agent who consults hears until the other party answers: ringback, or what the network plays. */
  progress?: 'tone' | 'early'
}

export type AgentEnd = 'answered' | 'escalated' | 'disconnected' | 'caller_hung_up'

export interface AgentPart {
  session: string
  plan: AgentPlan
  firstUserId: number | null
  firstOfTeams?: Readonly<Record<number, number | null>>
  /** The widget; null where the agent made the call. */
  node: string | null
  numberId: number
  startedAt: number
  endedAt: number | null
  endReason: AgentEnd | null
  escalation: { reason: string; target: { type: EscalationTarget['type']; destination: string } } | null
  talk: Talk
  /** What comes once it has said what it says now; null: it says nothing. */
  next: Next | { is: 'more' } | null
  /** A language model: which question it thinks about, what it has said already, and what comes after that. */
  mind: { asked: number; thinks: boolean; queue: readonly string[]; after: Next | null }
  /** It could not go on, and has said so. */
  failed: boolean
  /** How long it waits for the end of what somebody says. */
  patienceMs: number
  /** Pressed so far. */
  keys: string
  turns: readonly AgentTurn[]
}

export interface AgentTurn {
  by: 'agent' | 'caller'
  text: string
  at: number
  /** Number of the sound, until it has been heard. */
  sound?: number
}

/** Why an AI voice agent calls somebody. */
export interface AgentErrand {
  id: string
  session: string
  plan: AgentPlan
  firstUserId: number | null
  firstOfTeams?: Readonly<Record<number, number | null>>
}

export const silentRoom: WaitingRoom = { media: null, announceEveryMs: null, callbackNode: null, since: null }

export const isDone = (call: CallState) => call.phase.at === 'done'

/** Everybody who is being rung by the call at this moment. */
export function rungBy(call: CallState): readonly Rung[] {
  const ring = call.phase.at === 'ringing' ? call.phase.ring.rung : []
  return call.aside ? [...ring, ...call.aside.rung] : ring
}
