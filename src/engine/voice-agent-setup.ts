import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { EscalationTarget, TransferTarget } from '../domain/ai-agent/plan.ts'
import { type Context, withContext } from '../domain/ai-agent/variables.ts'
import type { CallState } from '../domain/call/state.ts'
import type { VoiceAgentSetup } from '../domain/call/voice-agent-session.ts'
import { mayUse } from '../features/accounts/companies/entitlements.ts'
import { findAgent, type VoiceAgent } from '../features/voice-agents/agents/store.ts'
import { ulid } from '../lib/ulid.ts'
import type { Services } from '../services.ts'
import { membersOf } from './ring-store.ts'
import { isSupported } from './voice-agent-capabilities.ts'

/** Undefined: inactive, deleted or not licensed, or a required speech service is missing. */
export async function voiceAgentFor(
  services: Services,
  tx: Tx,
  { companyId, speech }: Pick<CallState, 'companyId' | 'speech'>,
  id: string,
): Promise<VoiceAgentSetup | undefined> {
  const agent = await findAgent(tx, companyId, id)
  if (!agent?.active || !(await mayUse(services, tx, companyId, 'ai-voice-agents'))) return undefined
  if (!isSupported(speech, agent)) return undefined
  return voiceAgentSetup(services, tx, companyId, agent, {})
}

export async function voiceAgentSetup(
  { clock }: Services,
  tx: Tx,
  companyId: CompanyId,
  agent: VoiceAgent,
  context: Context,
): Promise<VoiceAgentSetup> {
  const { numberId: _number, active: _active, createdAt: _made, updatedAt: _changed, ...plan } = agent
  const firstMessage = plan.firstMessage && withContext(plan.firstMessage, context, plan.language)
  return {
    session: ulid(clock.machineNow()),
    plan: { ...plan, firstMessage },
    firstUserId: await firstOf(tx, companyId, plan.escalation.target),
    ...(await firstOfTeams(tx, companyId, plan.transferTargets)),
  }
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
