import type { CustomerBehaviour } from '../../domain/sandbox/people.ts'
import type { Random } from '../../lib/random.ts'
import {
  actionStep,
  connect,
  count,
  disconnect,
  fictionalCaller,
  rateParameter,
  type Scenario,
  type ScheduledStep,
  seedParameter,
} from './plan.ts'

// Longer than any call or ring time.
const apart = 90

export const powerDialing: Scenario = {
  name: 'power-dialing',
  description: 'An agent works through a dialer campaign: some callees answer, some are busy, some do not answer.',
  parameters: {
    numbers: count('Number of callees', 10, 200),
    answer_rate: rateParameter('Share of callees who answer', 0.6),
    seed: seedParameter,
  },
  plan({ lines, userIds }, given, random) {
    const line = lines.find(({ validated, linked }) => validated && linked.some((id) => userIds.includes(id)))
    const userId = line?.linked.find((id) => userIds.includes(id))
    if (!line || userId === undefined) return { lacks: 'a validated Number with a confirmed user' }
    const numbers = [...new Set(Array.from({ length: given('numbers') }, () => fictionalCaller(random)))]
    const behaviours = numbers.map((number) => [number, outsider(given('answer_rate'), random)] as const)
    const end = 10 + numbers.length * apart
    return [
      { after: 0, do: 'callees', numbers: Object.fromEntries(behaviours) },
      { after: 0, do: 'campaign', userId, numbers },
      connect(userId, 1),
      ...numbers.map(
        (to, index): ScheduledStep =>
          actionStep(userId, 10 + index * apart, { action: 'dial', number_id: line.id, to }),
      ),
      disconnect(userId, end),
    ]
  },
}

function outsider(answerRate: number, random: Random): CustomerBehaviour {
  if (random.next() < answerRate) {
    return { answer_after_seconds: random.integer(2, 12), talk_seconds: random.integer(10, 45) }
  }
  return random.next() < 0.5 ? { busy: true } : { no_answer: true }
}
