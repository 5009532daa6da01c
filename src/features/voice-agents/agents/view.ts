import { type Static, Type } from 'typebox'
import {
  agentLanguages,
  agentModes,
  type EscalationTarget,
  intentEnds,
  questionKinds,
} from '../../../domain/ai-agent/plan.ts'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { VoiceAgent } from './store.ts'
import type { TestChatResult } from './test-chat.ts'

export const targetTypes = ['branch', 'user', 'team', 'external'] as const

export const directTypes = ['user', 'team', 'external'] as const

export const VoiceAgentView = Type.Object({
  id: Type.String({ examples: ['01JZ0Q3V9X5R8M2K7T4N6P1C0A'] }),
  name: Type.String(),
  language: oneOf(agentLanguages),
  first_message: nullable(Type.String()),
  number_ids: Type.Array(Type.Integer(), {
    description: 'Numbers whose live flow uses the AI agent, and the Number it calls from',
  }),
  active: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
})

export const VoiceAgentSettingsView = Type.Object({
  ...VoiceAgentView.properties,
  voice: nullable(Type.String()),
  goodbye_message: nullable(Type.String()),
  questions: Type.Array(
    Type.Object({
      key: Type.String(),
      ask: Type.String(),
      kind: oneOf(questionKinds),
      options: Type.Array(Type.String()),
      confirm: Type.Boolean(),
    }),
  ),
  intents: Type.Array(
    Type.Object({
      name: Type.String(),
      phrases: Type.Array(Type.String()),
      reply: nullable(Type.String()),
      next: oneOf(intentEnds),
    }),
  ),
  escalation: Type.Object({
    phrases: Type.Array(Type.String()),
    after_misunderstandings: Type.Integer(),
    target: Type.Object({
      type: oneOf(targetTypes),
      id: Type.Optional(Type.Integer()),
      number: Type.Optional(Type.String()),
    }),
  }),
  outbound_number_id: nullable(Type.Integer()),
  max_seconds: Type.Integer(),
  brain: oneOf(agentModes),
  prompt: nullable(Type.String()),
  knowledge: nullable(Type.String()),
  transfer_targets: Type.Array(
    Type.Object({
      name: Type.String(),
      type: oneOf(directTypes),
      id: Type.Optional(Type.Integer()),
      number: Type.Optional(Type.String()),
    }),
  ),
  error_message: nullable(Type.String()),
  idle: Type.Object({ seconds: Type.Integer(), prompts: Type.Integer(), message: nullable(Type.String()) }),
})

export function agentView(agent: VoiceAgent, drawn: ReadonlyMap<string, number[]>): Static<typeof VoiceAgentView> {
  const numbers = new Set([...(drawn.get(agent.id) ?? []), ...(agent.numberId === null ? [] : [agent.numberId])])
  return {
    id: agent.id,
    name: agent.name,
    language: agent.language,
    first_message: agent.firstMessage,
    number_ids: [...numbers].sort((a, b) => a - b),
    active: agent.active,
    created_at: isoSeconds(agent.createdAt),
    updated_at: isoSeconds(agent.updatedAt),
  }
}

export function voiceAgentSettingsView(
  agent: VoiceAgent,
  drawn: ReadonlyMap<string, number[]>,
): Static<typeof VoiceAgentSettingsView> {
  const { voice, goodbyeMessage, questions, intents, escalation, numberId, maxSeconds } = agent
  return {
    ...agentView(agent, drawn),
    voice,
    goodbye_message: goodbyeMessage,
    questions: questions.map((question) => ({ ...question, options: [...question.options] })),
    intents: intents.map((intent) => ({ ...intent, phrases: [...intent.phrases] })),
    escalation: {
      phrases: [...escalation.phrases],
      after_misunderstandings: escalation.afterMisunderstandings,
      target: escalation.target,
    },
    outbound_number_id: numberId,
    max_seconds: maxSeconds,
    brain: agent.brain,
    prompt: agent.prompt,
    knowledge: agent.knowledge,
    transfer_targets: agent.transferTargets.map(({ name, target }) => ({ name, ...target })),
    error_message: agent.errorMessage,
    idle: { ...agent.idle },
  }
}

export const TestChatView = Type.Object({
  lines: Type.Array(Type.Object({ by: oneOf(['agent', 'caller']), text: Type.String() })),
  collected: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'Answers so far, by question key',
  }),
  next: Type.Object({
    is: oneOf(['listen', 'end', 'escalate']),
    reason: nullable(Type.String({ description: 'Why the AI agent ended or transferred the conversation' })),
    target: nullable(
      Type.Object({
        type: oneOf(targetTypes),
        id: Type.Optional(Type.Integer()),
        number: Type.Optional(Type.String()),
      }),
    ),
  }),
})

/** `target`: the escalation destination, unless the LLM chose another one. */
export function testChatView(
  { lines, talk, next }: TestChatResult,
  defaultTarget: EscalationTarget,
): Static<typeof TestChatView> {
  return {
    lines: [...lines],
    collected: { ...talk.answers },
    next: {
      is: next.kind,
      reason: next.kind === 'listen' ? null : next.why,
      target: next.kind === 'escalate' ? (next.target ?? defaultTarget) : null,
    },
  }
}
