// Insight cards: shown to every user who is on the call or rung by it, from the moment they are sent until the call
// ends.
import { rungBy } from './state.ts'
import { emit, patch, type Turn } from './turn.ts'

/** Maximum of the phone app; older cards are dropped. */
const maxCards = 20

export function addCard(turn: Turn, contents: readonly unknown[]) {
  const { agents, consultation, cards, supervisors } = turn.call
  patch(turn, { cards: [...cards, contents].slice(-maxCards) })
  const people = [...agents, ...supervisors, ...rungBy(turn.call)].map(({ userId }) => userId)
  if (consultation?.userId) people.push(consultation.userId)
  for (const userId of new Set(people)) emit(turn, { kind: 'card', userId, contents })
}

/** Sends the existing cards to an agent who is rung or joins. */
export function showCardsTo(turn: Turn, userId: number) {
  for (const contents of turn.call.cards) emit(turn, { kind: 'card', userId, contents })
}
