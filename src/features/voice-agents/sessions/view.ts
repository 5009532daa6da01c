import { type Static, Type } from 'typebox'
import type { VoiceAgentEndReason, VoiceAgentSession } from '../../../domain/call/state.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import { unixSeconds } from '../../../lib/time-format.ts'
import type { AgentSession } from './store.ts'

export const endReasons = [
  'answered',
  'escalated',
  'disconnected',
  'caller_hung_up',
] as const satisfies VoiceAgentEndReason[]

const Seconds = Type.Integer({ description: 'UNIX seconds' })

/** Within a call. */
export const SessionOfCall = Type.Object({
  agent_id: Type.String(),
  agent_name: Type.String(),
  agent_version: nullable(
    Type.Integer({ description: 'Version of the settings; `null` for calls before versions existed' }),
  ),
  end_reason: nullable(oneOf(endReasons)),
  started_at: Seconds,
  ended_at: nullable(Seconds),
  escalation_reason: nullable(Type.String()),
  escalation_target: nullable(
    Type.Object({ type: oneOf(['branch', 'user', 'team', 'external']), destination: Type.String() }),
  ),
  structured_data: nullable(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'Data by the `data_schema` of the AI agent; `null` without a schema, and until it was extracted',
    }),
  ),
  structured_data_problem: nullable(Type.String({ description: 'Why there is no `structured_data`' })),
})

export const sessionOfCall = (session: AgentSession): Static<typeof SessionOfCall> => ({
  agent_id: session.agentId,
  agent_name: session.agentName,
  agent_version: session.agentVersion,
  end_reason: session.endReason,
  started_at: unixSeconds(session.startedAt),
  ended_at: session.endedAt === null ? null : unixSeconds(session.endedAt),
  escalation_reason: session.escalationReason,
  escalation_target: session.escalationTarget,
  structured_data: session.structuredData,
  structured_data_problem: session.structuredDataProblem,
})

const common = {
  id: Type.Integer({ description: 'Same value as call_id' }),
  call_id: Type.Integer(),
  call_uuid: Type.String(),
  ai_voice_agent_id: Type.String(),
  ai_voice_agent_name: Type.String(),
  ai_voice_agent_session_id: Type.String(),
  number_id: Type.Integer(),
  created_at: Seconds,
}
const numbers = { external_caller_number: Type.String(), company_number: Type.String(), started_at: Seconds }

export const AgentStarted = Type.Object({ ...common, ...numbers })
export const AgentEnded = Type.Object({ ...common, ...numbers, ended_at: Seconds, call_end_reason: oneOf(endReasons) })
export const AgentEscalated = Type.Object({ ...common, escalation_reason: Type.String() })
export const AgentSummary = Type.Object({
  ...common,
  extracted_data: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'Answers to the intake questions, by question key',
  }),
})

/** An event in the part of a call handled by an AI voice agent. */
export interface AgentMoment {
  callId: number
  uuid: string
  external: string
  ownNumber: string
  part: VoiceAgentSession
  at: number
}

const commonOf = ({ callId, uuid, part, at }: AgentMoment) => ({
  id: callId,
  call_id: callId,
  call_uuid: uuid,
  ai_voice_agent_id: part.plan.id,
  ai_voice_agent_name: part.plan.name,
  ai_voice_agent_session_id: part.session,
  number_id: part.numberId,
  created_at: unixSeconds(at),
})

export const agentStarted = (moment: AgentMoment): Static<typeof AgentStarted> => ({
  ...commonOf(moment),
  external_caller_number: moment.external,
  company_number: moment.ownNumber,
  started_at: unixSeconds(moment.part.startedAt),
})

export const agentEnded = (moment: AgentMoment): Static<typeof AgentEnded> => ({
  ...agentStarted(moment),
  ended_at: unixSeconds(moment.part.endedAt ?? moment.at),
  call_end_reason: moment.part.endReason ?? 'disconnected',
})

export const agentEscalated = (moment: AgentMoment): Static<typeof AgentEscalated> => ({
  ...commonOf(moment),
  escalation_reason: moment.part.escalation?.reason ?? '',
})

export const agentSummary = (moment: AgentMoment): Static<typeof AgentSummary> => ({
  ...commonOf(moment),
  extracted_data: { ...moment.part.talk.answers },
})
