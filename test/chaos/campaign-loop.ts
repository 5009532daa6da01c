import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '../../src/db/database.ts'
import { seededRandom } from '../../src/lib/random.ts'
import { createFleet, type Fleet } from './fleet.ts'
import { pollUntil } from './poll.ts'
import type { RoundsOptions, RoundsReport } from './rounds.ts'
import type { Api } from './server.ts'

// Kills every process again and again while an AI agent calls the recipients of a campaign. One attempt per recipient is
// allowed: in the end each of them has been called once.

export interface CampaignReport extends RoundsReport {
  recipients: number
  /** Recipients who were being called at a kill. */
  interrupted: number
  /** Rounds in which a recipient was being called. */
  roundsWithCalls: number
  reached: number
  /** Recipients without a call, or without a final result. */
  lost: string[]
  /** Recipients with more than one call. */
  calledTwice: string[]
  /** Recipients whose results were not published exactly once. */
  wrongEvents: string[]
}

// More than are called between two kills, also on a slow machine: the campaign must not end before the last kill.
const recipientsPerRound = 10
const speed = 20
const always = Object.fromEntries(
  ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day) => [day, [['00:00', '24:00']]]),
)

export async function campaignLoop(options: RoundsOptions): Promise<CampaignReport> {
  const { kills, seed } = options
  const random = seededRandom(seed)
  const fleet = await createFleet(options)
  try {
    const rounds = Math.ceil(kills / fleet.members.length)
    const phones = Array.from(
      { length: rounds * recipientsPerRound + recipientsPerRound },
      (_, n) => `+3319908${String(n).padStart(4, '0')}`,
    )
    const campaign = await startCampaign(await fleet.api(first), phones)
    let interrupted = 0
    let roundsWithCalls = 0
    for (let round = 0; round < rounds; round++) {
      const isCalling = () =>
        pollUntil(async () => (await progressOf(fleet, campaign)).calling > 0, 'a recipient is being called', 5)
      await isCalling()
      // Anywhere between the attempt, the call and its end, but not in the pause between two calls.
      await wait(random.integer(0, 400))
      await isCalling()
      await fleet.killAll()
      const calling = await fleet.read((db) => endLeases(db, campaign))
      interrupted += calling
      if (calling > 0) roundsWithCalls++
      for (const member of fleet.members) await fleet.start(member)
    }
    await pollUntil(async () => (await statusOf(fleet, campaign)) === 'finished', 'the campaign has finished')
    const codes = await Promise.all(fleet.members.map((member) => fleet.end(member, 'SIGTERM')))
    return {
      seed,
      kills: rounds * fleet.members.length,
      rounds,
      recipients: phones.length,
      interrupted,
      roundsWithCalls,
      ...(await fleet.read((db) => audit(db, campaign))),
      badExits: codes.filter((code) => code !== 0).length,
    }
  } finally {
    await fleet.close()
  }
}

async function startCampaign(api: Api, phones: readonly string[]): Promise<string> {
  await api('PUT', '/sandbox/v1/clock', { mode: 'running', speed })
  const lines = [{ say: 'It is about my delivery', seconds: 4 }]
  await api('PUT', '/sandbox/v1/callees', { default: { answer_after_seconds: 3, lines } })
  const { json: agents } = await api('GET', '/v1/ai_voice_agents')
  const { json: all } = await api('GET', '/v1/numbers?per_page=50')
  const number_ids = all.numbers
    .filter(({ country }: { country: string }) => country === 'FR')
    .slice(0, 3)
    .map(({ id }: { id: number }) => id)
  const made = await api('POST', '/v1/outbound-campaigns', {
    name: 'Interrupted',
    agent_id: agents.ai_voice_agents[0].id,
    number_ids,
    recipients: phones.map((phone_number) => ({ phone_number, name: 'Jo' })),
    calling_hours: always,
    max_attempts: 1,
    concurrency: 3,
  })
  if (made.status !== 201) throw new Error(JSON.stringify(made.json))
  const started = await api('POST', `/v1/outbound-campaigns/${made.json.id}/start`)
  if (started.status !== 200) throw new Error(JSON.stringify(started.json))
  return made.json.id
}

async function campaignOf(fleet: Fleet, id: string) {
  const api = await fleet.api(first)
  return (await api('GET', `/v1/outbound-campaigns/${id}`)).json
}

const progressOf = async (fleet: Fleet, id: string): Promise<{ calling: number }> =>
  (await campaignOf(fleet, id)).progress
const statusOf = async (fleet: Fleet, id: string): Promise<string> => (await campaignOf(fleet, id)).status

/** The leases of the killed processes end now. Returns how many recipients were being called. */
async function endLeases(db: Db, campaign: string): Promise<number> {
  await db.updateTable('job').set({ leased_until: 1 }).where('leased_until', '>', 1).execute()
  const calling = await db
    .selectFrom('ai_campaign_recipient')
    .select('id')
    .where('campaign_id', '=', campaign)
    .where('status', '=', 'calling')
    .execute()
  return calling.length
}

async function audit(db: Db, campaign: string) {
  const recipients = await db
    .selectFrom('ai_campaign_recipient')
    .select(['id', 'phone', 'status', 'attempts', 'last_outcome'])
    .where('campaign_id', '=', campaign)
    .execute()
  const calls = await db.selectFrom('call').select('external').where('external', 'like', '+3319908%').execute()
  const events = await db
    .selectFrom('event')
    .select('resource_key')
    .where('name', '=', 'ai_voice_agent.campaign_result')
    .execute()
  const callsOf = countBy(calls.map(({ external }) => external ?? ''))
  const eventsOf = countBy(events.map(({ resource_key }) => resource_key))
  const described = (matches: (one: (typeof recipients)[number]) => boolean) =>
    recipients
      .filter(matches)
      .map((one) => `${one.phone}: ${one.status} ${one.attempts} ${one.last_outcome}, ${callsOf(one.phone)} calls`)
  const isFinal = (status: string) => status === 'reached' || status === 'not_reached'
  return {
    reached: recipients.filter(({ status }) => status === 'reached').length,
    lost: described(({ phone, status, attempts }) => callsOf(phone) === 0 || !isFinal(status) || attempts !== 1),
    calledTwice: described(({ phone }) => callsOf(phone) > 1),
    wrongEvents: described(({ id }) => eventsOf(`campaign_recipient:${id}`) !== 1),
  }
}

function countBy(keys: readonly string[]): (key: string) => number {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return (key) => counts.get(key) ?? 0
}

function first(living: Api[]): Api {
  const [api] = living
  if (!api) throw new Error('no process is running')
  return api
}

/** Empty when the report is good. */
export function problemsOfCampaign(report: CampaignReport): string[] {
  const { rounds, lost, calledTwice, wrongEvents, badExits, roundsWithCalls, reached } = report
  return [
    ...lost.map((one) => `lost ${one}`),
    ...calledTwice.map((one) => `called twice ${one}`),
    ...wrongEvents.map((one) => `wrong events ${one}`),
    ...(badExits > 0 ? [`badExits: ${badExits}`] : []),
    ...(roundsWithCalls < rounds * 0.8 ? ['too few rounds with a call in progress'] : []),
    ...(reached === 0 ? ['no recipient was reached'] : []),
  ]
}
