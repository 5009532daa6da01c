import type { CallCommand } from '../../src/domain/call/commands.ts'
import { type Random, seededRandom } from '../../src/lib/random.ts'
import type { CallerStep } from '../../src/services.ts'
import { type Line, type Nodes, type Office, ringTo, toTeam, toUser, voicemail } from '../kit/phone.ts'

// Random activity of a whole office: impatient callers, and users who answer, hold, transfer
// and disconnect, several at once. One seed makes one day.

export interface Day {
  callers: number
  /** Actions of users, and how many were refused. */
  done: Record<string, number>
  refused: number
}

interface Floor {
  office: Office
  random: Random
  staff: number[]
  lines: Line[]
  tag: number
  day: Day
}

const outside = {
  answers: '+33611110001',
  busy: '+33611110002',
  silent: '+33611110003',
  quick: '+33611110004',
}

export async function busyDay(office: Office, callers: number, seed: number): Promise<Day> {
  const floor = await openFloor(office, seed)
  const { random, day } = floor
  while (day.callers < callers) {
    await Promise.all(Array.from({ length: random.integer(1, 4) }, () => random.pick(actions)(floor)))
    await office.settle()
    if (random.next() < 0.6) await office.pass(random.pick([0.2, 1, 1, 2, 5, 11]))
  }
  await endDay(floor)
  return day
}

async function openFloor(office: Office, seed: number): Promise<Floor> {
  const { a, ada, bea, cem, db, clock } = office
  const invited = ['dan', 'eva', 'fay'].map(async (name) => {
    const made = await a.api('POST', '/v2/users', {
      email: `${name}@example.test`,
      first_name: name,
      last_name: 'Agent',
    })
    return Number(made.json.user.id)
  })
  const more = await Promise.all(invited)
  await db.updateTable('user').set({ confirmed_at: clock.now() }).where('id', 'in', more).execute()
  const staff = [ada, bea, cem, ...more]
  const { json } = await a.api('POST', '/v1/tags', { name: 'Busy', color: '#336699' })
  await office.callees({
    [outside.answers]: { answer_after_seconds: 2, talk_seconds: 40 },
    [outside.busy]: { busy: true },
    [outside.silent]: { no_answer: true },
    [outside.quick]: { answer_after_seconds: 0, talk_seconds: 3 },
  })
  await a.api('PUT', '/sandbox/v1/faults', { seed, carrier_failure: 0.1, drop_media: 0.1 })
  await office.connect(...staff)
  const lines = await openLines(office, staff)
  const day = { callers: 0, done: {}, refused: 0 }
  return { office, random: seededRandom(seed), staff, lines, tag: json.tag.id, day }
}

async function openLines(office: Office, staff: number[]): Promise<Line[]> {
  const { team } = office
  const targets = staff.map(toUser)
  const queue: Nodes = {
    wait: {
      type: 'waiting',
      media: null,
      announce_position: true,
      announce_every_seconds: 30,
      callback: true,
      seconds: 0,
      branches: { next: 'ring', callback: 'later' },
    },
    ring: ringTo([toTeam(team), ...targets.slice(2, 4)], { strategy: 'longest_idle', max_wait_seconds: 90 }),
    box: voicemail,
    later: { type: 'callback', media: null, attempts: 2, retry_seconds: 60, expires_seconds: 900 },
  }
  const menu: Nodes = {
    menu: {
      type: 'ivr',
      media: null,
      options: [
        { key: '1', title: 'Sales' },
        { key: '2', title: 'Outside' },
      ],
      timeout_seconds: 3,
      tries: 2,
      branches: { '1': 'ring', '2': 'out', fallback: 'box' },
    },
    ring: ringTo(targets, { strategy: 'one_by_one', ring_seconds: 6 }),
    out: {
      type: 'forward',
      number: outside.answers,
      ring_seconds: 20,
      caller_id: 'number',
      branches: { no_answer: 'box' },
    },
    box: voicemail,
  }
  return [
    await office.line({ ring: ringTo(targets), box: voicemail }, { recording: true }),
    await office.line(queue, { priority: 1, recording: true }),
    await office.line(queue),
    await office.line(menu),
  ]
}

/** All users disconnect, waiting callers hang up, and all timers that are due fire. */
async function endDay({ office, staff }: Floor): Promise<void> {
  for (const user of staff) await office.disconnect(user)
  for (const seconds of [150, 1_000, 60]) await office.pass(seconds)
}

type Action = (floor: Floor) => Promise<void>

const actions: Action[] = [
  ...Array<Action>(3).fill(callerCalls),
  ...Array<Action>(12).fill(userActs),
  userDials,
  userDialsInternally,
  userTags,
  userConnectsOrDisconnects,
]

async function callerCalls({ office, random, lines, day }: Floor): Promise<void> {
  day.callers++
  const from = random.pick([...Object.values(outside), 'anonymous'])
  const to = random.pick(lines).digits
  const script = random.pick(scripts(random))
  await office.app.services.sandbox?.network.call({ from, to, script, patienceSeconds: random.integer(2, 120) })
}

const scripts = (random: Random): CallerStep[][] => [
  [{ hear: random.integer(1, 90) }, { hang_up: true }],
  [{ hear: random.integer(20, 90) }, { hang_up: true }],
  [{ wait: random.integer(0, 15) }, { hang_up: true }],
  [{ press: random.pick(['1', '2', '9']) }, { hear: 40 }, { hang_up: true }],
  [{ wait: 1 }, { request_callback: true }, { wait: 60 }, { hang_up: true }],
  [{ voicemail: 4 }],
]

/** On the user.s current or ringing call. */
async function userActs(floor: Floor): Promise<void> {
  const { office, random, day } = floor
  const { db, app } = office
  const on = await db.selectFrom('live_party').select(['key', 'user_id']).orderBy('user_id').orderBy('key').execute()
  const rung = await db
    .selectFrom('ring_reservation')
    .select(['key', 'user_id'])
    .orderBy('user_id')
    .orderBy('key')
    .execute()
  if (on.length + rung.length === 0) return
  const { key, user_id: by } = random.pick([...on, ...rung])
  const isOn = on.some((one) => one.user_id === by)
  const command = isOn ? commandOnCall(floor, by) : commandOnRing(random, by)
  count(day, command.kind, (await app.services.calls.send(key, command)).ok)
}

const commandOnRing = (random: Random, by: number): CallCommand =>
  random.next() < 0.75 ? { kind: 'answer', by } : { kind: 'decline', by }

function commandOnCall({ office, random, staff }: Floor, by: number): CallCommand {
  const number = { type: 'number' as const, number: random.pick(Object.values(outside)) }
  const to = random.pick([toUser(random.pick(staff)), toUser(random.pick(staff)), toTeam(office.team), number])
  const party = random.pick([toUser(random.pick(staff)), number])
  return random.pick<CallCommand>([
    { kind: 'answer', by },
    { kind: 'hold', by },
    { kind: 'unhold', by },
    { kind: 'mute', by },
    { kind: 'send_digits', by, digits: '12' },
    { kind: 'transfer', by, to, firstUserId: null },
    ...Array<CallCommand>(3).fill({ kind: 'consult', by, to, firstUserId: null }),
    ...Array<CallCommand>(3).fill({ kind: 'complete_transfer', by }),
    ...Array<CallCommand>(2).fill({ kind: 'add_participant', by, to: party }),
    { kind: 'pause_recording', by },
    { kind: 'resume_recording', by },
    { kind: 'comment', by, content: 'Wants an offer' },
    { kind: 'hang_up', by },
  ])
}

async function userDials({ office, random, staff, lines, day }: Floor): Promise<void> {
  const userId = random.pick(staff)
  const to = random.pick(Object.values(outside))
  const started = await office.app.services.calls.start(office.a.id, { userId, numberId: random.pick(lines).id, to })
  count(day, 'dial', started.ok)
}

async function userDialsInternally({ office, random, staff, day }: Floor): Promise<void> {
  const { json } = await office.a.api('GET', `/v1/users/${random.pick(staff)}`)
  const command = { userId: random.pick(staff), numberId: null, to: String(json.user.extension) }
  count(day, 'dial internally', (await office.app.services.calls.start(office.a.id, command)).ok)
}

async function userTags({ office, random, staff, tag, day }: Floor): Promise<void> {
  const command = { action: 'tag', tags: [tag] }
  count(day, 'tag', (await office.a.api('POST', actionsOf(random.pick(staff)), command)).status === 204)
}

async function userConnectsOrDisconnects({ office, random, staff, day }: Floor): Promise<void> {
  const action = random.next() < 0.7 ? 'connect' : 'disconnect'
  count(day, action, (await office.a.api('POST', actionsOf(random.pick(staff)), { action })).status === 204)
}

const actionsOf = (user: number) => `/sandbox/v1/users/${user}/actions`

function count(day: Day, what: string, wasDone: boolean): void {
  if (wasDone) day.done[what] = (day.done[what] ?? 0) + 1
  else day.refused++
}
