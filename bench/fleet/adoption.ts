import { print } from '../kit.ts'
import { pause } from '../voice/measure.ts'
import { type Installation, killed, type ServerProcess } from './installation.ts'
import { memoryOf, pidsOf } from './processes.ts'
import { startQuietCalls } from './quiet-calls.ts'

// The engine process is killed during calls, and another one adopts them. A call is back when it accepts a command again.

export interface Adoption {
  calls: number
  /** One command to each call before the kill: what the same commands cost without adoption. */
  commandsMs: number
  /** From the connection of the adopting process to the line node until all calls are resumed. */
  resumedMs: number
  /** From the same moment until every call has accepted a command. */
  acceptedMs: number
  /** From the kill until the first response of the API, and until every call has accepted a command. */
  fromKill: { firstMs: number; acceptedMs: number }
  /** Memory of all processes in MB, without calls and with them. */
  memory: { idle: number; busy: number }
}

const clients = 16
const setUpRate = 50

export type Successor = 'restart' | 'standby'

/** The call is answered with a prompt, then waits two hours in a queue that no agent serves. */
export const queueFlow = (userId: number) => ({
  start: 'welcome',
  nodes: {
    welcome: { type: 'audio', media: null, branches: { next: 'ring' } },
    ring: {
      type: 'ring_to',
      targets: [{ type: 'user', id: userId }],
      strategy: 'simultaneous',
      max_wait_seconds: 7_200,
      branches: { no_answer: 'end' },
    },
    end: { type: 'hang_up', media: null },
  },
})

export async function adoption(installation: Installation, calls: number, successor: Successor): Promise<Adoption> {
  const { sipPort, server } = installation
  const { json } = await installation.api('GET', '/v1/users')
  const { digits } = await installation.number(queueFlow(json.users[0].id))
  const before = new Set(await activeCallsOf(installation))
  const idle = await memoryNow(installation)
  const sipp = await startQuietCalls({
    ...{ to: digits, sipPort, count: calls, concurrent: calls, perSecond: setUpRate, seconds: 3_600 },
  })
  const ids = await Promise.race([untilAnswered(installation, calls, before), sipp.failed])
  const busy = await memoryNow(installation)
  const asked = performance.now()
  await commandEach(installation, ids)
  const commandsMs = performance.now() - asked

  const old = server()
  const standby = successor === 'standby' ? await installation.start() : undefined
  const killedAt = Date.now()
  const gone = killed(old.child)
  const adopting = standby ?? (await installation.start())
  await gone
  const { firstAt, lastAt } = await commandEach(installation, ids)
  const from = standby ? killedAt : (adopting.loggedAt('line_node.connected') ?? Number.NaN)
  const resumedAt = await resumed(adopting)
  await sipp.stop()
  print(`${calls} calls, ${successor}: from the kill ${lastAt - killedAt} ms, resumed after ${resumedAt - from} ms`)
  return {
    calls,
    commandsMs,
    resumedMs: resumedAt - from,
    acceptedMs: lastAt - from,
    fromKill: { firstMs: firstAt - killedAt, acceptedMs: lastAt - killedAt },
    memory: { idle, busy },
  }
}

async function memoryNow(installation: Installation): Promise<number> {
  const nodes = installation.lineNodes()
  return memoryOf([installation.server().child.pid ?? 0, ...nodes.flatMap(pidsOf)])
}

async function resumed(server: ServerProcess): Promise<number> {
  for (;;) {
    const at = server.loggedLastAt('call.recovered')
    if (at !== undefined) return at
    await pause(5)
  }
}

/** Every call is sent a command until it accepts it; the times of the first and of the last acceptance. */
async function commandEach({ api }: Installation, ids: readonly number[]) {
  const left = [...ids]
  const at: number[] = []
  const card = { contents: [{ type: 'title', text: 'Bench' }] }
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) {
        while (!(await accepts(api, id, card))) await pause(5)
        at.push(Date.now())
      }
    }),
  )
  return { firstAt: Math.min(...at), lastAt: Math.max(...at) }
}

async function accepts(api: Installation['api'], id: number, card: object): Promise<boolean> {
  try {
    const { status, text } = await api('POST', `/v1/calls/${id}/insight_cards`, card)
    if (status === 404 || status === 400) throw new TypeError(`call ${id} is gone: ${text}`)
    return status === 201
  } catch (error) {
    if (error instanceof TypeError) throw error
    return false
  }
}

async function untilAnswered(
  installation: Installation,
  count: number,
  before: ReadonlySet<number>,
): Promise<number[]> {
  for (;;) {
    const ids = (await activeCallsOf(installation)).filter((id) => !before.has(id))
    if (ids.length === count) return ids
    await pause(200)
  }
}

/** Newest first. */
async function activeCallsOf({ api }: Installation): Promise<number[]> {
  const ids: number[] = []
  for (let page = 1; ; page++) {
    const { json } = await api('GET', `/v1/calls?order=desc&per_page=50&page=${page}`)
    const active = json.calls.filter((call: { ended_at: number | null }) => call.ended_at === null)
    ids.push(...active.map((call: { id: number }) => call.id))
    if (active.length === 0 || json.meta.next_page_link === null) return ids
  }
}
