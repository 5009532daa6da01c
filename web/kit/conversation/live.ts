import type { SpeakerShown } from './transcript.ts'

// What is being said on calls that go on, line by line as it comes. Pure; both apps keep one.

export interface LiveLine extends SpeakerShown {
  text: string
  /** UNIX milliseconds at which it began. */
  at: number
}

/** By call. */
export type LiveWords = Readonly<Record<number, readonly LiveLine[]>>

/** Of one call; what is older stands in the transcript afterwards. */
export const mostLines = 300

/** The message of the socket, if it is one about words. */
export function utteranceIn(message: { type: string }): { callId: number; line: LiveLine } | undefined {
  if (message.type !== 'utterance') return undefined
  const { call_id, utterance } = message as unknown as { call_id: number; utterance: LiveLine }
  return { callId: call_id, line: utterance }
}

/** In the order in which they began: two sides may be heard with different delays. Told twice, it was said once. */
export function withLine(words: LiveWords, callId: number, line: LiveLine): LiveWords {
  const before = words[callId] ?? []
  if (before.some((one) => one.at === line.at && one.text === line.text)) return words
  const after = [...before, line].sort((a, b) => a.at - b.at)
  return { ...words, [callId]: after.slice(-mostLines) }
}

/** Calls that are over are forgotten. */
export function onlyOf(words: LiveWords, callIds: ReadonlySet<number>): LiveWords {
  const kept = Object.entries(words).filter(([id]) => callIds.has(Number(id)))
  return kept.length === Object.keys(words).length ? words : Object.fromEntries(kept)
}

/** Whether a reader is at the end of what scrolls: then it follows, otherwise it stays where they read. */
export const isAtEnd = ({
  scrollTop,
  clientHeight,
  scrollHeight,
}: {
  scrollTop: number
  clientHeight: number
  scrollHeight: number
}) => scrollHeight - scrollTop - clientHeight < 40
