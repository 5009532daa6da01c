import { type Tx, transaction } from '../../db/database.ts'
import { holdLock } from '../../db/dialect.ts'
import type { CompanyId } from '../../db/tables.ts'
import { openNow } from '../../domain/flow/time-rule.ts'
import { enqueue } from '../../jobs/queue.ts'
import { day, minute } from '../../lib/clock.ts'
import { describeNumber } from '../../lib/phone-format.ts'
import { type Random, seededRandom } from '../../lib/random.ts'
import type { Services } from '../../services.ts'
import { insertCompany, readSetting, writeSetting } from '../companies/store.ts'
import { insertContact } from '../contacts/store.ts'
import { insertNumber, replaceLinkedUsers } from '../numbers/store.ts'
import { insertTag } from '../tags/store.ts'
import { addMember, insertTeam } from '../teams/store.ts'
import { insertUser, updateUser } from '../users/store.ts'
import * as demo from './demo-data.ts'

export const seedVersion = 1
export const defaultSeed = 42

/** Ids only: a demo user who is deleted must leave no name behind. */
export interface SeededCompany {
  companyId: CompanyId
  userIds: number[]
  numberIds: number[]
}

export interface Seeded {
  version: number
  seed: number
  main: SeededCompany
  second: SeededCompany
}

/** Makes the demo companies, once; the same seed gives the same people, Numbers and contacts. */
export async function ensureSeeded(services: Services, seed = defaultSeed): Promise<Seeded> {
  const before = await readSetting(services.db, 'seed')
  if (before) return JSON.parse(before) as Seeded
  const displays = await describeAll()
  return transaction(services.db, async (tx) => {
    await holdLock(tx, 'seed')
    const known = await readSetting(tx, 'seed')
    if (known) return JSON.parse(known) as Seeded
    const at = services.clock.now()
    const seeded: Seeded = {
      version: seedVersion,
      seed,
      main: await seedMain(tx, seededRandom(seed), at, displays),
      second: await seedSecond(tx, at, displays),
    }
    await writeSetting(tx, 'seed', JSON.stringify(seeded))
    return seeded
  })
}

type Displays = Map<string, { display: string; country: string }>

async function describeAll(): Promise<Displays> {
  const all = [...demo.numbers, demo.secondNumber].map(({ digits }) => digits)
  return new Map(await Promise.all(all.map(async (digits) => [digits, await describeNumber(digits)] as const)))
}

async function seedMain(tx: Tx, random: Random, at: number, displays: Displays): Promise<SeededCompany> {
  const company = { name: 'Demo Company', plan: 'custom', aiPackage: 'assist-pro', addOns: true } as const
  const companyId = await insertCompany(tx, company, at - 90 * day)
  const userIds = await seedPeople(tx, companyId, demo.people, 'demo.test', at)
  const teamIds: number[] = []
  for (const [index, { name, members }] of demo.teams.entries()) {
    const createdAt = at - 80 * day + index * minute
    const teamId = await insertTeam(tx, companyId, name, createdAt)
    teamIds.push(teamId)
    for (const place of members) await addMember(tx, companyId, teamId, userIds[place] ?? 0, createdAt)
  }
  const numberIds: number[] = []
  for (const [index, number] of demo.numbers.entries()) {
    const createdAt = at - 70 * day + index * minute
    numberIds.push(
      await seedNumber(tx, companyId, number, { users: userIds, teams: teamIds }, { at, createdAt }, displays),
    )
  }
  for (const id of userIds) await updateUser(tx, companyId, id, { default_number_id: numberIds[0] ?? null })
  for (const [index, tag] of demo.tags.entries()) await insertTag(tx, companyId, tag, at - 60 * day + index * minute)
  await seedContacts(tx, companyId, random, 120, at)
  return { companyId, userIds, numberIds }
}

async function seedSecond(tx: Tx, at: number, displays: Displays): Promise<SeededCompany> {
  const company = { name: 'Second Company', plan: 'essentials', aiPackage: 'none', addOns: false } as const
  const companyId = await insertCompany(tx, company, at - 30 * day)
  const owner: demo.Person = {
    firstName: 'Sam',
    lastName: 'Rivera',
    roles: ['owner'],
    timeZone: 'Europe/Paris',
    language: 'en-GB',
  }
  const people = [owner, { ...owner, firstName: 'Tess', roles: ['agent' as const] }]
  const userIds = await seedPeople(tx, companyId, people, 'second.test', at)
  const ids = { users: userIds, teams: [] }
  const times = { at, createdAt: at - 20 * day }
  const numberIds = [await seedNumber(tx, companyId, demo.secondNumber, ids, times, displays)]
  await seedContacts(tx, companyId, seededRandom(7), 5, at)
  return { companyId, userIds, numberIds }
}

async function seedPeople(tx: Tx, companyId: CompanyId, people: demo.Person[], host: string, at: number) {
  const made: number[] = []
  for (const [index, person] of people.entries()) {
    const email = `${person.firstName}.${person.lastName}@${host}`.toLowerCase()
    const createdAt = at - 85 * day + index * minute
    const { firstName, lastName, timeZone, language, roles } = person
    const user = { email, firstName, lastName, timeZone, language, roles, status: 'available' as const }
    const id = await insertUser(tx, companyId, { ...user, wrapUpTime: 0, confirmedAt: createdAt }, createdAt)
    made.push(id)
  }
  return made
}

async function seedNumber(
  tx: Tx,
  companyId: CompanyId,
  number: demo.DemoNumber,
  ids: { users: number[]; teams: number[] },
  { at, createdAt }: { at: number; createdAt: number },
  displays: Displays,
): Promise<number> {
  const { display = number.digits, country = 'ZZ' } = displays.get(number.digits) ?? {}
  const flow = number.flow(ids)
  const id = await insertNumber(
    tx,
    companyId,
    {
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
      ring_simultaneous_seconds: 30,
      ring_one_by_one_seconds: 20,
      registration_status: 'NOT_REGISTERED',
      registration_updated_at: createdAt,
      created_at: createdAt,
    },
    flow,
  )
  const linked = number.linked.map((place) => ids.users[place] ?? 0)
  await replaceLinkedUsers(tx, companyId, id, linked)
  if (number.kind === 'classic') {
    // Its first turn finds nothing changed and books the next one.
    const wasOpen = openNow(flow, number.timeZone, at)
    await enqueue(tx, 'number.hours', { companyId, numberId: id, wasOpen }, at, `number-hours:${id}`)
  }
  return id
}

async function seedContacts(tx: Tx, companyId: CompanyId, random: Random, count: number, at: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const firstName = random.pick(demo.firstNames)
    const lastName = random.pick(demo.lastNames)
    const companyName = random.next() < 0.6 ? random.pick(demo.companyNames) : null
    const phone = `+33199${String(random.integer(0, 999_999)).padStart(6, '0')}`
    const email = `${firstName}.${lastName}${i}@customers.test`
      .toLowerCase()
      .normalize('NFD')
      .replace(/[^\x20-\x7e]/g, '')
    const createdAt = at - 30 * day + Math.floor((i / count) * 29 * day) + random.integer(0, 60) * minute
    const details = {
      phones: [{ label: random.pick(['Work', 'Mobile']), value: phone }],
      emails: random.next() < 0.7 ? [{ label: 'Work', value: email }] : [],
    }
    await insertContact(tx, companyId, { firstName, lastName, companyName, information: null, ...details }, createdAt)
  }
}
