// domain/ai-agent/ is the conversation of an AI voice agent as pure functions: what it was told to do, what it makes of
// the caller's words, and what it says next. No sound and no clock; a language model is asked by others.

export const agentLanguages = ['en', 'fr', 'es', 'de', 'nl', 'it'] as const
export type AgentLanguage = (typeof agentLanguages)[number]

export const questionKinds = ['text', 'name', 'number', 'phone', 'date', 'yes_no', 'choice'] as const
export type QuestionKind = (typeof questionKinds)[number]

/** One of the intake questions; its answer is a field of `extracted_data`. */
export interface Question {
  key: string
  ask: string
  kind: QuestionKind
  /** Of a choice; by keys they are 1, 2, 3 … */
  options: readonly string[]
  /** Reads the answer back. Numbers that were heard are read back in any case. */
  confirm: boolean
}

export const intentEnds = ['go_on', 'escalate', 'end'] as const

/** Something callers say, and what the agent knows to answer. */
export interface Intent {
  name: string
  phrases: readonly string[]
  reply: string | null
  next: (typeof intentEnds)[number]
}

export type EscalationTarget =
  | { type: 'branch' }
  | { type: 'user' | 'team'; id: number }
  | { type: 'external'; number: string }

export interface Escalation {
  /** Beside those that every agent knows. */
  phrases: readonly string[]
  afterMisunderstandings: number
  target: EscalationTarget
}

export const brains = ['flow', 'llm'] as const

/** Whom an agent with a language model may hand the call to, beside its escalation. */
export interface TransferTarget {
  name: string
  target: Exclude<EscalationTarget, { type: 'branch' }>
}

/** What becomes of somebody who says nothing. */
export interface Idle {
  seconds: number
  /** How often they are asked whether they are there, before the goodbye. */
  prompts: number
  message: string | null
}

/** All that an agent needs for a conversation. */
export interface AgentPlan {
  id: string
  name: string
  language: AgentLanguage
  voice: string | null
  firstMessage: string | null
  goodbyeMessage: string | null
  questions: readonly Question[]
  intents: readonly Intent[]
  escalation: Escalation
  maxSeconds: number
  /** Who thinks: its questions and intents in their order, or a language model. */
  brain: (typeof brains)[number]
  /** For a language model: how to behave, and what to know. */
  prompt: string | null
  knowledge: string | null
  transferTargets: readonly TransferTarget[]
  /** Said when it cannot go on. */
  errorMessage: string | null
  idle: Idle
}

export type Answer = string | number | boolean
export type Answers = Readonly<Record<string, Answer>>

/** Without a language model, and patient. */
export const plainBrain: Pick<
  AgentPlan,
  'brain' | 'prompt' | 'knowledge' | 'transferTargets' | 'errorMessage' | 'idle'
> = {
  brain: 'flow',
  prompt: null,
  knowledge: null,
  transferTargets: [],
  errorMessage: null,
  idle: { seconds: 8, prompts: 2, message: null },
}
