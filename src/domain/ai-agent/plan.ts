// domain/ai-agent/ holds the dialog of an AI voice agent as pure functions: its configuration, how it interprets the
// caller, and what it says next. It handles no audio and no time; the engine calls the language model.

import type { JsonSchema } from '../intelligence/json-schema.ts'
import type { ContextRequest } from './context-request.ts'
import type { HttpTool } from './http-tools.ts'
import type { PromptCallFacts } from './prompt-data.ts'
import type { Context } from './variables.ts'

export const agentLanguages = ['en', 'fr', 'es', 'de', 'nl', 'it'] as const
export type AgentLanguage = (typeof agentLanguages)[number]

export const questionKinds = [
  'text',
  'name',
  'number',
  'phone',
  'email',
  'postcode',
  'date',
  'time',
  'yes_no',
  'choice',
] as const
export type QuestionKind = (typeof questionKinds)[number]

/** One of the intake questions; its answer is a field of `extracted_data`. */
export interface IntakeQuestion {
  key: string
  ask: string
  kind: QuestionKind
  /** Of a choice; by keys they are 1, 2, 3 … */
  options: readonly string[]
  /** Reads the answer back. Spoken numbers, e-mail addresses, postcodes and inferred dates and times always are. */
  confirm: boolean
}

export const intentEnds = ['go_on', 'escalate', 'end'] as const

/** A phrase that callers use, and the agent's response to it. */
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
  /** In addition to the built-in phrases. */
  phrases: readonly string[]
  afterMisunderstandings: number
  target: EscalationTarget
}

export const agentModes = ['flow', 'llm'] as const

/** Transfer targets that the LLM may choose, in addition to the escalation target. */
export interface TransferTarget {
  name: string
  target: Exclude<EscalationTarget, { type: 'branch' }>
}

/** Handling of a caller who stays silent. */
export interface Idle {
  seconds: number
  /** Number of prompts before the agent says goodbye. */
  prompts: number
  message: string | null
}

/** The complete configuration of an agent for one conversation. */
export interface AgentPlan {
  id: string
  /** Number of the version of these settings. */
  version?: number
  name: string
  language: AgentLanguage
  voice: string | null
  firstMessage: string | null
  /** Closing message; an API and stored name kept for compatibility. */
  goodbyeMessage: string | null
  questions: readonly IntakeQuestion[]
  intents: readonly Intent[]
  escalation: Escalation
  maxSeconds: number
  /** Mode. `flow`: scripted questions and intents; `llm`: a language model. API and stored name kept for compatibility. */
  brain: (typeof agentModes)[number]
  /** LLM mode: instructions and knowledge. */
  prompt: string | null
  knowledge: string | null
  /** The agent has documents, whose passages are retrieved; not set otherwise. */
  hasDocuments?: true
  transferTargets: readonly TransferTarget[]
  /** Spoken when the agent cannot continue. */
  errorMessage: string | null
  idle: Idle
  /** Of the Number of the call, for dates, times and postcodes; UTC unless set. */
  timeZone?: string
  country?: string
  /** LLM mode: HTTP requests that the model may make; none unless set. */
  tools?: readonly HttpTool[]
  /** The agent placed the call: the callee may ask not to be called again. */
  isOutbound?: true
  /** What the agent does if an outbound call reaches a voicemail; hangs up unless set. */
  voicemail?: VoicemailHandling
  /** Data that is extracted after the conversation; none unless set. */
  dataSchema?: JsonSchema | null
  /** Data about the caller that is requested before the greeting; none unless set. */
  contextRequest?: ContextRequest | null
  /** Variables of an outbound call, while the first message still has its placeholders. */
  context?: Context
  /** LLM mode: the call, for the prompt. */
  call?: PromptCallFacts
}

export const voicemailActions = ['hang_up', 'leave_message'] as const

export interface VoicemailHandling {
  action: (typeof voicemailActions)[number]
  /** Null: the first message. */
  message: string | null
}

export const defaultVoicemail: VoicemailHandling = { action: 'hang_up', message: null }

export type IntakeAnswer = string | number | boolean
export type Answers = Readonly<Record<string, IntakeAnswer>>

/** Scripted mode with default timeouts. */
export const scriptedMode: Pick<
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
