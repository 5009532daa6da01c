import { type Route, route } from '../../../http/route.ts'
import { unixSeconds } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import { numbersById } from '../../accounts/index.ts'
import { liveAgents, liveCalls } from './store.ts'
import { LiveView, liveCallView, stateOf, waitingSince } from './view.ts'

const getLive = route({
  method: 'GET',
  path: '/v1/live',
  summary: 'Retrieve active calls, agents and queues',
  tag: 'Live',
  access: 'app',
  reply: { status: 200, body: LiveView },
  async handle({ caller: { companyId }, services }) {
    return liveNow(services, companyId)
  },
})

async function liveNow({ db, clock }: Services, companyId: number) {
  const agents = await liveAgents(db, companyId)
  const people = new Map(agents.map(({ id, name }) => [id, name]))
  const going = await liveCalls(db, companyId)
  const lines = await numbersById(
    db,
    companyId,
    going.map(({ record }) => record.numberId),
  )
  const numbers = new Map(lines.map(({ id, name, display }) => [id, { id, name, digits: display }]))
  const callsOf = new Map<number, number[]>()
  for (const { callId, agents } of going) {
    for (const userId of new Set(agents.map((agent) => agent.userId))) {
      callsOf.set(userId, [...(callsOf.get(userId) ?? []), callId])
    }
  }
  return {
    now: unixSeconds(clock.now()),
    agents: agents.map(({ id, name, email, granular, since, teams }) => ({
      id,
      name,
      email,
      availability: granular,
      since: unixSeconds(since),
      teams,
      call_ids: callsOf.get(id) ?? [],
    })),
    calls: going.flatMap((call) => {
      const state = stateOf(call)
      return state ? [liveCallView(call, state, { numbers, people })] : []
    }),
    queues: [...numbers.values()].flatMap(({ id, name }) => {
      const waits = going.flatMap((call) => (call.record.numberId === id ? (waitingSince(call) ?? []) : []))
      if (waits.length === 0) return []
      const longest = Math.min(...waits)
      return {
        number: { id, name },
        waiting: waits.length,
        longest_wait_seconds: Math.max(0, Math.floor((clock.now() - longest) / 1_000)),
        longest_since: unixSeconds(longest),
      }
    }),
  }
}

export const liveViewRoutes: Route[] = [getLive]
