import { useSyncExternalStore } from 'react'
import { type LiveLine, type LiveTranscripts, onlyOf, withLine } from '../../kit/conversation/live.ts'

// Live transcripts of active calls, received over one socket for all pages.

let words: LiveTranscripts = {}
const readers = new Set<() => void>()

function change(after: LiveTranscripts): void {
  if (after === words) return
  words = after
  for (const read of readers) read()
}

export const addLiveLine = (callId: number, line: LiveLine) => change(withLine(words, callId, line))

/** Drops the transcripts of ended calls. */
export const forgetOthers = (callIds: ReadonlySet<number>) => change(onlyOf(words, callIds))

function watch(read: () => void): () => void {
  readers.add(read)
  return () => readers.delete(read)
}

const none: readonly LiveLine[] = []

/** Lines of one call: words of other calls do not render it. */
export const useLiveWords = (callId: number): readonly LiveLine[] =>
  useSyncExternalStore(watch, () => words[callId] ?? none)
