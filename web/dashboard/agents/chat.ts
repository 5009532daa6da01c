import type { Target } from './agent.ts'

// A conversation with an agent that is being built. The server plays it from the start each time, so an earlier turn can
// be changed and everything after it is said anew. Pure.

export type CallerTurn = { by: 'caller'; text: string } | { by: 'caller'; keys: string }

export interface ChatLine {
  by: 'agent' | 'caller'
  text: string
}

export interface ChatReply {
  lines: ChatLine[]
  collected: Record<string, string | number | boolean>
  next: { is: 'listen' | 'end' | 'escalate'; reason: string | null; target: Target | null }
}

/** Another turn at that place; what follows stays and is played again. */
export const withTurn = (turns: readonly CallerTurn[], place: number, turn: CallerTurn): CallerTurn[] =>
  turns.map((one, at) => (at === place ? turn : one))

/** As if that turn, and everything after it, had not been said. */
export const upTo = (turns: readonly CallerTurn[], place: number): CallerTurn[] => turns.slice(0, place)

/** The same way of speaking, with other words. */
export const reworded = (turn: CallerTurn, words: string): CallerTurn =>
  'keys' in turn ? { by: 'caller', keys: keysIn(words) } : { by: 'caller', text: words }

export const keysIn = (words: string) => words.replaceAll(/[^\d*#]/g, '')

export interface Shown extends ChatLine {
  /** Of a caller: which of their turns. */
  turn?: number
}

/** What was said, with the caller's turns numbered; turns that came after the end were not heard. */
export function shownLines(
  reply: ChatReply | undefined,
  turns: readonly CallerTurn[],
): { lines: Shown[]; unheard: number } {
  let turn = 0
  const lines = (reply?.lines ?? []).map((line): Shown => (line.by === 'caller' ? { ...line, turn: turn++ } : line))
  return { lines, unheard: Math.max(0, turns.length - turn) }
}

/** How it ends, if it does; `nameOf` says who would get the call. */
export function endWords({ next }: ChatReply, nameOf: (target: Target) => string): string | undefined {
  if (next.is === 'listen') return undefined
  if (next.is === 'end') return next.reason === 'disconnected' ? 'Here the agent gives up' : 'Here the agent hangs up'
  const to = next.target ? ` to ${nameOf(next.target)}` : ''
  return `Here the call would go${to}${next.reason ? `. ${next.reason}` : ''}`
}
