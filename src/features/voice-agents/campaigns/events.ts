import type { Answers } from '../../../domain/ai-agent/plan.ts'
import { type FactRenderer, payloadOf } from '../../publishing/index.ts'
import { exampleCampaign, exampleCounts, exampleRecipient } from './event-samples.ts'
import type { CampaignRecipient, RecipientCount } from './recipients-store.ts'
import type { AgentCampaign } from './store.ts'
import { CampaignChanged, CampaignResult, campaignChanged, campaignResult } from './view.ts'

export interface CampaignFact {
  kind: 'campaign'
  event: 'started' | 'finished'
  campaign: AgentCampaign
  counts: readonly RecipientCount[]
}

export interface CampaignResultFact {
  kind: 'campaign_result'
  recipient: CampaignRecipient
  answers: Answers
}

declare module '../../publishing/publish.ts' {
  interface FactsByKind {
    campaign: CampaignFact
    campaign_result: CampaignResultFact
  }
}

export const campaignPayloads = {
  'ai_voice_agent.campaign_started': payloadOf(CampaignChanged)(({ at }) =>
    campaignChanged({ ...exampleCampaign(at), status: 'running', endedAt: null }, exampleCounts),
  ),
  'ai_voice_agent.campaign_finished': payloadOf(CampaignChanged)(({ at }) =>
    campaignChanged(exampleCampaign(at), exampleCounts),
  ),
  'ai_voice_agent.campaign_result': payloadOf(CampaignResult)(({ at }) =>
    campaignResult(exampleRecipient(at), { comes: true }),
  ),
}

export const renderCampaignFacts: FactRenderer<CampaignFact> = async () => {
  return ({ event, campaign, counts }) => {
    const name = `ai_voice_agent.campaign_${event}` as const
    const data = campaignPayloads[name].write(campaignChanged(campaign, counts))
    return [{ name, resourceKey: `campaign:${campaign.id}`, data }]
  }
}

export const renderCampaignResultFacts: FactRenderer<CampaignResultFact> = async () => {
  return ({ recipient, answers }) => {
    const name = 'ai_voice_agent.campaign_result'
    const data = campaignPayloads[name].write(campaignResult(recipient, answers))
    return [{ name, resourceKey: `campaign_recipient:${recipient.id}`, data }]
  }
}
