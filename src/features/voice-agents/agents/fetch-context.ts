import { contextOf } from '../../../domain/ai-agent/context-request.ts'
import type { AgentPlan } from '../../../domain/ai-agent/plan.ts'
import type { ContactFacts } from '../../../domain/ai-agent/prompt-data.ts'
import type { Context } from '../../../domain/ai-agent/variables.ts'
import { type SigningServices, signedRequest } from './http-tools.ts'

export interface FetchedFor {
  companyId: number
  /** E.164; null if withheld. */
  phone: string | null
  direction: 'inbound' | 'outbound' | 'internal'
  contact: ContactFacts | null
}

/** Data about the caller; empty after every failure. Never rejects. */
export async function fetchContext(
  services: SigningServices,
  { id, contextRequest }: Pick<AgentPlan, 'id' | 'contextRequest'>,
  { companyId, phone, direction, contact }: FetchedFor,
): Promise<Context> {
  if (!contextRequest) return {}
  const { clock, log } = services
  const started = clock.machineNow()
  const facts = { event: 'voice_agent.context', companyId, agentId: id }
  try {
    const fields = { agent_id: id, direction, phone }
    const { method } = contextRequest
    const query = { ...fields, phone: phone ?? '', contact_name: contact?.name ?? '' }
    const payload =
      method === 'GET' ? query : { ...fields, contact: contact && { name: contact.name, company: contact.company } }
    const response = await signedRequest(services, companyId, contextRequest, payload)
    const { context, problem } = contextOf(response)
    const ms = clock.machineNow() - started
    const fieldCount = Object.keys(context).length
    log.info(
      { ...facts, status: response.status, problem, fieldCount, ms },
      'an AI agent requested data about a caller',
    )
    return context
  } catch (error) {
    log.warn({ ...facts, error }, 'request for data about a caller failed')
    return {}
  }
}
