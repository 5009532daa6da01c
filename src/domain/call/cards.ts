// Insight cards: shown to everyone the call is at or rings, from the moment they are sent until the call ends.
import { rungBy } from './state.ts'
import { ask, change, type Turn } from './turn.ts'

/** A phone app shows as many; older ones are dropped. */
const maxCards = 20

export function showCard(turn: Turn, contents: readonly unknown[]) {
  const { agents, aside, cards, supervisors } = turn.call
  change(turn, { cards: [...cards, contents].slice(-maxCards) })
  const people = [...agents, ...supervisors, ...rungBy(turn.call)].map(({ userId }) => userId)
  if (aside?.userId) people.push(aside.userId)
  for (const userId of new Set(people)) ask(turn, { kind: 'card', userId, contents })
}

/** To an agent who has not seen them: the call rings on them, or they join it. */
export function showCardsTo(turn: Turn, userId: number) {
  for (const contents of turn.call.cards) ask(turn, { kind: 'card', userId, contents })
}
