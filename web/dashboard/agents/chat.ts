import type { ResponseOf } from '../../kit/api.ts'
import type { Target } from './agent.ts'

// Test chat with an AI agent. The server replays the conversation from the start on every request, so earlier turns can be
// edited.

export type CallerTurn = { by: 'caller'; text: string } | { by: 'caller'; keys: string }

export type ChatLine = ChatReply['lines'][number]

export type ChatReply = ResponseOf<'/v1/ai_voice_agents/{id}/test-chat', 'post'>

export type ChatTurn = ChatReply['turns'][number]

/** Replaces a turn; later turns are replayed. */
export const withTurn = (turns: readonly CallerTurn[], place: number, turn: CallerTurn): CallerTurn[] =>
  turns.map((one, at) => (at === place ? turn : one))

/** Removes a turn and all later ones. */
export const upTo = (turns: readonly CallerTurn[], place: number): CallerTurn[] => turns.slice(0, place)

/** Keeps the input type and replaces the text. */
export const reworded = (turn: CallerTurn, words: string): CallerTurn =>
  'keys' in turn ? { by: 'caller', keys: keysIn(words) } : { by: 'caller', text: words }

export const keysIn = (words: string) => words.replaceAll(/[^\d*#]/g, '')

export interface ShownChatLine extends ChatLine {
  /** Index of the caller's turn. */
  turn?: number
  /** Of a reply: what happened before it. */
  details?: ChatTurn
}

/** Lines with the caller's turns numbered; `ignored` counts turns after the end of the conversation. */
export function shownLines(
  reply: ChatReply | undefined,
  turns: readonly CallerTurn[],
): { lines: ShownChatLine[]; ignored: number } {
  let turn = 0
  const lines = (reply?.lines ?? []).map((line, at): ShownChatLine => {
    if (line.by === 'caller') return { ...line, turn: turn++ }
    const details = reply?.turns.find((one) => one.line === at)
    return details ? { ...line, details } : line
  })
  return { lines, ignored: Math.max(0, turns.length - turn) }
}

/** How the conversation ends, if it does. */
export function endWords({ next }: ChatReply, nameOf: (target: Target) => string): string | undefined {
  if (next.is === 'listen') return undefined
  if (next.is === 'end') return next.reason === 'disconnected' ? 'The AI agent disconnects' : 'The AI agent hangs up'
  const to = next.target ? ` to ${nameOf(next.target)}` : ''
  return `The call is escalated${to}${next.reason ? `. ${next.reason}` : ''}`
}

/** Time and number of requests and tool calls of a turn. */
export function turnSummary({ ms, requests }: ChatTurn): string {
  if (requests.length === 0) return 'Without the LLM'
  const tools = requests.flatMap(({ tool_calls: calls }) => calls).length
  return [shownMs(ms), counted(requests.length, 'request'), ...(tools > 0 ? [counted(tools, 'tool call')] : [])].join(
    ' · ',
  )
}

/** How the turn used the knowledge of the AI agent. */
export function knowledgeOf({ prompt, passages }: ChatTurn): string {
  if (passages.length > 0) return `Knowledge: ${counted(passages.length, 'passage')}.`
  return prompt.some(({ data }) => data === 'knowledge')
    ? 'Knowledge: all of it is part of the prompt.'
    : 'Knowledge: not used.'
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

export const shownMs = (ms: number) => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`)
