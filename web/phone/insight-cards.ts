import type { PhoneState } from './model.ts'

export interface CardLine {
  type: 'title' | 'shortText'
  text: string
  label?: string
  link?: string
}

const maxCards = 10

/** Adds a card to its call; lines of unknown types are ignored. */
export function withCard(
  cards: PhoneState['cards'],
  callId: number,
  contents: readonly unknown[],
): PhoneState['cards'] {
  const lines = contents.filter(isLine)
  if (lines.length === 0) return cards
  return { ...cards, [callId]: [...(cards[callId] ?? []), lines].slice(-maxCards) }
}

const isLine = (line: unknown): line is CardLine =>
  typeof line === 'object' &&
  line !== null &&
  'type' in line &&
  (line.type === 'title' || line.type === 'shortText') &&
  'text' in line &&
  typeof line.text === 'string'
