import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { EscalationTarget, TransferTarget } from '../domain/ai-agent/plan.ts'
import type { ContactFacts } from '../domain/ai-agent/prompt-data.ts'
import { type Context, withContext } from '../domain/ai-agent/variables.ts'
import type { CallState } from '../domain/call/state.ts'
import type { VoiceAgentSetup } from '../domain/call/voice-agent-session.ts'
import { isE164 } from '../domain/phone-number.ts'
import { mayUse } from '../features/accounts/companies/entitlements.ts'
import { findNumber } from '../features/accounts/numbers/store.ts'
import { contactOfPhone } from '../features/contacts/contacts/phones-store.ts'
import { factsForPrompt } from '../features/voice-agents/agents/call-facts.ts'
import { findAgent, type VoiceAgent } from '../features/voice-agents/agents/store.ts'
import { hasDocuments } from '../features/voice-agents/knowledge/store.ts'
import { ulid } from '../lib/ulid.ts'
import type { Services } from '../services.ts'
import { membersOf } from './ring-store.ts'
import { isSupported } from './voice-agent-capabilities.ts'

interface StartedCall {
  direction: 'inbound' | 'outbound'
  phone: string
  context: Context
}

/** Undefined: inactive, deleted or not licensed, or a required speech service is missing. */
export async function voiceAgentFor(
  services: Services,
  tx: Tx,
  { companyId, speech, record, customer }: Pick<CallState, 'companyId' | 'speech' | 'record' | 'customer'>,
  id: string,
): Promise<VoiceAgentSetup | undefined> {
  const agent = await findAgent(tx, companyId, id)
  if (!agent?.active || !(await mayUse(services, tx, companyId, 'ai-voice-agents'))) return undefined
  if (!isSupported(speech, agent)) return undefined
  const { direction, numberId, external } = record
  const call = { direction, phone: customer.phone ?? external, context: {} }
  return voiceAgentSetup(services, tx, companyId, { ...agent, numberId }, call)
}

export async function voiceAgentSetup(
  { clock }: Services,
  tx: Tx,
  companyId: CompanyId,
  agent: VoiceAgent,
  call: StartedCall,
): Promise<VoiceAgentSetup> {
  const { numberId, active: _active, createdAt: _made, updatedAt: _changed, ...plan } = agent
  const { voicemail } = plan
  // With a request for data, messages are completed once its response is known.
  const { contextRequest } = plan
  const filledIn = (text: string | null) =>
    text && (contextRequest ? text : withContext(text, call.context, plan.language))
  return {
    session: ulid(clock.machineNow()),
    plan: {
      ...plan,
      ...(await placeOf(tx, companyId, numberId, plan.brain === 'llm' || contextRequest ? call : undefined)),
      ...(contextRequest && { context: call.context }),
      ...(plan.brain === 'llm' && (await hasDocuments(tx, companyId, plan.id)) && { hasDocuments: true as const }),
      firstMessage: filledIn(plan.firstMessage),
      ...(call.direction === 'outbound' && { isOutbound: true as const }),
      ...(voicemail && { voicemail: { ...voicemail, message: filledIn(voicemail.message) } }),
    },
    firstUserId: await firstOf(tx, companyId, plan.escalation.target),
    ...(await firstOfTeams(tx, companyId, plan.transferTargets)),
  }
}

/** Dates, times and postcodes are those of the Number of the call. */
async function placeOf(tx: Tx, companyId: CompanyId, numberId: number | null, call: StartedCall | undefined) {
  const number = numberId === null ? undefined : await findNumber(tx, companyId, numberId)
  if (!call) return number && { timeZone: number.timeZone, country: number.country }
  return factsForPrompt(tx, companyId, number, {
    direction: call.direction,
    phone: isE164(call.phone) ? call.phone : null,
    contact: await contactFacts(tx, companyId, call.phone, number?.country),
    variables: call.context,
  })
}

async function contactFacts(
  tx: Tx,
  companyId: CompanyId,
  phone: string,
  country: string | undefined,
): Promise<ContactFacts | null> {
  if (!isE164(phone)) return null
  const contact = await contactOfPhone(tx, companyId, phone.slice(1), country)
  if (!contact) return null
  const { firstName, lastName, companyName: company, information } = contact
  const name = [firstName, lastName].filter((part) => part !== null).join(' ')
  return { name: name === '' ? null : name, company, information }
}

async function firstOfTeams(tx: Tx, companyId: CompanyId, targets: readonly TransferTarget[]) {
  const teams = targets.flatMap(({ target }) => (target.type === 'team' ? [target.id] : []))
  if (teams.length === 0) return {}
  const members = await membersOf(tx, companyId, teams)
  return { firstOfTeams: Object.fromEntries(teams.map((id) => [id, members.get(id)?.[0] ?? null])) }
}

async function firstOf(tx: Tx, companyId: CompanyId, target: EscalationTarget): Promise<number | null> {
  if (target.type !== 'team') return null
  return (await membersOf(tx, companyId, [target.id])).get(target.id)?.[0] ?? null
}
