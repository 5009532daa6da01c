import type { CallCommand } from '../../src/domain/call/commands.ts'
import { type Random, seededRandom } from '../../src/lib/random.ts'
import type { CallerStep } from '../../src/services.ts'
import { type Line, type Nodes, type Office, ringTo, toTeam, toUser, voicemail } from '../kit/phone.ts'

// A day on which everybody does anything at any time: callers with little patience, people who answer, hold, transfer
// and leave, several things at once. One seed makes one day.

export interface Day {
  callers: number
  dials: number
  accepted: Record<string, number>
  refused: number
}

const outside = {
  answers: '+33611110001',
  busy: '+33611110002',
  silent: '+33611110003',
  quick: '+33611110004',
}

export async function busyDay(office: Office, callers: number, seed: number): Promise<Day> {
  const random = seededRandom(seed)
  const day: Day = { callers: 0, dials: 0, accepted: {}, refused: 0 }
  const staff = [office.ada, office.bea, office.cem]
  const lines = await openLines(office)
  const tag = (await office.a.api('POST', '/v1/tags', { name: 'Busy', color: '#336699' })).json.tag.id
  await office.callees({
    [outside.answers]: { answer_after_seconds: 2, talk_seconds: 40 },
    [outside.busy]: { busy: true },
    [outside.silent]: { no_answer: true },
    [outside.quick]: { answer_after_seconds: 0, talk_seconds: 3 },
  })
  await office.connect(...staff)
  while (day.callers < callers) {
    const deeds = Array.from({ length: random.integer(1, 4) }, () => deed(office, random, staff, lines, tag, day))
    await Promise.all(deeds)
    await office.settle()
    if (random.next() < 0.7) await office.pass(random.pick([0.2, 1, 1, 3, 5, 11]))
  }
  await goHome(office, staff)
  return day
}

/** Everybody leaves, and whoever still waits loses patience; then all that is due comes. */
async function goHome(office: Office, staff: number[]): Promise<void> {
  for (const user of staff) await office.disconnect(user)
  await office.pass(1_200)
  await office.pass(120)
}

async function openLines(office: Office): Promise<Line[]> {
  const { ada, bea, cem, team } = office
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
    ring: ringTo([toTeam(team), toUser(cem)], { strategy: 'longest_idle', max_wait_seconds: 90 }),
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
    ring: ringTo([toUser(bea), toUser(ada), toUser(cem)], { strategy: 'one_by_one', ring_seconds: 6 }),
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
    await office.line(undefined, { recording: true }),
    await office.line(queue, { priority: 1, recording: true }),
    await office.line(queue),
    await office.line(menu),
  ]
}

const scripts = (random: Random): CallerStep[] =>
  random.pick<CallerStep[]>([
    [{ hear: random.integer(1, 60) }, { hang_up: true }],
    [{ hear: 5 }, { wait: 20 }, { hang_up: true }],
    [{ wait: random.integer(0, 15) }, { hang_up: true }],
    [{ press: random.pick(['1', '2', '9']) }, { hear: 20 }, { hang_up: true }],
    [{ press: '1' }, { hear: 20 }, { hang_up: true }],
    [{ wait: 1 }, { request_callback: true }, { wait: 60 }, { hang_up: true }],
    [{ voicemail: 4 }],
  ])

async function deed(office: Office, random: Random, staff: number[], lines: Line[], tag: number, day: Day) {
  const { a, app } = office
  const { calls, sandbox } = app.services
  const user = random.pick(staff)
  const dice = random.next()
  if (dice < 0.25) {
    day.callers++
    const from = random.pick([outside.answers, outside.silent, outside.busy, outside.quick, 'anonymous'])
    const to = random.pick(lines).digits
    await sandbox?.network.call({ from, to, script: scripts(random), patienceSeconds: random.integer(2, 120) })
    return
  }
  if (dice < 0.3) {
    const to = random.pick(Object.values(outside))
    const begun = await calls.start(a.id, { userId: user, numberId: random.pick(lines).id, to })
    count(day, 'dial', begun.ok)
    if (begun.ok) day.dials++
    return
  }
  if (dice < 0.32) {
    const other = random.pick(staff)
    const { json } = await a.api('GET', `/v1/users/${other}`)
    const begun = await calls.start(a.id, { userId: user, numberId: null, to: String(json.user.extension) })
    return count(day, 'dial inside', begun.ok)
  }
  if (dice < 0.35) {
    const open = random.next() < 0.8
    const wish = { action: open ? 'connect' : 'disconnect' }
    const done = await a.api('POST', `/sandbox/v1/users/${user}/actions`, wish)
    return count(day, wish.action, done.status === 204)
  }
  if (dice < 0.38) {
    const done = await a.api('POST', `/sandbox/v1/users/${user}/actions`, { action: 'tag', tags: [tag] })
    return count(day, 'tag', done.status === 204)
  }
  const key = await calls.ofUser(a.id, user)
  if (key === undefined) return
  const wish = command(random, user, staff, office.team)
  const reply = await calls.send(key, wish)
  count(day, wish.kind, reply.ok)
}

function count(day: Day, what: string, ok: boolean): void {
  if (ok) day.accepted[what] = (day.accepted[what] ?? 0) + 1
  else day.refused++
}

function command(random: Random, by: number, staff: number[], team: number): CallCommand {
  const number = random.pick(Object.values(outside))
  const to = random.pick([toUser(random.pick(staff)), toTeam(team), { type: 'number' as const, number }])
  const party = random.pick([toUser(random.pick(staff)), { type: 'number' as const, number }])
  return random.pick<CallCommand>([
    { kind: 'answer', by },
    { kind: 'answer', by },
    { kind: 'answer', by },
    { kind: 'answer', by },
    { kind: 'decline', by },
    { kind: 'hold', by },
    { kind: 'unhold', by },
    { kind: 'mute', by },
    { kind: 'send_digits', by, digits: '12' },
    { kind: 'transfer', by, to, firstUserId: null },
    { kind: 'consult', by, to, firstUserId: null },
    { kind: 'consult', by, to, firstUserId: null },
    { kind: 'complete_transfer', by },
    { kind: 'complete_transfer', by },
    { kind: 'add_participant', by, to: party },
    { kind: 'pause_recording', by },
    { kind: 'resume_recording', by },
    { kind: 'comment', by, content: 'Called back' },
    { kind: 'hang_up', by },
  ])
}
