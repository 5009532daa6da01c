import type { CompanyId } from '../db/tables.ts'
import type { CallState, NumberFacts, Speech } from '../domain/call/state.ts'
import type { Ai } from '../services.ts'

/**
 * What AI voice agents can do on a call that begins now. Asked before, and not in the midst of it: engines are looked up
 * outside of transactions.
 */
export async function speechOn(
  ai: Ai,
  companyId: CompanyId,
  line: CallState['line'],
  number?: NumberFacts,
): Promise<Speech> {
  if (number && !mayMeetAgent(number)) return { talks: line === 'simulated', thinks: false }
  const talks = line === 'simulated' || (await speaksAndHears(ai, companyId))
  return { talks, thinks: talks && (await ai.llm(companyId, 'agent')) !== undefined }
}

export async function speaksAndHears(ai: Ai, companyId: CompanyId): Promise<boolean> {
  return (await ai.tts(companyId)) !== undefined && (await ai.stt(companyId)) !== undefined
}

/** In its own flow, or in that of a Number it passes callers on to. */
const mayMeetAgent = ({ flow }: NumberFacts) =>
  Object.values(flow.nodes).some(({ type }) => type === 'ai_agent' || type === 'go_to_number')
