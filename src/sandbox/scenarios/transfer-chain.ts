import { openNow } from '../../domain/flow/time-rule.ts'
import {
  actionStep,
  connect,
  count,
  disconnect,
  fictionalCaller,
  type Scenario,
  type ScheduledStep,
  seedParameter,
} from './plan.ts'

const talk = 30
const link = 60

/** One caller is transferred repeatedly, blind and warm in turn. */
export const transferChain: Scenario = {
  name: 'transfer-chain',
  description: 'A caller is transferred from agent to agent, by blind and warm transfers in turn.',
  parameters: { transfers: count('Number of transfers', 3, 10), seed: seedParameter },
  plan({ at, lines, userIds, tagIds }, given, random) {
    const line = lines.find(({ ringers, flow, timeZone }) => ringers.length > 0 && openNow(flow, timeZone, at))
    const [first] = line?.ringers ?? []
    if (!line || first === undefined) return { lacks: 'a Number that is open now and rings an agent' }
    const others = userIds.filter((id) => id !== first)
    if (others.length < 2) return { lacks: 'three confirmed users' }
    const chain = chainOf(first, others, given('transfers'))
    const answered = 30
    const end = answered + talk + (chain.length - 1) * link
    const last = chain[chain.length - 1] ?? first
    return [
      connect(first, 0),
      { after: 5, do: 'call', from: fictionalCaller(random), to: line.digits, script: [], patience: null },
      actionStep(first, answered, { action: 'answer' }),
      // Not earlier: until the first agent has answered, no other agent may ring.
      ...[...new Set(chain.slice(1))].filter((id) => id !== first).map((id) => connect(id, answered + 1)),
      ...chain.slice(1).flatMap((to, index) => pass(chain[index] ?? first, to, answered + talk + index * link, index)),
      ...(tagIds[0] === undefined ? [] : [actionStep(last, end - 10, { action: 'tag', tags: [tagIds[0]] })]),
      actionStep(last, end - 5, { action: 'comment', content: 'Passed on until it was solved' }),
      actionStep(last, end, { action: 'hang_up' }),
      ...[...new Set(chain)].map((id) => disconnect(id, end + 30)),
    ]
  },
}

/** An agent does not transfer the call to themselves. */
function chainOf(first: number, others: readonly number[], transfers: number): number[] {
  const agents = [first, ...others]
  return Array.from({ length: transfers + 1 }, (_, index) => agents[index % agents.length] ?? first)
}

function pass(from: number, to: number, at: number, index: number): ScheduledStep[] {
  if (index % 2 === 0) {
    return [actionStep(from, at, { action: 'transfer', user_id: to }), actionStep(to, at + 8, { action: 'answer' })]
  }
  return [
    actionStep(from, at, { action: 'consult', user_id: to }),
    actionStep(to, at + 6, { action: 'answer' }),
    actionStep(from, at + 20, { action: 'complete_transfer' }),
  ]
}
