import type { Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { afterAttempt } from '../../../domain/ai-agent/campaign.ts'
import { enqueue } from '../../../jobs/queue.ts'
import type { Services } from '../../../services.ts'
import { publish } from '../../publishing/index.ts'
import { findCallOptOut } from '../opt-outs/store.ts'
import type { OutboundAgentCall } from '../outbound-calls/store.ts'
import { collectedAnswers } from '../sessions/store.ts'
import { type CampaignRecipient, eraseRecipients, recipientOfCall, setProgress } from './recipients-store.ts'
import { findAgentCampaign } from './store.ts'

/** A call of an AI agent has ended: stores the result of the recipient, in the transaction of the end. */
export async function outboundCallEnded(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  call: OutboundAgentCall,
  at: number,
): Promise<void> {
  if (call.recipientId !== null && call.campaignId !== null && call.outcome !== null) {
    const campaign = await findAgentCampaign(tx, companyId, call.campaignId)
    const recipient = await recipientOfCall(tx, companyId, call.recipientId, call.id)
    if (campaign && recipient) {
      const { outcome, callId } = call
      const hasOptedOut = (await findCallOptOut(tx, companyId, call.phone)) !== undefined
      const { maxAttempts, retryDelays } = campaign
      const { attempts, refusals } = recipient
      const next = afterAttempt({ outcome, attempts, refusals, maxAttempts, retryDelays, hasOptedOut, at })
      // A campaign that was cancelled, or has expired, makes no further attempts, and neither is an erased person called.
      const isErased = recipient.zones.length === 0
      const isOver = isErased || campaign.status === 'cancelled' || campaign.status === 'finished'
      const progress = isOver && next.status === 'pending' ? { ...next, status: 'cancelled' as const } : next
      const done = await setProgress(tx, companyId, recipient.id, { ...progress, outcome, callId }, at)
      await publishResult(services, tx, companyId, done)
    }
  }
  await scheduleCampaigns(tx, companyId, at)
}

/** A result is published after every attempt. */
export async function publishResult(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  recipient: CampaignRecipient,
): Promise<void> {
  const { callId } = recipient
  const answers = callId === null ? {} : ((await collectedAnswers(tx, companyId, [callId])).get(callId) ?? {})
  await publish(services, tx, companyId, [{ kind: 'campaign_result', recipient, answers }])
}

/** Places the calls that are due. */
export const scheduleCampaigns = (tx: Tx, companyId: CompanyId, at: number): Promise<void> =>
  enqueue(tx, 'campaigns.serve', { companyId }, at, `campaigns:${companyId}`)

/** Erases the people of these numbers from all campaigns. */
export async function forgetRecipients(tx: Tx, companyId: CompanyId, phones: readonly string[], at: number) {
  if (phones.length === 0) return
  const cancelled = await eraseRecipients(tx, companyId, phones, at)
  // A campaign may have no recipients left to call.
  if (cancelled > 0) await scheduleCampaigns(tx, companyId, at)
}
