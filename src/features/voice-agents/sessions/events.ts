import { type FactRenderer, payloadOf } from '../../publishing/index.ts'
import type { OutboundAgentCall } from '../outbound-calls/store.ts'
import { OutboundCallFailed, outboundCallFailed } from '../outbound-calls/view.ts'
import { exampleMoment, exampleOutboundCall } from './event-samples.ts'
import {
  AgentEnded,
  AgentEscalated,
  type AgentMoment,
  AgentStarted,
  AgentSummary,
  agentEnded,
  agentEscalated,
  agentStarted,
  agentSummary,
} from './view.ts'

export interface VoiceAgentFact {
  kind: 'voice_agent'
  event: 'started' | 'escalated' | 'ended' | 'summary'
  moment: AgentMoment
}

export interface OutboundCallFact {
  kind: 'outbound_call'
  event: 'failed'
  call: OutboundAgentCall
}

declare module '../../publishing/publish.ts' {
  interface FactsByKind {
    voice_agent: VoiceAgentFact
    outbound_call: OutboundCallFact
  }
}

export const voiceAgentPayloads = {
  'ai_voice_agent.started': payloadOf(AgentStarted)(({ at }) => agentStarted(exampleMoment(at))),
  'ai_voice_agent.ended': payloadOf(AgentEnded)(({ at }) => agentEnded(exampleMoment(at))),
  'ai_voice_agent.escalated': payloadOf(AgentEscalated)(({ at }) => agentEscalated(exampleMoment(at))),
  'ai_voice_agent.summary': payloadOf(AgentSummary)(({ at }) => agentSummary(exampleMoment(at))),
  'ai_voice_agent.outbound_call_failed': payloadOf(OutboundCallFailed)(({ at }) =>
    outboundCallFailed(exampleOutboundCall(at)),
  ),
}

const dataOf: Record<VoiceAgentFact['event'], (moment: AgentMoment) => string> = {
  started: (moment) => voiceAgentPayloads['ai_voice_agent.started'].write(agentStarted(moment)),
  escalated: (moment) => voiceAgentPayloads['ai_voice_agent.escalated'].write(agentEscalated(moment)),
  ended: (moment) => voiceAgentPayloads['ai_voice_agent.ended'].write(agentEnded(moment)),
  summary: (moment) => voiceAgentPayloads['ai_voice_agent.summary'].write(agentSummary(moment)),
}

export const renderVoiceAgentFacts: FactRenderer<VoiceAgentFact> = async () => {
  return ({ event, moment }) => {
    const { callId, part, at } = moment
    const data = dataOf[event](moment)
    return [{ name: `ai_voice_agent.${event}`, data, resourceKey: `call:${callId}`, numberId: part.numberId, at }]
  }
}

export const renderOutboundCallFacts: FactRenderer<OutboundCallFact> = async () => {
  return ({ call }) => {
    const name = 'ai_voice_agent.outbound_call_failed'
    const data = voiceAgentPayloads[name].write(outboundCallFailed(call))
    return [{ name, resourceKey: `outbound_call:${call.id}`, numberId: call.numberId, data }]
  }
}
