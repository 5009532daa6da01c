import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { openNow } from '../domain/flow/time-rule.ts'
import { insertCompany, type NewCompany, renewCompany } from '../features/accounts/companies/store.ts'
import { linkedNumberIds, numbersById } from '../features/accounts/numbers/store.ts'
import { addMember, insertTeam } from '../features/accounts/teams/store.ts'
import { insertUser, updateUser } from '../features/accounts/users/store.ts'
import { insertTag } from '../features/calls/tags/store.ts'
import { insertContact } from '../features/contacts/contacts/write-store.ts'
import { replaceIntelligenceSettings, wholeCompany } from '../features/intelligence/settings/store.ts'
import { insertNumber, type NewNumber, replaceLinkedUsers } from '../features/numbers/numbers/store.ts'
import { type AgentSettings, agentNamed, countAgents, insertAgent } from '../features/voice-agents/agents/store.ts'
import { saveText } from '../features/voice-agents/knowledge/documents.ts'
import { replaceSuggestionSources } from '../features/voice-agents/knowledge/sources-store.ts'
import { insertDocument } from '../features/voice-agents/knowledge/store.ts'
import { findTestSet, saveTestSet } from '../features/voice-agents/tests/store.ts'
import { insertAgentVersion } from '../features/voice-agents/versions/store.ts'
import { enqueue } from '../jobs/queue.ts'
import { day, minute } from '../lib/clock.ts'
import { describeNumber } from '../lib/phone-format.ts'
import { type Random, seededRandom } from '../lib/random.ts'
import { ulid } from '../lib/ulid.ts'
import type { Services } from '../services.ts'
import { writeScheduledReport, writeSettings } from './company-settings.ts'
import { writeConnections } from './connections.ts'
import { planCustomers } from './customers.ts'
import * as demo from './demo-data.ts'
import { type PastSound, writeHistory } from './past-calls.ts'
import { campaignCalls, writeCampaign } from './past-campaign.ts'
import { writeAuditLog, writeEvents, writeExport } from './past-events.ts'
import { writeMessages } from './past-messages.ts'
import { writeGuides } from './past-results.ts'
import { restoreNumber, restoreUser } from './reset/store.ts'
import { demoAgentTests } from './texts/agent-tests.ts'
import { demoHandbook } from './texts/handbook.ts'

// Creates the demo companies, or restores existing ones under their IDs.

/** IDs only: a deleted demo user must leave no personal data behind. */
export interface SeededCompany {
  companyId: CompanyId
  userIds: number[]
  numberIds: number[]
}

export interface Written {
  company: SeededCompany
  /** Files of its calls, created after the rows. */
  sounds: PastSound[]
}

interface Writing {
  services: Services
  tx: Tx
  seed: number
  at: number
  displays: Displays
  /** Existing company to restore. */
  known?: SeededCompany | undefined
}

export type Displays = Map<string, { display: string; country: string }>

export async function describeAll(): Promise<Displays> {
  const all = [...demo.numbers, demo.secondNumber].map(({ digits }) => digits)
  return new Map(await Promise.all(all.map(async (digits) => [digits, await describeNumber(digits)] as const)))
}

export async function writeMain(writing: Writing): Promise<Written> {
  const { tx, seed, at } = writing
  const company = { name: 'Demo Company', plan: 'custom', aiPackage: 'assist-pro', addOns: true } as const
  const companyId = await writeCompany(writing, company, at - 90 * day)
  const userIds = await writePeople(writing, companyId, demo.people, 'demo.test')
  const teamIds: number[] = []
  for (const [index, { name, members }] of demo.teams.entries()) {
    const createdAt = at - 80 * day + index * minute
    const teamId = await insertTeam(tx, companyId, name, createdAt)
    teamIds.push(teamId)
    for (const place of members) await addMember(tx, companyId, teamId, userIds[place] ?? 0, createdAt)
  }
  const agentId = ulid(at)
  const numberIds: number[] = []
  for (const [index, number] of demo.numbers.entries()) {
    const createdAt = at - 70 * day + index * minute
    const ids = { users: userIds, teams: teamIds, agentId }
    numberIds.push(await writeNumber(writing, companyId, number, ids, createdAt, writing.known?.numberIds[index]))
  }
  await writeDefaultNumbers(tx, companyId, userIds)
  for (const [index, tag] of demo.tags.entries()) await insertTag(tx, companyId, tag, at - 60 * day + index * minute)
  await addAgent(tx, companyId, agentId, demo.voiceAgent(numberIds[0] ?? null), at - 50 * day)
  await saveTestSet(tx, companyId, agentId, demoAgentTests, at - 50 * day)
  await writeHandbook(tx, companyId, agentId, at - 50 * day)
  await writeContacts(tx, companyId, seededRandom(seed), 120, at)
  await replaceIntelligenceSettings(tx, companyId, new Map([[wholeCompany, { enabled: true, language: null }]]), [])
  await writeGuides(tx, companyId, at)
  const visitAgentId = ulid(at + 1)
  await addAgent(tx, companyId, visitAgentId, demo.visitAgent, at - 12 * day)
  const visitAgent = { ...demo.visitAgent, id: visitAgentId, isOutbound: true } as const
  const campaign = { agent: visitAgent, numberId: numberIds[0] ?? 0, at }
  const { calls, sounds } = await writeHistory(tx, companyId, seed, at, campaignCalls(campaign))
  await writeCampaign(tx, companyId, campaign, calls)
  await writeMessages(tx, companyId, { seed, at, numberIds, userIds })
  await writeConnections(writing, companyId, userIds)
  const prompts = await writeSettings(writing, companyId, numberIds)
  await writeScheduledReport(tx, companyId, userIds, at)
  await writeEvents(writing, companyId, calls, { seed, owner: userIds[0] ?? null })
  await writeExport(writing, companyId, userIds[0] ?? null)
  // A reset keeps the audit log. It is written last, because it locks the company's log.
  if (!writing.known) await writeAuditLog(writing, companyId, { userIds, numberIds })
  return { company: { companyId, userIds, numberIds }, sounds: [...sounds, ...prompts] }
}

/** Each user's default is the first verified Number that the user is linked to. */
export async function writeDefaultNumbers(tx: Tx, companyId: CompanyId, userIds: readonly number[]): Promise<void> {
  const linked = await linkedNumberIds(tx, companyId, userIds)
  for (const id of userIds) {
    const numbers = await numbersById(tx, companyId, linked.get(id) ?? [])
    const usable = numbers.filter(({ validated }) => validated).map((number) => number.id)
    const first = usable.length > 0 ? Math.min(...usable) : null
    await updateUser(tx, companyId, id, { default_number_id: first })
  }
}

/** A document of the AI agent, whose passages are suggested to all agents. */
async function writeHandbook(tx: Tx, companyId: CompanyId, agentId: string, at: number): Promise<void> {
  const document = { id: ulid(at + 2), agentId, name: demoHandbook.name, url: null, problem: null, createdAt: at }
  const empty = { format: null, status: 'pending', bytes: 0, characters: 0, passages: 0, fetchedAt: null } as const
  await insertDocument(tx, companyId, { ...document, ...empty })
  const { text, name } = demoHandbook
  await saveText(tx, companyId, document, { text, name, format: 'markdown', bytes: Buffer.byteLength(text), at })
  await replaceSuggestionSources(tx, companyId, [{ agentId, teamIds: null }])
}

/** Skipped if there is one: demo data of an earlier release already contains it. */
export async function writeVoiceAgent(tx: Tx, companyId: CompanyId, numberIds: readonly number[], at: number) {
  if ((await countAgents(tx, companyId)) > 0) return
  await addAgent(tx, companyId, ulid(at), demo.voiceAgent(numberIds[0] ?? null), at - 50 * day)
}

/** Tests of the AI agent that an earlier release created, unless it was replaced or has tests. */
export async function writeAgentTests(tx: Tx, companyId: CompanyId, at: number) {
  const agent = await agentNamed(tx, companyId, demo.voiceAgent(null).name)
  if (agent && !(await findTestSet(tx, companyId, agent.id)))
    await saveTestSet(tx, companyId, agent.id, demoAgentTests, at)
}

export async function writeSecond(writing: Writing): Promise<Written> {
  const { tx, at, known } = writing
  const company = { name: 'Second Company', plan: 'essentials', aiPackage: 'none', addOns: false } as const
  const companyId = await writeCompany(writing, company, at - 30 * day)
  const userIds = await writePeople(writing, companyId, demo.secondPeople, 'second.test')
  const ids = { users: userIds, teams: [] }
  const createdAt = at - 20 * day
  const numberId = await writeNumber(writing, companyId, demo.secondNumber, ids, createdAt, known?.numberIds[0])
  await writeDefaultNumbers(tx, companyId, userIds)
  await writeContacts(tx, companyId, seededRandom(7), 5, at)
  return { company: { companyId, userIds, numberIds: [numberId] }, sounds: [] }
}

async function writeCompany({ tx, known }: Writing, company: NewCompany, at: number): Promise<CompanyId> {
  if (!known) return insertCompany(tx, company, at)
  await renewCompany(tx, known.companyId, company)
  return known.companyId
}

async function writePeople({ tx, at, known }: Writing, companyId: CompanyId, people: demo.Person[], host: string) {
  const made: number[] = []
  for (const [index, person] of people.entries()) {
    const email = `${person.firstName}.${person.lastName}@${host}`.toLowerCase()
    const createdAt = at - 85 * day + index * minute
    const user = { ...person, email, status: 'available' as const, wrapUpTime: 0, confirmedAt: createdAt }
    const id = known?.userIds[index]
    if (id === undefined) made.push(await insertUser(tx, companyId, user, createdAt))
    else {
      const extension = String(index + 1).padStart(3, '0')
      await restoreUser(tx, companyId, id, { ...user, extension }, createdAt)
      made.push(id)
    }
  }
  return made
}

async function writeNumber(
  { tx, at, displays }: Writing,
  companyId: CompanyId,
  number: demo.DemoNumber,
  ids: { users: number[]; teams: number[]; agentId?: string },
  createdAt: number,
  known: number | undefined,
): Promise<number> {
  const { display = number.digits, country = 'ZZ' } = displays.get(number.digits) ?? {}
  const flow = number.flow(ids)
  const row: NewNumber = {
    digits: number.digits,
    display,
    name: number.name,
    country,
    time_zone: number.timeZone,
    language: 'en-US',
    live_recording_activated: number.recording ? 1 : 0,
    priority: null,
    flow_editor_enabled: number.kind === 'flow' ? 1 : 0,
    validated: number.validated ? 1 : 0,
    music_on_hold: null,
    recording_notice: null,
    voicemail_email: 1,
    ring_simultaneous_seconds: 30,
    ring_one_by_one_seconds: 20,
    registration_status: 'NOT_REGISTERED',
    registration_updated_at: createdAt,
    created_at: createdAt,
  }
  const id = known ?? (await insertNumber(tx, companyId, row, flow))
  if (known !== undefined) await restoreNumber(tx, companyId, known, row, flow)
  const linked = number.linked.map((place) => ids.users[place] ?? 0)
  await replaceLinkedUsers(tx, companyId, id, linked)
  if (number.kind === 'classic') {
    // The first run finds no change and schedules the next one.
    const wasOpen = openNow(flow, number.timeZone, at)
    await enqueue(tx, 'number.hours', { companyId, numberId: id, wasOpen }, at, `number-hours:${id}`)
  }
  return id
}

async function writeContacts(tx: Tx, companyId: CompanyId, random: Random, count: number, at: number): Promise<void> {
  for (const [i, contact] of planCustomers(count, random).entries()) {
    const createdAt = at - 30 * day + Math.floor((i / count) * 29 * day) + random.integer(0, 60) * minute
    await insertContact(tx, companyId, contact, createdAt)
  }
}

async function addAgent(tx: Tx, companyId: CompanyId, id: string, settings: AgentSettings, at: number): Promise<void> {
  const agent = await insertAgent(tx, companyId, id, settings, at)
  await insertAgentVersion(tx, companyId, agent, { note: null, createdBy: null, at })
}
