import type { SuggestionShown } from '../../src/domain/intelligence/suggestions.ts'

// Passages of documents that are suggested during calls. Pure.

interface OfCall {
  /** The latest first. */
  all: readonly SuggestionShown[]
  /** Ids. */
  dismissed: readonly number[]
}

/** By call id. */
export type Suggestions = Readonly<Record<number, OfCall>>

const none: OfCall = { all: [], dismissed: [] }

export function withSuggestion(before: Suggestions, callId: number, suggestion: SuggestionShown): Suggestions {
  const { all, dismissed } = before[callId] ?? none
  const others = all.filter(({ id }) => id !== suggestion.id)
  return { ...before, [callId]: { all: [suggestion, ...others].sort((a, b) => b.id - a.id), dismissed } }
}

export function withDismissed(before: Suggestions, callId: number, id: number): Suggestions {
  const { all, dismissed } = before[callId] ?? none
  return { ...before, [callId]: { all, dismissed: [...dismissed, id] } }
}

/** Drops those of calls that have ended. */
export const suggestionsOf = (before: Suggestions, callIds: ReadonlySet<number>): Suggestions =>
  Object.fromEntries(Object.entries(before).filter(([id]) => callIds.has(Number(id))))

/** More would push the call off the screen. */
const maxShown = 3

/** Those on screen: the latest that are not dismissed. */
export function shownSuggestions(suggestions: Suggestions, callId: number | null): readonly SuggestionShown[] {
  const { all, dismissed } = (callId === null ? undefined : suggestions[callId]) ?? none
  return all.filter(({ id }) => !dismissed.includes(id)).slice(0, maxShown)
}
