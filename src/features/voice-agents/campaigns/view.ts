import { type Static, Type } from 'typebox'
import {
  type CampaignStatus,
  callOutcomes,
  campaignStatuses,
  type RecipientStatus,
  recipientStatuses,
} from '../../../domain/ai-agent/campaign.ts'
import type { Answers } from '../../../domain/ai-agent/plan.ts'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds, unixSeconds } from '../../../lib/time-format.ts'
import type { CampaignRecipient, RecipientCount } from './recipients-store.ts'
import type { AgentCampaign } from './store.ts'

const seconds = (after: string) =>
  nullable(Type.Integer({ description: `Seconds until the next attempt after ${after}; null: no further attempt` }))

const CampaignProgress = Type.Object({
  total: Type.Integer(),
  ...Object.fromEntries(recipientStatuses.map((status) => [status, Type.Integer()])),
} as { total: ReturnType<typeof Type.Integer> } & Record<RecipientStatus, ReturnType<typeof Type.Integer>>)

const CampaignOutcomes = Type.Object(
  Object.fromEntries(callOutcomes.map((outcome) => [outcome, Type.Integer()])) as Record<
    (typeof callOutcomes)[number],
    ReturnType<typeof Type.Integer>
  >,
  { description: 'Recipients by the outcome of their last call' },
)

const shared = {
  id: Type.String({ examples: ['01JZ0Q3V9X5R8M2K7T4N6P1C0A'] }),
  name: Type.String(),
  status: oneOf(campaignStatuses),
  agent_id: Type.String({ description: 'AI voice agent that calls' }),
  progress: CampaignProgress,
  outcomes: CampaignOutcomes,
}

export const AgentCampaignView = Type.Object({
  ...shared,
  paused_reason: nullable(
    oneOf(['agent_unavailable', 'number_unavailable'], {
      description: 'Why the service has paused the campaign; null if a user has',
    }),
  ),
  number_ids: Type.Array(Type.Integer(), { description: 'Numbers to call from' }),
  calling_hours: Type.Unsafe<Record<string, [string, string][]>>({
    type: 'object',
    additionalProperties: true,
    description: 'Times by weekday, in the time zone of the recipient',
    examples: [{ mon: [['09:00', '18:00']] }],
  }),
  max_attempts: Type.Integer(),
  retry_delays: Type.Object({
    no_answer: seconds('a call that was not answered or not completed'),
    busy: seconds('a call that was busy'),
    voicemail: seconds('a voicemail'),
  }),
  concurrency: Type.Integer({ description: 'Maximum number of concurrent calls' }),
  expires_at: nullable(Timestamp),
  created_at: Timestamp,
  started_at: nullable(Timestamp),
  ended_at: nullable(Timestamp),
})

export const CampaignRecipientView = Type.Object({
  id: Type.Integer(),
  phone_number: Type.String({ description: 'E.164' }),
  name: nullable(Type.String()),
  time_zone: nullable(Type.String({ description: 'Null: derived from the country of the number' })),
  status: oneOf(recipientStatuses),
  attempts: Type.Integer({ description: 'Calls placed so far' }),
  last_outcome: nullable(oneOf(callOutcomes)),
  call_id: nullable(Type.Integer({ description: 'The last call that was placed' })),
  answers: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'Answers collected on the last call, by question key',
  }),
  next_attempt_at: nullable(
    Type.Unsafe<string>({ ...Timestamp, description: 'Null: no attempt follows, or the campaign is not running' }),
  ),
  updated_at: Timestamp,
})

/** The payload of an event has UNIX seconds. */
export const CampaignChanged = Type.Object({
  ...shared,
  started_at: nullable(Type.Integer({ description: 'UNIX seconds' })),
  ended_at: nullable(Type.Integer({ description: 'UNIX seconds' })),
})

export const CampaignResult = Type.Object({
  campaign_id: Type.String(),
  recipient_id: Type.Integer(),
  phone_number: Type.String(),
  name: nullable(Type.String()),
  status: oneOf(recipientStatuses),
  attempts: Type.Integer(),
  outcome: nullable(oneOf(callOutcomes)),
  call_id: nullable(Type.Integer()),
  answers: CampaignRecipientView.properties.answers,
})

function countsOf(counts: readonly RecipientCount[], id: string) {
  const mine = counts.filter(({ campaignId }) => campaignId === id)
  const sum = (matches: (one: RecipientCount) => boolean) => mine.filter(matches).reduce((all, { n }) => all + n, 0)
  const by = <const T extends string>(words: readonly T[], key: 'status' | 'outcome') =>
    Object.fromEntries(words.map((word) => [word, sum((one) => one[key] === word)])) as Record<T, number>
  return {
    progress: { total: sum(() => true), ...by(recipientStatuses, 'status') },
    outcomes: by(callOutcomes, 'outcome'),
  }
}

export const agentCampaignView = (
  campaign: AgentCampaign,
  counts: readonly RecipientCount[],
): Static<typeof AgentCampaignView> => ({
  id: campaign.id,
  name: campaign.name,
  status: campaign.status,
  paused_reason: campaign.status === 'paused' ? campaign.pausedReason : null,
  agent_id: campaign.agentId,
  number_ids: [...campaign.numberIds],
  calling_hours: campaign.hours,
  max_attempts: campaign.maxAttempts,
  retry_delays: { ...campaign.retryDelays },
  concurrency: campaign.concurrency,
  expires_at: campaign.expiresAt === null ? null : isoSeconds(campaign.expiresAt),
  created_at: isoSeconds(campaign.createdAt),
  started_at: campaign.startedAt === null ? null : isoSeconds(campaign.startedAt),
  ended_at: campaign.endedAt === null ? null : isoSeconds(campaign.endedAt),
  ...countsOf(counts, campaign.id),
})

export const campaignChanged = (
  campaign: AgentCampaign,
  counts: readonly RecipientCount[],
): Static<typeof CampaignChanged> => ({
  id: campaign.id,
  name: campaign.name,
  status: campaign.status,
  agent_id: campaign.agentId,
  started_at: campaign.startedAt === null ? null : unixSeconds(campaign.startedAt),
  ended_at: campaign.endedAt === null ? null : unixSeconds(campaign.endedAt),
  ...countsOf(counts, campaign.id),
})

export const recipientView = (
  recipient: CampaignRecipient,
  campaignStatus: CampaignStatus,
  answers: Answers,
): Static<typeof CampaignRecipientView> => ({
  id: recipient.id,
  phone_number: recipient.phone,
  name: recipient.name,
  time_zone: recipient.timeZone,
  status: recipient.status,
  attempts: recipient.attempts,
  last_outcome: recipient.lastOutcome,
  call_id: recipient.callId,
  answers: { ...answers },
  next_attempt_at: campaignStatus === 'running' && recipient.status === 'pending' ? isoSeconds(recipient.dueAt) : null,
  updated_at: isoSeconds(recipient.updatedAt),
})

export const campaignResult = (recipient: CampaignRecipient, answers: Answers): Static<typeof CampaignResult> => ({
  campaign_id: recipient.campaignId,
  recipient_id: recipient.id,
  phone_number: recipient.phone,
  name: recipient.name,
  status: recipient.status,
  attempts: recipient.attempts,
  outcome: recipient.lastOutcome,
  call_id: recipient.callId,
  answers: { ...answers },
})
