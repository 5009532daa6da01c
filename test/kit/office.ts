import fc from 'fast-check'
import { expect } from 'vitest'
import { type Db, transaction } from '../../src/db/database.ts'
import { findUser } from '../../src/features/accounts/users/store.ts'
import { markCalled } from '../../src/features/calls/dialer/store.ts'
import { basic, type Client, type TestApp } from './app.ts'

// A simple model of an office: users, teams, campaign numbers and events. Tests apply the same actions to the model and
// to the API and compare.

const roles = ['owner', 'admin', 'supervisor', 'agent'] as const
const statuses = ['available', 'custom', 'unavailable'] as const
const reasons = ['out_for_lunch', 'other'] as const
const people = ['owner', 'ada', 'bea', 'cem'] as const
const teams = ['Support', 'Sales'] as const
const externalNumbers = ['+33180000001', '+33180000002', '+33180000003'] as const

type Role = (typeof roles)[number]
type Person = { name: string; roles: Role[]; status: string; substatus: string; wrapUp: number }
/** By user; numbers in queue order. A campaign whose numbers were all called is finished. */
type Campaigns = Record<string, { number: string; called: boolean }[]>
export interface World {
  users: Record<string, Person>
  teams: Record<string, string[]>
  campaigns: Campaigns
  events: string[]
}

export type OfficeAction =
  | { kind: 'invite'; who: string; roles: Role[]; status: string; wrapUp: number }
  | { kind: 'change'; who: string; name?: string; roles?: Role[]; status?: string; reason?: string; wrapUp?: number }
  | { kind: 'remove'; who: string }
  | { kind: 'found' | 'dissolve'; team: string }
  | { kind: 'join' | 'leave'; team: string; who: string }
  | { kind: 'queue' | 'append'; who: string; numbers: string[] }
  | { kind: 'abandon'; who: string }
  | { kind: 'dial'; who: string; number: string }

export const newWorld = (): World => ({
  users: { owner: { name: 'Owner', roles: ['owner'], status: 'available', substatus: 'always_open', wrapUp: 0 } },
  teams: {},
  campaigns: {},
  events: ['user.created'],
})

/** The model: the state after an action, and the expected status. */
export function step(before: World, action: OfficeAction): { world: World; status: number } {
  const world = structuredClone(before)
  const status = apply(world, action)
  return { world: status < 400 ? world : before, status }
}

function apply(world: World, action: OfficeAction): number {
  switch (action.kind) {
    case 'invite':
      if (world.users[action.who]) return 422
      world.users[action.who] = {
        name: action.who,
        roles: action.roles,
        status: action.status,
        substatus: substatus(action.status),
        wrapUp: action.roles.includes('agent') ? action.wrapUp : 0,
      }
      world.events.push('user.created')
      return 201
    case 'change':
      return change(world, action)
    case 'remove':
      if (!world.users[action.who]) return 404
      if (isLastOwner(world, action.who)) return 422
      delete world.users[action.who]
      for (const [team, members] of Object.entries(world.teams)) {
        world.teams[team] = members.filter((who) => who !== action.who)
      }
      delete world.campaigns[action.who]
      world.events.push('user.deleted')
      return 204
    case 'found':
      if (world.teams[action.team]) return 400
      world.teams[action.team] = []
      return 201
    case 'dissolve':
      if (!world.teams[action.team]) return 404
      delete world.teams[action.team]
      return 204
    case 'join':
    case 'leave':
      return member(world, action)
    case 'queue':
    case 'append':
      return queue(world, action)
    case 'abandon':
      if (!world.campaigns[action.who]) return 404
      delete world.campaigns[action.who]
      return 204
    case 'dial':
      return dial(world, action)
  }
}

function change(world: World, action: OfficeAction & { kind: 'change' }): number {
  const person = world.users[action.who]
  if (!person) return 404
  if (action.roles && !action.roles.includes('owner') && isLastOwner(world, action.who)) return 422
  const wasOpen = person.status !== 'unavailable'
  const before = person.substatus
  person.name = action.name ?? person.name
  person.roles = action.roles ?? person.roles
  if (action.wrapUp !== undefined && person.roles.includes('agent')) person.wrapUp = action.wrapUp
  person.status = action.status ?? person.status
  if (action.status || person.status !== 'unavailable') person.substatus = substatus(person.status)
  if (action.reason && person.status === 'unavailable') person.substatus = action.reason
  const isOpen = person.status !== 'unavailable'
  if (isOpen && !wasOpen) world.events.push('user.opened')
  if (!isOpen && wasOpen) world.events.push('user.closed', ...(action.reason ? ['user.closed'] : []))
  // A reason set, changed or removed later sends one event.
  if (!isOpen && !wasOpen && person.substatus !== before) world.events.push('user.closed')
  return 200
}

function member(world: World, { kind: what, team, who }: OfficeAction & { kind: 'join' | 'leave' }): number {
  const members = world.teams[team]
  if (!members || !world.users[who]) return 404
  if (members.includes(who) === (what === 'join')) return 422
  world.teams[team] = what === 'join' ? [...members, who] : members.filter((other) => other !== who)
  return what === 'join' ? 201 : 200
}

function queue(world: World, { kind: what, who, numbers }: OfficeAction & { kind: 'queue' | 'append' }): number {
  const latest = world.campaigns[who]
  const campaign = latest?.some(({ called }) => !called) ? latest : undefined
  if (!world.users[who] || (what === 'append' && !campaign)) return 404
  const isWaiting = (number: string) => campaign?.some((one) => one.number === number && !one.called)
  const added = numbers.filter((number) => !isWaiting(number)).map((number) => ({ number, called: false }))
  if (added.length === 0) return 422
  world.campaigns[who] = [...(campaign ?? []), ...added]
  return 204
}

function dial(world: World, { who, number }: OfficeAction & { kind: 'dial' }): number {
  const campaign = world.campaigns[who]
  const waiting = campaign?.find((one) => one.number === number && !one.called)
  if (!waiting) return 404
  waiting.called = true
  return 204
}

const substatus = (status: string) => (status === 'unavailable' ? 'always_closed' : 'always_open')

function isLastOwner(world: World, who: string): boolean {
  const owners = Object.entries(world.users).filter(([, person]) => person.roles.includes('owner'))
  return owners.length === 1 && owners[0]?.[0] === who
}

const who = fc.constantFrom(...people)
const someRoles = fc.uniqueArray(fc.constantFrom(...roles), { minLength: 1, maxLength: 2 })
const status = fc.constantFrom(...statuses)
const wrapUp = fc.constantFrom(0, 5, 30)
const numbers = fc.uniqueArray(fc.constantFrom(...externalNumbers), { minLength: 1, maxLength: 2 })
export const anyAction: fc.Arbitrary<OfficeAction> = fc.oneof(
  fc.record({ kind: fc.constant('invite' as const), who, roles: someRoles, status, wrapUp }),
  fc.record(
    {
      kind: fc.constant('change' as const),
      who,
      name: fc.constantFrom('Augusta', 'Zoë'),
      roles: someRoles,
      status,
      reason: fc.constantFrom(...reasons),
      wrapUp,
    },
    { requiredKeys: ['kind', 'who'] },
  ),
  fc.record({ kind: fc.constant('remove' as const), who }),
  fc.record({ kind: fc.constantFrom('found' as const, 'dissolve' as const), team: fc.constantFrom(...teams) }),
  fc.record({ kind: fc.constantFrom('join' as const, 'leave' as const), team: fc.constantFrom(...teams), who }),
  fc.record({ kind: fc.constantFrom('queue' as const, 'append' as const), who, numbers }),
  fc.record({ kind: fc.constant('abandon' as const), who }),
  fc.record({ kind: fc.constant('dial' as const), who, number: fc.constantFrom(...externalNumbers) }),
)

/** A new company for every run: much faster than a new app. */
export interface Office {
  db: Db
  api: Client
  companyId: number
  teamIds: Map<string, number>
}

let offices = 0

export async function newOffice({ app, as }: TestApp): Promise<Office> {
  offices += 1
  const create = app.commands['company.create']
  const made = (await create?.({ name: `Office ${offices}`, owner_email: 'owner@example.test' })) as {
    company_id: number
    api_id: string
    api_token: string
  }
  const { db } = app.services
  return { db, api: as(basic(made.api_id, made.api_token)), companyId: made.company_id, teamIds: new Map() }
}

const address = (person: string) => `${person}@example.test`
const ref = (person: string) => encodeURIComponent(address(person))
const campaignOf = (person: string) => `/v1/users/${ref(person)}/dialer_campaign`

/** The action as a request; returns its status. */
export async function perform(office: Office, action: OfficeAction): Promise<number> {
  const { api, teamIds } = office
  const team = 'team' in action ? (teamIds.get(action.team) ?? 99_999_999) : 0
  switch (action.kind) {
    case 'invite': {
      const { who, roles, status, wrapUp } = action
      const body = { email: address(who), first_name: who, last_name: 'Test' }
      const rest = { role_ids: roles, availability_status: status, wrap_up_time: wrapUp }
      return (await api('POST', '/v2/users', { ...body, ...rest })).status
    }
    case 'change': {
      const { who, name, roles, status, reason, wrapUp } = action
      const body = { first_name: name, role_ids: roles, availability_status: status, substatus: reason }
      return (await api('PUT', `/v2/users/${ref(who)}`, { ...body, wrap_up_time: wrapUp })).status
    }
    case 'remove':
      return (await api('DELETE', `/v1/users/${ref(action.who)}`)).status
    case 'found': {
      const answer = await api('POST', '/v1/teams', { name: action.team })
      if (answer.status === 201) teamIds.set(action.team, answer.json.team.id)
      return answer.status
    }
    case 'dissolve':
      return (await api('DELETE', `/v1/teams/${team}`)).status
    case 'join':
      return (await api('POST', `/v1/teams/${team}/users/${ref(action.who)}`)).status
    case 'leave':
      return (await api('DELETE', `/v1/teams/${team}/users/${ref(action.who)}`)).status
    case 'queue':
      return (await api('POST', campaignOf(action.who), { phone_numbers: action.numbers })).status
    case 'append':
      return (await api('POST', `${campaignOf(action.who)}/phone_numbers`, { phone_numbers: action.numbers })).status
    case 'abandon':
      return (await api('DELETE', campaignOf(action.who))).status
    case 'dial':
      return (await wasQueued(office, action)) ? 204 : 404
  }
}

/** Effect of a call of the user to the number on the campaign. */
async function wasQueued(
  { db, companyId }: Office,
  { who, number }: OfficeAction & { kind: 'dial' },
): Promise<boolean> {
  const user = await findUser(db, companyId, address(who))
  return user !== undefined && transaction(db, (tx) => markCalled(tx, companyId, user.id, number))
}

/** The state according to the API, roles, campaigns and event log. */
export async function observe({ db }: TestApp, { api, companyId }: Office): Promise<World> {
  const world: World = { users: {}, teams: {}, campaigns: await allCampaigns(db, companyId), events: [] }
  const listed = (await api('GET', '/v2/users')).json
  const held = await db
    .selectFrom('user_role')
    .select(['user_id', 'role'])
    .where('company_id', '=', companyId)
    .execute()
  for (const { id, name, email, availability_status, substatus, wrap_up_time } of listed.users) {
    const roles = held.filter((row) => row.user_id === id).map(({ role }) => role)
    const first = name.split(' ')[0]
    world.users[nameOf(email)] = { name: first, roles, status: availability_status, substatus, wrapUp: wrap_up_time }
  }
  expect(listed.meta.total).toBe(listed.users.length)
  for (const team of (await api('GET', '/v1/teams')).json.teams) {
    world.teams[team.name] = team.users.map(({ email }: { email: string }) => nameOf(email))
  }
  const events = await db
    .selectFrom('event')
    .select('name')
    .where('company_id', '=', companyId)
    .where('name', 'not like', '%.v2')
    .orderBy('row_id')
    .execute()
  world.events = events.map(({ name }) => name)
  return sorted(world)
}

async function allCampaigns(db: Db, companyId: number): Promise<Campaigns> {
  const rows = await db
    .selectFrom('dialer_campaign as campaign')
    .innerJoin('user', 'user.id', 'campaign.user_id')
    .innerJoin('dialer_number as queued', 'queued.campaign_id', 'campaign.id')
    .select(['campaign.id as campaign', 'user.email', 'queued.number', 'queued.called'])
    .where('campaign.company_id', '=', companyId)
    .orderBy('queued.id')
    .execute()
  expect(new Set(rows.map(({ campaign }) => campaign)).size).toBe(new Set(rows.map(({ email }) => email)).size)
  const byUser: Campaigns = {}
  for (const { email, number, called } of rows) {
    const who = nameOf(email)
    byUser[who] = [...(byUser[who] ?? []), { number, called: called === 1 }]
  }
  return byUser
}

const nameOf = (email: string) => email.split('@', 1)[0] ?? email

/** Roles and members are sets: order is irrelevant. */
export function sorted(world: World): World {
  const users = Object.entries(world.users).map(([who, person]) => [who, { ...person, roles: person.roles.toSorted() }])
  const members = Object.entries(world.teams).map(([team, names]) => [team, names.toSorted()])
  return { ...world, users: Object.fromEntries(users), teams: Object.fromEntries(members) }
}
