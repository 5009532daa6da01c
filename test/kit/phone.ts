import type { CallCommand } from '../../src/domain/call/commands.ts'
import type { CustomerBehaviour } from '../../src/domain/sandbox/people.ts'
import { readEvents } from '../../src/events/log.ts'
import { connectUser, disconnectUser } from '../../src/features/accounts/presence/actions.ts'
import { second } from '../../src/lib/clock.ts'
import { setCallees } from '../../src/sandbox/settings.ts'
import type { CallerStep, Reply } from '../../src/services.ts'
import type { OpenApp, TestApp, TestCompany, TestOptions } from './app.ts'

// An office with phones: connected users, Numbers with flows, and callers. Everything runs on the real engine and the
// simulated network; time is advanced manually.

export interface Office extends TestApp {
  /** Confirmed agents of company A, none of them connected. */
  ada: number
  bea: number
  cem: number
  /** Ada and Bea. */
  team: number
  /** Advances time. */
  pass(seconds: number): Promise<void>
  connect(...users: number[]): Promise<void>
  disconnect(user: number): Promise<void>
  /** Another window of the phone app. */
  opens(user: number, session: string): Promise<void>
  closes(user: number, session: string): Promise<void>
  /** A Number of company A with the given flow, or one that rings Ada and Bea simultaneously, then voicemail. */
  line(nodes?: Nodes, more?: LineOptions): Promise<Line>
  /** An inbound call; resolves with its id. */
  call(line: Line, caller?: Partial<Caller>): Promise<number>
  /** An action of a user on the current or ringing call. */
  does(user: number, command: UserCommand): Promise<Reply>
  /** Dials an outbound call. */
  dials(user: number, line: Line, to: string): Start
  /** Calls another user by extension. */
  dialsInside(user: number, other: number): Start
  /** Behaviour of called parties; all others answer after 3 s. */
  callees(numbers: Record<string, CustomerBehaviour>): Promise<void>
  /** Events of one call with the seconds since its start: `answered 5`. */
  timeline(callId: number): Promise<string[]>
  /** Names of all call and user events, in order. */
  story(): Promise<string[]>
  /** Names of the events of one call, without `call.`. */
  eventNames(callId: number): Promise<string[]>
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
  payloads(callId: number, name?: string): Promise<any[]>
  // biome-ignore lint/suspicious/noExplicitAny: the API's answer
  show(callId: number, query?: string): Promise<any>
  /** Kinds of the trace, in order. */
  // biome-ignore lint/suspicious/noExplicitAny: entries of every shape
  trace(callId: number): Promise<any[]>
  availability(user: number): Promise<string>
}

type Start = ReturnType<TestApp['app']['services']['calls']['start']>

export interface Line {
  id: number
  digits: string
}

export interface LineOptions {
  start?: string
  recording?: boolean
  priority?: number
  timeZone?: string
}

// biome-ignore lint/suspicious/noExplicitAny: flows are written as in the documents
export type Nodes = Record<string, any>

export interface Caller {
  from: string
  script: CallerStep[]
  patience: number | null
}

type WithoutBy<T> = T extends unknown ? Omit<T, 'by'> : never
export type UserCommand = WithoutBy<CallCommand>

export const caller = '+33612345678'

export const toUser = (id: number) => ({ type: 'user' as const, id })
export const toTeam = (id: number) => ({ type: 'team' as const, id })
export const hangUp = { type: 'hang_up' }
export const voicemail = { type: 'voicemail', media: null }

export const ringTo = (targets: { type: 'user' | 'team'; id: number }[], more: object = {}) => ({
  type: 'ring_to',
  targets,
  strategy: 'simultaneous',
  max_wait_seconds: 0,
  branches: { no_answer: 'box' },
  ...more,
})

export async function openOffice(open: OpenApp, options: TestOptions = {}): Promise<Office> {
  const world = await open(options)
  const { a, app, clock, db } = world
  const { services } = app
  const invite = (name: string) => newAgent(a, name)
  const [ada, bea, cem] = [await invite('ada'), await invite('bea'), await invite('cem')]
  const { json } = await a.api('POST', '/v1/teams', { name: 'Support' })
  const team: number = json.team.id
  for (const user of [ada, bea]) await a.api('POST', `/v1/teams/${team}/users/${user}`)
  let lines = 0

  const office: Office = {
    ...world,
    ada,
    bea,
    cem,
    team,
    async pass(seconds) {
      // Pending requests complete before time moves on.
      await world.settle()
      await clock.advance(seconds * second)
    },
    async connect(...users) {
      for (const user of users) await office.opens(user, 'default')
    },
    async opens(userId, name) {
      const session = { id: `${name}-${userId}`, userId, name, kind: 'sandbox', owner: '' } as const
      await connectUser(services, a.id, { ...session, at: clock.now() })
      await world.settle()
    },
    disconnect: (user) => office.closes(user, 'default'),
    async closes(user, name) {
      await disconnectUser(services, a.id, user, name)
      await world.settle()
    },
    async line(nodes, more = {}) {
      const digits = `+3319900${String(++lines).padStart(4, '0')}`
      const made = await a.own('POST', '/v1/numbers', {
        digits,
        name: `Line ${lines}`,
        time_zone: more.timeZone ?? 'Europe/Paris',
        validated: true,
      })
      const id: number = made.json.number.id
      const drawn = nodes ?? { ring: ringTo([{ type: 'team', id: team }]), box: voicemail }
      const start = more.start ?? Object.keys(drawn)[0]
      const flow = await a.own('PUT', `/v1/numbers/${id}/flow`, { version: 1, start, nodes: drawn })
      if (flow.status !== 200) throw new Error(flow.text)
      const settings = {
        ...(more.recording !== undefined && { live_recording_activated: more.recording }),
        ...(more.priority !== undefined && { priority: more.priority }),
      }
      const put = await a.api('PUT', `/v1/numbers/${id}`, settings)
      if (put.status !== 200) throw new Error(put.text)
      return { id, digits }
    },
    async call(line, { from = caller, script = [], patience = null } = {}) {
      const network = services.sandbox?.network
      if (!network) throw new Error('there is no simulated network')
      const id = await network.call({ from, to: line.digits, script, patienceSeconds: patience })
      await world.settle()
      return id
    },
    async does(user, command) {
      const key = await services.calls.ofUser(a.id, user)
      const reply = await services.calls.send(key ?? '', { ...command, by: user } as CallCommand)
      await world.settle()
      return reply
    },
    async dials(user, line, to) {
      const started = await services.calls.start(a.id, { userId: user, numberId: line.id, to })
      await world.settle()
      return started
    },
    async dialsInside(user, other) {
      const { json } = await a.api('GET', `/v2/users/${other}`)
      const started = await services.calls.start(a.id, { userId: user, numberId: null, to: json.user.extension })
      await world.settle()
      return started
    },
    callees: (numbers) => setCallees(db, a.id, { default: {}, numbers }),
    async timeline(callId) {
      await app.settle()
      const rows = (await readEvents(db, a.id)).filter(({ resource_key }) => resource_key === `call:${callId}`)
      const start = rows[0]?.occurred_at ?? 0
      return rows.map(({ name, occurred_at }) => `${name.replace('call.', '')} ${(occurred_at - start) / second}`)
    },
    async story() {
      const events = await world.events(a)
      return events.map(({ name }) => name).filter((name) => !name.endsWith('.v2') && name !== 'user.created')
    },
    async eventNames(callId) {
      const events = await world.events(a)
      return events.filter((one) => isOf(one, callId)).map(({ name }) => name.replace('call.', ''))
    },
    async payloads(callId, name) {
      const events = await world.events(a)
      return events.filter((one) => isOf(one, callId) && (!name || one.name === `call.${name}`)).map(({ data }) => data)
    },
    async show(callId, query = '') {
      return (await a.api('GET', `/v1/calls/${callId}${query}`)).json.call
    },
    async trace(callId) {
      return (await a.api('GET', `/v1/calls/${callId}/trace`)).json.trace
    },
    async availability(user) {
      return (await a.api('GET', `/v1/users/${user}/availability`)).json.availability
    },
  }
  await db.updateTable('user').set({ confirmed_at: clock.now() }).where('id', 'in', [ada, bea, cem]).execute()
  return office
}

/** An inbound call on a Number that rings one user, who answers after so many seconds. */
export async function callTakenBy(office: Office, user: number, seconds = 0): Promise<{ id: number; line: Line }> {
  await office.connect(user)
  const line = await office.line({ ring: ringTo([toUser(user)], { branches: { no_answer: 'bye' } }), bye: hangUp })
  const id = await office.call(line)
  await office.pass(seconds)
  await office.does(user, { kind: 'answer' })
  return { id, line }
}

async function newAgent(company: TestCompany, name: string): Promise<number> {
  const input = { email: `${name}@example.test`, first_name: name, last_name: 'Agent' }
  const made = await company.api('POST', '/v2/users', input)
  return made.json.user.id
}

const isOf = ({ name, data }: { name: string; data: { id?: number } }, callId: number) =>
  name.startsWith('call.') && data.id === callId
