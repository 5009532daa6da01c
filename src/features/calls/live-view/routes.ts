import type { CompanyId } from '../../../db/tables.ts'
import { digitsOnly } from '../../../domain/phone-number.ts'
import { JsonText, type Route, route } from '../../../http/route.ts'
import { unixSeconds } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import { numbersById } from '../../accounts/index.ts'
import { findNamed } from '../calls/parts-store.ts'
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
  const contacts = await contactNames(db, companyId, going)
  const now = clock.now()
  const calls = going.flatMap((call) => {
    const state = stateOf(call)
    return state ? [liveCallView(call, state, { numbers, people, contacts })] : []
  })
  const queues = queueViews(going, numbers.values(), now)
  const parts = { now: `${unixSeconds(now)}`, agents, calls: JSON.stringify(calls), queues: JSON.stringify(queues) }
  return new JsonText(`{${Object.entries(parts).map(([name, json]) => `"${name}":${json}`)}}`)
}

/** The names of the external parties, by call. */
async function contactNames(
  db: Services['db'],
  companyId: CompanyId,
  going: readonly LiveCall[],
): Promise<ReadonlyMap<number, string>> {
  const known = going.flatMap(({ callId, record: { external, numberId } }) =>
    external.startsWith('+') ? [{ callId, numberId, digits: digitsOnly(external) }] : [],
  )
  if (known.length === 0) return new Map()
  const { contactOf, numbers, pastNumbers } = await findNamed(db, companyId, {
    users: new Set(),
    teams: new Set(),
    numbers: new Set(known.map(({ numberId }) => numberId)),
    digits: new Set(known.map(({ digits }) => digits)),
  })
  const countries = new Map([...numbers, ...pastNumbers].map(({ id, country }) => [id, country]))
  return new Map(
    known.flatMap(({ callId, numberId, digits }) => {
      const contact = contactOf(digits, countries.get(numberId))
      const name = contact && ([contact.firstName, contact.lastName].filter(Boolean).join(' ') || contact.companyName)
      return name ? [[callId, name] as const] : []
    }),
  )
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
