import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import {
  type CallOutcome,
  defaultCampaignHours,
  defaultRetryDelays,
  nextCallable,
  type RecipientStatus,
} from '../domain/ai-agent/campaign.ts'
import type { AgentPlan } from '../domain/ai-agent/plan.ts'
import { type CallRecord, newRecord } from '../domain/call/record.ts'
import { insertRecipients, recipientsAfter, setProgress } from '../features/voice-agents/campaigns/recipients-store.ts'
import { freshCampaign } from '../features/voice-agents/campaigns/settings.ts'
import { insertAgentCampaign, setCampaignState } from '../features/voice-agents/campaigns/store.ts'
import { insertCallOptOut } from '../features/voice-agents/opt-outs/store.ts'
import { day, minute, second } from '../lib/clock.ts'
import { type Random, seededRandom } from '../lib/random.ts'
import { ulid } from '../lib/ulid.ts'
import { externalParty, type PastCall, type PastSession, uuidOf } from './past-call.ts'
import type { WrittenCall } from './past-events.ts'
import { agentConversation, sessionEndOf } from './past-sessions.ts'
import { timedLines } from './texts/dialogue.ts'

// An outbound campaign of the demo company that has ended, with its calls.

/** The last attempt; earlier ones were not answered. */
type Result = 'comes' | 'declines' | 'opts_out' | 'voicemail' | 'no_answer' | 'busy'

const results: readonly [name: string, result: Result, attempts: number][] = [
  ['Amélie Roux', 'comes', 1],
  ['Bastien Morel', 'comes', 1],
  ['Chloé Faure', 'voicemail', 3],
  ['David Lopez', 'declines', 2],
  ['Elsa Girard', 'no_answer', 3],
  ['Farid Haddad', 'comes', 1],
  ['Gaëlle Perrin', 'comes', 3],
  ['Hugo Lambert', 'busy', 3],
  ['Inès Fontaine', 'declines', 1],
  ['Jules Marchand', 'opts_out', 1],
  ['Karim Benali', 'comes', 2],
  ['Léa Dupuis', 'voicemail', 3],
]

const callees: Partial<Record<Result, { says: string; summary: string; next: string[] }>> = {
  comes: {
    says: 'Yes, I will be there.',
    summary: 'The customer confirmed the visit of the technician.',
    next: [],
  },
  declines: {
    says: 'No, I am travelling that day. Please find another one.',
    summary: 'The customer cannot be there for the visit of the technician and asked for another day.',
    next: ['Call the customer back to agree on another day for the visit'],
  },
  opts_out: {
    says: 'Please do not call me again.',
    summary: 'The customer asked not to be called again.',
    next: [],
  },
  voicemail: {
    says: 'You have reached my voicemail. Please leave a message after the tone.',
    summary: 'Voicemail answered the call.',
    next: [],
  },
}

const outcomeOf = (result: Result): CallOutcome =>
  result === 'voicemail' || result === 'no_answer' || result === 'busy' ? result : 'answered'
const statusOf = (result: Result): RecipientStatus => {
  if (result === 'opts_out') return 'opted_out'
  return outcomeOf(result) === 'answered' ? 'reached' : 'not_reached'
}

const zones = ['Europe/Paris']
const phoneOf = (index: number) => `+331990003${String(index + 10)}`
const createdAt = (at: number) => at - 9 * day

interface DemoCampaign {
  agent: AgentPlan
  numberId: number
  at: number
}

/** All attempts, within the calling hours. */
export function campaignCalls(campaign: DemoCampaign): PastCall[] {
  const random = seededRandom(75)
  const callable = (time: number) => nextCallable(defaultCampaignHours, zones, time) ?? time
  return results.flatMap(([, result, attempts], index) => {
    let time = callable(createdAt(campaign.at)) + index * 5 * minute
    return Array.from({ length: attempts }, (_, nth) => {
      const isLast = nth === attempts - 1
      const attempt = isLast || outcomeOf(result) !== 'answered' ? result : 'no_answer'
      const call = callTo(campaign, { phone: phoneOf(index), result: attempt, startedAt: time }, random)
      const delays = defaultRetryDelays
      const seconds = (attempt === 'busy' ? delays.busy : delays.no_answer) ?? 0
      time = callable(time + seconds * second)
      return call
    })
  })
}

interface Attempt {
  phone: string
  result: Result
  startedAt: number
}

function callTo({ agent, numberId }: DemoCampaign, { phone, result, startedAt }: Attempt, random: Random) {
  const callee = callees[result]
  const answeredAt = callee ? startedAt + random.integer(4, 15) * second : null
  const { said, reply } = agentConversation(agent, callee ? [callee.says] : [], startedAt)
  // At the greeting of a voicemail the agent hangs up.
  const lines = callee ? timedLines(result === 'voicemail' ? said.slice(0, -1) : said) : []
  const rang = result === 'busy' ? 2 : 30
  const endedAt = (answeredAt ?? startedAt) + (callee ? Math.ceil(lines.at(-1)?.end ?? 0) + 1 : rang) * second
  const record: CallRecord = {
    ...newRecord('outbound', startedAt),
    numberId,
    external: phone,
    answeredAt,
    endedAt,
    participants: externalParty(phone),
    hangupCause: callee ? 'normal_clearing' : result === 'busy' ? 'user_busy' : 'no_answer',
  }
  const call: PastCall = {
    uuid: uuidOf(random),
    record,
    rings: [],
    parties: [],
    tags: [],
    comments: [],
    archived: true,
    voicemailMs: null,
    talk: null,
    session: null,
  }
  if (!callee || answeredAt === null) return call
  const turns = lines.map(({ by, text, start }) => ({
    by: by === 'agent' ? ('agent' as const) : ('caller' as const),
    text,
    at: answeredAt + Math.round(start * second),
  }))
  const isVoicemail = result === 'voicemail'
  const session: PastSession = {
    agent,
    startedAt: answeredAt,
    endedAt,
    endReason: isVoicemail ? 'disconnected' : sessionEndOf(reply.next),
    escalationReason: null,
    answers: isVoicemail ? {} : reply.talk.answers,
    turns,
  }
  const talk = { lines, mood: 'NEUTRAL' as const, csat: null, summary: callee.summary, next: callee.next }
  return { ...call, session, talk: isVoicemail ? null : talk }
}

/** After its calls. */
export async function writeCampaign(
  tx: Tx,
  companyId: CompanyId,
  { agent, numberId, at }: DemoCampaign,
  calls: readonly WrittenCall[],
): Promise<void> {
  const settings = { ...freshCampaign, name: 'Visits of last week', agentId: agent.id, numberIds: [numberId] }
  const { id } = await insertAgentCampaign(tx, companyId, ulid(createdAt(at)), settings, createdAt(at))
  const recipients = results.map(([name], index) => ({
    phone: phoneOf(index),
    name,
    timeZone: null,
    zones,
    context: {},
  }))
  await insertRecipients(tx, companyId, id, recipients, createdAt(at))
  const added = await recipientsAfter(tx, companyId, id, 0, results.length)
  const starts: number[] = []
  const ends: number[] = []
  for (const [index, [, result, attempts]] of results.entries()) {
    const recipient = added[index]
    const last = calls.findLast(({ call }) => call.record.external === phoneOf(index))
    if (!recipient || !last) continue
    const endedAt = last.call.record.endedAt ?? at
    starts.push(last.call.record.startedAt)
    ends.push(endedAt)
    const progress = { status: statusOf(result), attempts, dueAt: endedAt, outcome: outcomeOf(result), callId: last.id }
    await setProgress(tx, companyId, recipient.id, progress, endedAt)
    if (result !== 'opts_out') continue
    await insertCallOptOut(tx, companyId, {
      phone: recipient.phone,
      source: 'call',
      callId: last.id,
      createdAt: endedAt,
    })
  }
  const startedAt = nextCallable(defaultCampaignHours, zones, createdAt(at)) ?? createdAt(at)
  const [placedAt, endedAt] = [Math.max(startedAt, ...starts), Math.max(startedAt, ...ends)]
  await setCampaignState(tx, companyId, id, { status: 'finished', startedAt, placedAt, endedAt })
}
