import type { Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { unprocessable } from '../../../http/errors.ts'
import type { Services } from '../../../services.ts'
import { lockCompany } from '../../accounts/index.ts'
import { publish } from '../../publishing/index.ts'
import { withdrawQueuedCalls } from '../outbound-calls/store.ts'
import { scheduleCampaigns } from './progress.ts'
import { closePending, countRecipients, withdrawAttempts } from './recipients-store.ts'
import { callingAgent } from './settings.ts'
import { type AgentCampaign, findAgentCampaign, setCampaignState } from './store.ts'

export type CampaignAction = 'start' | 'pause' | 'resume' | 'cancel'

const statusesFor: Record<CampaignAction, readonly AgentCampaign['status'][]> = {
  start: ['draft'],
  pause: ['running'],
  resume: ['paused'],
  cancel: ['draft', 'running', 'paused'],
}

/** Calls in progress are not affected by a pause or a cancellation; their results are stored. */
export async function changeCampaign(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  id: string,
  action: CampaignAction,
): Promise<AgentCampaign | undefined> {
  const at = services.clock.now()
  await lockCompany(tx, companyId)
  const before = await findAgentCampaign(tx, companyId, id)
  if (!before) return undefined
  if (!statusesFor[action].includes(before.status)) {
    throw unprocessable(`The campaign is ${before.status}; \`${action}\` is not possible`)
  }
  await scheduleCampaigns(tx, companyId, at)
  switch (action) {
    case 'start': {
      await callingAgent(tx, companyId, before.agentId)
      const counts = await countRecipients(tx, companyId, [id])
      if (counts.length === 0) throw unprocessable('The campaign has no recipients')
      const campaign = await setCampaignState(tx, companyId, id, { status: 'running', startedAt: at })
      await publish(services, tx, companyId, [{ kind: 'campaign', event: 'started', campaign, counts }])
      return campaign
    }
    case 'resume':
      await callingAgent(tx, companyId, before.agentId)
      return setCampaignState(tx, companyId, id, { status: 'running', pausedReason: null })
    case 'pause':
      await withdrawCampaignCalls(tx, companyId, id, at)
      return setCampaignState(tx, companyId, id, { status: 'paused', pausedReason: null })
    case 'cancel':
      await withdrawCampaignCalls(tx, companyId, id, at)
      await closePending(tx, companyId, id, 'cancelled', at)
      return setCampaignState(tx, companyId, id, { status: 'cancelled' })
  }
}

/** Withdraws queued calls that have not been placed. */
export async function withdrawCampaignCalls(tx: Tx, companyId: CompanyId, id: string, at: number): Promise<void> {
  const withdrawn = await withdrawQueuedCalls(tx, companyId, id)
  await withdrawAttempts(tx, companyId, withdrawn, at)
}
