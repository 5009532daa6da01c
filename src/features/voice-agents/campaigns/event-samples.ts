import { defaultCampaignHours, defaultMaxAttempts, defaultRetryDelays } from '../../../domain/ai-agent/campaign.ts'
import type { CampaignRecipient, RecipientCount } from './recipients-store.ts'
import type { AgentCampaign } from './store.ts'

const id = '01JZ0Q3V9X5R8M2K7T4N6P1C0B'

export const exampleCampaign = (at: number): AgentCampaign => ({
  id,
  name: 'Visits of June',
  agentId: '01JZ0Q3V9X5R8M2K7T4N6P1C0A',
  numberIds: [2_000_000_001],
  hours: defaultCampaignHours,
  retryDelays: defaultRetryDelays,
  maxAttempts: defaultMaxAttempts,
  concurrency: 1,
  status: 'finished',
  pausedReason: null,
  expiresAt: null,
  placedAt: at,
  createdAt: at - 7_200_000,
  startedAt: at - 3_600_000,
  endedAt: at,
})

export const exampleCounts: RecipientCount[] = [
  { campaignId: id, status: 'reached', outcome: 'answered', n: 12 },
  { campaignId: id, status: 'not_reached', outcome: 'no_answer', n: 3 },
]

export const exampleRecipient = (at: number): CampaignRecipient => ({
  id: 2_000_000_029,
  campaignId: id,
  phone: '+14155550147',
  name: 'Jo',
  timeZone: null,
  zones: ['America/Los_Angeles'],
  context: {},
  status: 'reached',
  attempts: 1,
  refusals: 0,
  lastOutcome: 'answered',
  outboundCallId: '01JZ0Q3V9X5R8M2K7T4N6P1C0C',
  callId: 4_000_000_001,
  dueAt: at,
  updatedAt: at,
})
