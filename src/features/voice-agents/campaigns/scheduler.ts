import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { firstChange, nextCallable } from '../../../domain/ai-agent/campaign.ts'
import { enqueue, enqueueOnce } from '../../../jobs/queue.ts'
import { hour } from '../../../lib/clock.ts'
import { ulid } from '../../../lib/ulid.ts'
import type { Services } from '../../../services.ts'
import { lockCompany, mayActFor, numbersById } from '../../accounts/index.ts'
import { publish } from '../../publishing/index.ts'
import { findAgent } from '../agents/store.ts'
import { findCallOptOut } from '../opt-outs/store.ts'
import { insertOutboundCall, openOutboundCalls } from '../outbound-calls/store.ts'
import { publishResult, scheduleCampaigns } from './progress.ts'
import {
  type CampaignRecipient,
  closePending,
  countRecipients,
  hasOpenRecipients,
  nextDueAt,
  nextDueRecipient,
  postpone,
  setProgress,
  startAttempt,
} from './recipients-store.ts'
import { type AgentCampaign, openCampaigns, setCampaignState } from './store.ts'

// Queues the calls of campaigns. The call and the attempt of the recipient are written in one transaction, and only
// while a call can start at once: a process that ends at any moment neither loses a recipient nor calls one twice.

/** Limits of outbound calls of AI agents: per company, and one per Number. */
const maxConcurrentCalls = 5
const maxWaitMs = hour
/** Recipients who are not called, in one transaction: thousands may have opted out. */
const maxDecisions = 200

interface Run {
  at: number
  /** What is left of `maxDecisions`. */
  budget: { decisions: number }
}

export const campaignScheduler =
  (services: Services) =>
  ({ companyId }: { companyId: CompanyId }): Promise<void> =>
    transaction(services.db, (tx) => serveCampaigns(services, tx, companyId))

async function serveCampaigns(services: Services, tx: Tx, companyId: CompanyId): Promise<void> {
  const at = services.clock.now()
  await lockCompany(tx, companyId)
  const mayCall = await mayActFor(services, tx, companyId, 'ai-voice-agents')
  const running: AgentCampaign[] = []
  for (const campaign of await openCampaigns(tx, companyId)) {
    const isExpired = campaign.expiresAt !== null && campaign.expiresAt <= at
    if (isExpired) await closePending(tx, companyId, campaign.id, 'expired', at)
    if (await finishCampaign(services, tx, companyId, campaign, at)) continue
    if (campaign.status !== 'running' || isExpired) continue
    const numberIds = await verifiedNumbers(tx, companyId, campaign)
    const reason = await pauseReason(tx, companyId, campaign, { mayCall, numberIds })
    if (reason) await setCampaignState(tx, companyId, campaign.id, { status: 'paused', pausedReason: reason })
    else running.push({ ...campaign, numberIds })
  }
  const budget = { decisions: maxDecisions }
  const placed = await placeCalls(services, tx, companyId, running, { at, budget })
  if (placed > 0) await enqueue(tx, 'agent_calls.serve', { companyId }, at, `agent-calls:${companyId}`)
  // Recipients may have opted out.
  for (const campaign of running) await finishCampaign(services, tx, companyId, campaign, at)
  if (budget.decisions > 0) await scheduleNext(tx, companyId, at)
  else await scheduleCampaigns(tx, companyId, at)
}

async function finishCampaign(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  { id, status }: AgentCampaign,
  at: number,
): Promise<boolean> {
  if (await hasOpenRecipients(tx, companyId, id)) return false
  const counts = await countRecipients(tx, companyId, [id])
  // A paused campaign with no recipients left is finished as well.
  const campaign = await setCampaignState(tx, companyId, id, {
    status: status === 'cancelled' ? 'cancelled' : 'finished',
    endedAt: at,
  })
  await publish(services, tx, companyId, [{ kind: 'campaign', event: 'finished', campaign, counts }])
  return true
}

async function pauseReason(
  tx: Tx,
  companyId: CompanyId,
  { agentId }: AgentCampaign,
  { mayCall, numberIds }: { mayCall: boolean; numberIds: readonly number[] },
): Promise<AgentCampaign['pausedReason']> {
  const agent = await findAgent(tx, companyId, agentId)
  if (!mayCall || !agent?.active || agent.firstMessage === null) return 'agent_unavailable'
  return numberIds.length === 0 ? 'number_unavailable' : null
}

/** A Number may have been deleted or lost its verification since it was chosen. */
async function verifiedNumbers(tx: Tx, companyId: CompanyId, { numberIds }: AgentCampaign): Promise<number[]> {
  const verified = new Set<number>()
  for (const number of await numbersById(tx, companyId, numberIds)) if (number.validated) verified.add(number.id)
  return numberIds.filter((id) => verified.has(id))
}

/** Campaigns take turns: the one with the fewest calls, then the one that has waited for the longest time. */
async function placeCalls(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  running: readonly AgentCampaign[],
  { at, budget }: Run,
): Promise<number> {
  const open = (await openOutboundCalls(tx, companyId)).map(({ numberId, campaignId }) => ({ numberId, campaignId }))
  const placedAt = new Map(running.map(({ id, placedAt: last }) => [id, last ?? 0]))
  const callsOf = (id: string) => open.filter(({ campaignId }) => campaignId === id).length
  let waiting = [...running]
  let placed = 0
  while (open.length < maxConcurrentCalls && waiting.length > 0) {
    const [campaign] = waiting.toSorted(
      (a, b) => callsOf(a.id) - callsOf(b.id) || (placedAt.get(a.id) ?? 0) - (placedAt.get(b.id) ?? 0),
    )
    if (!campaign) break
    const numberId = campaign.numberIds.find((id) => !open.some((call) => call.numberId === id))
    const isFull = callsOf(campaign.id) >= campaign.concurrency
    const recipient =
      isFull || numberId === undefined ? undefined : await nextCallee(services, tx, companyId, campaign, { at, budget })
    if (!recipient || numberId === undefined) {
      waiting = waiting.filter(({ id }) => id !== campaign.id)
      continue
    }
    await placeCall(services, tx, companyId, { campaign, recipient, numberId, at })
    open.push({ numberId, campaignId: campaign.id })
    placedAt.set(campaign.id, at + placed)
    placed += 1
  }
  return placed
}

/** The next recipient who may be called now; those outside their calling hours are postponed. */
async function nextCallee(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  { id, hours, maxAttempts }: AgentCampaign,
  { at, budget }: Run,
): Promise<CampaignRecipient | undefined> {
  for (; budget.decisions > 0; budget.decisions--) {
    const recipient = await nextDueRecipient(tx, companyId, id, at)
    if (!recipient) return undefined
    const { zones, attempts } = recipient
    const next = nextCallable(hours, zones, at)
    if (zones.length === 0) {
      // The call was withdrawn after the person had been erased.
      const erased = { status: 'cancelled' as const, attempts, dueAt: at }
      await publishResult(services, tx, companyId, await setProgress(tx, companyId, recipient.id, erased, at))
    } else if (attempts >= maxAttempts) {
      // Fewer attempts are allowed since the last one.
      const done = { status: 'not_reached' as const, attempts, dueAt: at }
      await publishResult(services, tx, companyId, await setProgress(tx, companyId, recipient.id, done, at))
    } else if (next === undefined) {
      const never = { status: 'not_reached' as const, attempts, dueAt: at, outcome: 'refused' as const }
      await publishResult(services, tx, companyId, await setProgress(tx, companyId, recipient.id, never, at))
    } else if (next > at) await postpone(tx, companyId, id, { zones, until: next })
    else if (await findCallOptOut(tx, companyId, recipient.phone)) {
      const refused = { status: 'opted_out' as const, attempts, dueAt: at }
      await publishResult(services, tx, companyId, await setProgress(tx, companyId, recipient.id, refused, at))
    } else return recipient
  }
  return undefined
}

interface Placement {
  campaign: AgentCampaign
  recipient: CampaignRecipient
  numberId: number
  at: number
}

async function placeCall(
  { clock }: Services,
  tx: Tx,
  companyId: CompanyId,
  { campaign, recipient, numberId, at }: Placement,
): Promise<void> {
  const id = ulid(clock.machineNow())
  const { phone, name, zones, context } = recipient
  const closes = firstChange(campaign.hours, zones, at) ?? Number.POSITIVE_INFINITY
  const expiresAt = Math.min(at + maxWaitMs, closes, campaign.expiresAt ?? Number.POSITIVE_INFINITY)
  await insertOutboundCall(tx, companyId, {
    id,
    idempotencyKey: `campaign-${id}`,
    agentId: campaign.agentId,
    numberId,
    phone,
    context: { ...(name !== null && { name }), ...(zones[0] !== undefined && { timezone: zones[0] }), ...context },
    status: 'PENDING',
    failureReason: null,
    callId: null,
    campaignId: campaign.id,
    recipientId: recipient.id,
    expiresAt,
    createdAt: at,
  })
  await startAttempt(tx, companyId, recipient, id, at)
  await setCampaignState(tx, companyId, campaign.id, { placedAt: at })
  await enqueueOnce(tx, 'agent_calls.serve', { companyId }, expiresAt, `agent-call-expires:${id}`)
}

/** The next time at which a recipient is due or a campaign expires. The end of a call schedules the job, too. */
async function scheduleNext(tx: Tx, companyId: CompanyId, at: number): Promise<void> {
  const times: number[] = []
  for (const campaign of await openCampaigns(tx, companyId)) {
    const due = campaign.status === 'running' ? await nextDueAt(tx, companyId, campaign.id, at) : undefined
    times.push(...[due ?? 0, campaign.expiresAt ?? 0].filter((time) => time > at))
  }
  if (times.length === 0) return
  await enqueue(tx, 'campaigns.serve', { companyId }, Math.min(...times), `campaigns-next:${companyId}`)
}
