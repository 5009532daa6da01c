import { type Static, Type } from 'typebox'
import {
  agentLanguages,
  agentModes,
  defaultVoicemail,
  type EscalationTarget,
  intentEnds,
  questionKinds,
  voicemailActions,
} from '../../../domain/ai-agent/plan.ts'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import { ContextRequestView, contextRequestView } from './context-settings.ts'
import type { VoiceAgent } from './store.ts'
import type { TestChatResult } from './test-chat.ts'
import { ToolView, toolView } from './tool-settings.ts'
import type { TurnTrace } from './turn-trace.ts'

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
  version: Type.Integer({ description: 'Number of the current version, from 1' }),
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
  tools: Type.Array(ToolView, { description: 'HTTP requests that the LLM may make during a call' }),
  context_request: nullable(ContextRequestView),
  data_schema: nullable(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'JSON Schema of the data to extract after the conversation',
    }),
  ),
  error_message: nullable(Type.String()),
  idle: Type.Object({ seconds: Type.Integer(), prompts: Type.Integer(), message: nullable(Type.String()) }),
  voicemail: Type.Object({ action: oneOf(voicemailActions), message: nullable(Type.String()) }),
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
    version: agent.version,
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
    tools: (agent.tools ?? []).map(toolView),
    context_request: agent.contextRequest ? contextRequestView(agent.contextRequest) : null,
    data_schema: agent.dataSchema ? { ...agent.dataSchema } : null,
    error_message: agent.errorMessage,
    idle: { ...agent.idle },
    voicemail: { ...(agent.voicemail ?? defaultVoicemail) },
  }
}

const TurnView = Type.Object({
  line: Type.Integer({ description: 'Index of the reply in `lines`' }),
  ms: Type.Number({ description: 'Until the reply was complete' }),
  problem: nullable(Type.String({ description: 'Why the LLM could not reply' })),
  prompt: Type.Array(
    Type.Object({
      data: nullable(Type.String({ description: 'Name of the data block; null for instructions' })),
      text: Type.String(),
    }),
    { description: 'The system prompt of the turn; empty for a reply without the LLM' },
  ),
  requests: Type.Array(
    Type.Object({
      messages: Type.Integer({ description: 'Messages of the conversation in addition to the prompt' }),
      reply: Type.String(),
      first_ms: nullable(Type.Number({ description: 'Until the first text or tool call' })),
      ms: Type.Number(),
      tool_calls: Type.Array(
        Type.Object({
          tool: Type.String(),
          arguments: Type.String(),
          result: nullable(Type.String({ description: 'Null if the turn ended before' })),
        }),
      ),
    }),
    { description: 'Requests to the LLM' },
  ),
  passages: Type.Array(
    Type.Object({
      document: Type.String({ description: 'Name of the document' }),
      text: Type.String(),
      by: oneOf(['meaning', 'words'], { description: 'How the passage was found' }),
    }),
    { description: 'Knowledge that was retrieved for the reply' },
  ),
})

export const TestChatView = Type.Object({
  lines: Type.Array(Type.Object({ by: oneOf(['agent', 'caller']), text: Type.String() })),
  collected: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'Answers so far, by question key',
  }),
  tool_calls: Type.Array(Type.Object({ tool: Type.String(), arguments: Type.String(), result: Type.String() }), {
    description: 'The last uses of tools and knowledge; HTTP tools respond with their mock',
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
  turns: Type.Array(TurnView, { description: 'What happened before each reply' }),
})

/** `target`: the escalation destination, unless the LLM chose another one. */
export function testChatView(
  { lines, talk, next, turns }: TestChatResult,
  defaultTarget: EscalationTarget,
): Static<typeof TestChatView> {
  return {
    lines: [...lines],
    collected: { ...talk.answers },
    tool_calls: (talk.results ?? []).map(({ tool, args, result }) => ({ tool, arguments: args, result })),
    next: {
      is: next.kind,
      reason: next.kind === 'listen' ? null : next.why,
      target: next.kind === 'escalate' ? (next.target ?? defaultTarget) : null,
    },
    turns: turns.map(turnView),
  }
}

const turnView = ({ prompt, requests, passages, ...turn }: TurnTrace) => ({
  ...turn,
  passages: [...passages],
  prompt: [...prompt],
  requests: requests.map(({ firstMs, toolCalls, ...request }) => ({
    ...request,
    first_ms: firstMs,
    tool_calls: [...toolCalls],
  })),
})
