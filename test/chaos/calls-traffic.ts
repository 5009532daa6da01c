import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Random } from '../../src/lib/random.ts'
import type { Fleet } from './fleet.ts'
import type { Api } from './server.ts'

// Callers who call all the time, and the users of the demo company: some answer automatically, some follow commands.

export interface CallsTraffic {
  /** Calls whose beginning was acknowledged. */
  calls: number[]
  /** One more call, at this process. */
  call(api: Api): Promise<void>
  /** Resolves when so many more requests have been answered. */
  until(answered: number): Promise<void>
  stop(): Promise<void>
}

export interface Company {
  users: number[]
  /** Numbers that may be called, in E.164. */
  numbers: string[]
  numberIds: number[]
  /** The newest of its history. */
  lastCall: number
}

const workers = 4
const autopilot = { answer_after_seconds: 2, talk_seconds: 20, decline_rate: 0.2, finish_wrap_up_after_seconds: 1 }

/** The clock runs quickly, so that calls of minutes pass in seconds. */
export async function openOffice(fleet: Fleet): Promise<Company> {
  const [{ dataDir } = { dataDir: '' }] = fleet.members
  const demo = JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8'))
  const users: number[] = demo.users.map(({ id }: { id: number }) => id)
  const lines: { id: number; digits: string; validated: boolean }[] = demo.numbers
  const api = await fleet.api(first)
  await api('PUT', '/sandbox/v1/clock', { mode: 'frozen' })
  await api('PUT', '/sandbox/v1/clock', { advance_seconds: untilMonday(await productTime(fleet)) / 1_000 })
  await api('PUT', '/sandbox/v1/clock', { mode: 'running', speed: 60 })
  await api('PUT', '/sandbox/v1/callees', { default: { answer_after_seconds: 2, talk_seconds: 30 } })
  for (const [index, user] of users.entries()) {
    await api('POST', actionsOf(user), { action: 'connect' })
    await api('POST', actionsOf(user), { action: 'set_status', availability_status: 'available' })
    if (index % 4 > 0) await api('PUT', `/sandbox/v1/users/${user}/autopilot`, autopilot)
  }
  const open = lines.filter(({ validated }) => validated)
  const { json: history } = await api('GET', '/v1/calls?order=desc&per_page=1')
  return {
    users,
    numbers: open.map(({ digits }) => digits),
    numberIds: open.map(({ id }) => id),
    lastCall: history.calls[0]?.id ?? 0,
  }
}

export function startCalls(fleet: Fleet, { users, numbers, numberIds }: Company, random: Random): CallsTraffic {
  const calls: number[] = []
  let answered = 0
  let stopped = false
  let waiting: { until: number; go: () => void }[] = []

  async function work() {
    while (!stopped) {
      const api = await fleet.api(random.pick)
      try {
        await (random.next() < 0.2 ? call(api) : act(api))
        answered++
      } catch {
        // Killed in the middle: the next request reaches another process.
      }
      waiting = waiting.filter(({ until, go }) => answered < until || go())
    }
  }

  async function call(api: Api) {
    const from = `+3361234${String(random.integer(0, 9_999)).padStart(4, '0')}`
    const script = random.pick([
      [{ hear: 40 }, { hang_up: true }],
      [{ press: random.pick(['1', '2']) }, { hear: 30 }, { hang_up: true }],
      [{ wait: 2 }, { request_callback: true }, { wait: 30 }, { hang_up: true }],
      [{ voicemail: 10 }],
    ])
    const input = { from, to: random.pick(numbers), script, patience: random.integer(20, 240) }
    const { status, json } = await api('POST', '/sandbox/v1/calls', input)
    if (status === 201) calls.push(json.call_id)
  }

  async function act(api: Api) {
    const user_id = random.pick(users)
    const action = random.pick([
      { action: 'answer' },
      { action: 'answer' },
      { action: 'answer' },
      { action: 'decline' },
      { action: 'hold' },
      { action: 'transfer', user_id },
      { action: 'consult', user_id },
      { action: 'consult', number: '+33612349999' },
      { action: 'complete_transfer' },
      { action: 'hang_up' },
      { action: 'dial', number_id: random.pick(numberIds), to: '+33612348888' },
    ])
    await api('POST', actionsOf(random.pick(users)), action)
  }

  const working = Array.from({ length: workers }, work)
  return {
    calls,
    call,
    until: (more) => new Promise((go) => waiting.push({ until: answered + more, go })),
    async stop() {
      stopped = true
      await Promise.all(working)
    },
  }
}

/** All users disconnect, and the clock advances until no timer is left. */
export async function closeOffice(fleet: Fleet, { users }: Company): Promise<void> {
  const api = await fleet.api(first)
  for (const user of users) await api('POST', actionsOf(user), { action: 'disconnect' })
  await api('PUT', '/sandbox/v1/clock', { mode: 'frozen' })
  for (const advance_seconds of [60, 60, 60, 120, 300, 60]) {
    await api('PUT', '/sandbox/v1/clock', { advance_seconds })
  }
}

export async function productTime(fleet: Fleet): Promise<number> {
  const api = await fleet.api(first)
  const { json } = await api('GET', '/sandbox/v1/clock')
  return Date.parse(json.now)
}

/** Number of the latest calls that are still active. */
export async function goingOn(fleet: Fleet): Promise<number> {
  const api = await fleet.api(first)
  const { json } = await api('GET', '/v1/calls?order=desc&per_page=50')
  return json.calls.filter(({ status }: { status: string }) => status !== 'done').length
}

/** The next Monday, 08:00 UTC: Numbers with business hours are open for the rest of the day. */
function untilMonday(now: number): number {
  const day = 24 * 3_600_000
  const weekday = new Date(now).getUTCDay()
  const midnight = Math.floor(now / day) * day
  return midnight + ((8 - weekday) % 7 || 7) * day + 8 * 3_600_000 - now
}

function first(living: Api[]): Api {
  const [api] = living
  if (!api) throw new Error('no process is running')
  return api
}

const actionsOf = (user: number) => `/sandbox/v1/users/${user}/actions`
