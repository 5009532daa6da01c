import { type Static, Type } from 'typebox'
import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { defaultCampaignHours, defaultMaxAttempts, defaultRetryDelays } from '../../../domain/ai-agent/campaign.ts'
import { parseHours } from '../../../domain/opening-hours.ts'
import { badRequest, unprocessable } from '../../../http/errors.ts'
import { Id, nameText, nullable, Timestamp } from '../../../http/schemas.ts'
import { findNumber } from '../../accounts/index.ts'
import { findAgent, numbersWithAgents, type VoiceAgent } from '../agents/store.ts'
import type { CampaignSettings } from './store.ts'

// Settings of a campaign, and their validation.

const day = 86_400
const Delay = Type.Optional(nullable(Type.Integer({ minimum: 60, maximum: 30 * day })))

export const CallingHours = Type.Optional(
  Type.Unsafe<unknown>({
    type: 'object',
    'x-any': true,
    description:
      'Times by weekday in the time zone of the recipient. A missing day has none. Default: Monday to Friday, 09:00 to 18:00',
    examples: [
      {
        mon: [
          ['09:00', '12:00'],
          ['14:00', '18:00'],
        ],
      },
    ],
  }),
)

const others = {
  number_ids: Type.Optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: 5,
      description: 'Numbers to call from, one call at a time each. Default: the Number of the AI voice agent',
    }),
  ),
  calling_hours: CallingHours,
  max_attempts: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10, description: 'Maximum number of calls to a recipient', default: 3 }),
  ),
  retry_delays: Type.Optional(
    Type.Object(
      { no_answer: Delay, busy: Delay, voicemail: Delay },
      { description: 'Seconds until the next attempt, by outcome; null: no further attempt' },
    ),
  ),
  concurrency: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 5, description: 'Maximum number of concurrent calls', default: 1 }),
  ),
  expires_at: Type.Optional(nullable(Timestamp)),
}

export const NewCampaign = { name: nameText(128), agent_id: Type.String({ maxLength: 64 }), ...others }
export const ChangedCampaign = Type.Object({ name: Type.Optional(nameText(128)), ...others })

export const freshCampaign: Omit<CampaignSettings, 'name' | 'agentId' | 'numberIds'> = {
  hours: defaultCampaignHours,
  retryDelays: defaultRetryDelays,
  maxAttempts: defaultMaxAttempts,
  concurrency: 1,
  expiresAt: null,
}

export function changedCampaign(before: CampaignSettings, body: Static<typeof ChangedCampaign>): CampaignSettings {
  return {
    ...before,
    ...(body.name !== undefined && { name: body.name }),
    ...(body.number_ids !== undefined && { numberIds: [...new Set(body.number_ids)] }),
    ...(body.calling_hours !== undefined && { hours: hoursOf(body.calling_hours) }),
    ...(body.max_attempts !== undefined && { maxAttempts: body.max_attempts }),
    ...(body.retry_delays !== undefined && { retryDelays: { ...before.retryDelays, ...body.retry_delays } }),
    ...(body.concurrency !== undefined && { concurrency: body.concurrency }),
    ...(body.expires_at !== undefined && { expiresAt: timeOf(body.expires_at) }),
  }
}

export function hoursOf(value: unknown) {
  const parsed = parseHours(value, 'calling_hours')
  if ('problem' in parsed) throw badRequest(parsed.problem)
  if (Object.values(parsed.hours).every((ranges) => ranges.length === 0)) {
    throw badRequest('`calling_hours` must have a day with times')
  }
  return parsed.hours
}

function timeOf(value: string | null): number | null {
  if (value === null) return null
  const time = Date.parse(value)
  if (Number.isNaN(time)) throw badRequest('`expires_at` must be a datetime, such as 2026-06-30T18:00:00Z')
  return time
}

/** Throws unless the AI agent can call. */
export async function callingAgent(db: Db, companyId: CompanyId, id: string): Promise<VoiceAgent> {
  const agent = await findAgent(db, companyId, id)
  if (!agent) throw badRequest('`agent_id` is not an AI voice agent of the company')
  if (!agent.active) throw unprocessable('The AI agent is not active; activate it first')
  if (agent.firstMessage === null) throw unprocessable('The AI agent has no first message; add one first')
  return agent
}

/** The Number of the AI agent: its outbound Number, else the first one whose flow uses it. */
export async function numbersOfAgent(db: Db, companyId: CompanyId, agent: VoiceAgent): Promise<number[]> {
  const id = agent.numberId ?? (await numbersWithAgents(db, companyId)).get(agent.id)?.[0]
  if (id === undefined)
    throw unprocessable(
      'The AI agent has no Number to call from: select one with `number_ids`, or assign one to the AI agent',
    )
  return [id]
}

export async function checkCampaign(
  db: Db,
  companyId: CompanyId,
  { numberIds, expiresAt }: CampaignSettings,
  at: number,
): Promise<void> {
  for (const id of numberIds) {
    const number = await findNumber(db, companyId, id)
    if (!number) throw badRequest(`The Number ${id} does not exist`)
    if (!number.validated) throw unprocessable(`The Number ${id} is not verified`)
  }
  if (expiresAt !== null && expiresAt <= at) throw badRequest('`expires_at` must be in the future')
}
