import type { SpeakerShown } from './transcript.ts'

// Live transcripts of calls in progress, used by both apps. Pure.

export interface LiveLine extends SpeakerShown {
  text: string
  /** UNIX milliseconds of its start. */
  at: number
}

/** By call id. */
export type LiveTranscripts = Readonly<Record<number, readonly LiveLine[]>>

/** Per call; older lines are in the transcript after the call. */
export const maxLines = 300

/** The line in a WebSocket message, if it has one. */
export function utteranceIn(message: { type: string }): { callId: number; line: LiveLine } | undefined {
  if (message.type !== 'utterance') return undefined
  const { call_id, utterance } = message as unknown as { call_id: number; utterance: LiveLine }
  return { callId: call_id, line: utterance }
}

/** Sorted by start, because the two sides may be transcribed with different delays. A duplicate is ignored. */
export function withLine(transcripts: LiveTranscripts, callId: number, line: LiveLine): LiveTranscripts {
  const before = transcripts[callId] ?? []
  if (before.some((one) => one.at === line.at && one.text === line.text)) return transcripts
  const after = [...before, line].sort((a, b) => a.at - b.at)
  return { ...transcripts, [callId]: after.slice(-maxLines) }
}

/** Drops the transcripts of calls that have ended. */
export function onlyOf(transcripts: LiveTranscripts, callIds: ReadonlySet<number>): LiveTranscripts {
  const kept = Object.entries(transcripts).filter(([id]) => callIds.has(Number(id)))
  return kept.length === Object.keys(transcripts).length ? transcripts : Object.fromEntries(kept)
}

/** Whether a scrollable element is scrolled to its end. */
export const isAtEnd = ({
  scrollTop,
  clientHeight,
  scrollHeight,
}: {
  scrollTop: number
  clientHeight: number
  scrollHeight: number
}) => scrollHeight - scrollTop - clientHeight < 40
