import type { CompanyId } from '../db/tables.ts'
import type { AgentPlan } from '../domain/ai-agent/plan.ts'
import type { CallState, NumberFacts, Speech } from '../domain/call/state.ts'
import type { Ai } from '../services.ts'

/**
 * Speech services available to AI voice agents on a new call. Resolved when the call starts: engines are looked up
 * outside of transactions.
 */
export async function speechFor(
  ai: Ai,
  companyId: CompanyId,
  line: CallState['line'],
  number?: NumberFacts,
): Promise<Speech> {
  if (number && !mayReachVoiceAgent(number)) return { talks: line === 'simulated', thinks: false }
  const stt = line === 'simulated' ? undefined : await ai.stt(companyId)
  const talks = line === 'simulated' || (stt !== undefined && (await ai.tts(companyId)) !== undefined)
  const thinks = talks && (await ai.llm(companyId, 'agent')) !== undefined
  const hears = stt?.liveLanguages ?? stt?.languages
  return { talks, thinks, ...(hears !== undefined && hears !== 'any' && { hears }) }
}

export async function hasSpeechEngines(ai: Ai, companyId: CompanyId): Promise<boolean> {
  return (await ai.tts(companyId)) !== undefined && (await ai.stt(companyId)) !== undefined
}

/** Whether all services that the agent needs are available. */
export const isSupported = (
  { talks, thinks, hears }: Speech,
  { language, brain }: Pick<AgentPlan, 'language' | 'brain'>,
) => talks && (brain === 'flow' || thinks) && (hears?.includes(language) ?? true)

/** In its own flow, or in that of a Number it forwards callers to. */
const mayReachVoiceAgent = ({ flow }: NumberFacts) =>
  Object.values(flow.nodes).some(({ type }) => type === 'ai_agent' || type === 'go_to_number')
