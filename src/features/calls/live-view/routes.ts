import type { CompanyId } from '../../../db/tables.ts'
import { JsonText, type Route, route } from '../../../http/route.ts'
import { unixSeconds } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import { numbersById } from '../../accounts/index.ts'
import { agentNames, liveAgentsJson, liveCalls } from './store.ts'
import { type LiveCall, LiveView, liveCallView, queueViews, stateOf, usersOn } from './view.ts'

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

async function liveNow({ db, clock }: Services, companyId: CompanyId): Promise<JsonText> {
  const going = await liveCalls(db, companyId)
  const lines = await numbersById(
    db,
    companyId,
    going.map(({ record }) => record.numberId),
  )
  const numbers = new Map(lines.map(({ id, name, display }) => [id, { id, name, digits: display }]))
  const people = await agentNames(db, companyId, new Set(going.flatMap(usersOn)))
  const agents = await liveAgentsJson(db, companyId, callsByAgent(going))
  const now = clock.now()
  const calls = going.flatMap((call) => {
    const state = stateOf(call)
    return state ? [liveCallView(call, state, { numbers, people })] : []
  })
  const queues = queueViews(going, numbers.values(), now)
  const parts = { now: `${unixSeconds(now)}`, agents, calls: JSON.stringify(calls), queues: JSON.stringify(queues) }
  return new JsonText(`{${Object.entries(parts).map(([name, json]) => `"${name}":${json}`)}}`)
}

function callsByAgent(going: readonly LiveCall[]): Map<number, number[]> {
  const callsOf = new Map<number, number[]>()
  for (const { callId, agents } of going) {
    for (const userId of new Set(agents.map((agent) => agent.userId))) {
      const calls = callsOf.get(userId)
      if (calls) calls.push(callId)
      else callsOf.set(userId, [callId])
    }
  }
  return callsOf
}

export const liveViewRoutes: Route[] = [getLive]
