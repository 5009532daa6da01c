import { useSyncExternalStore } from 'react'
import { type LiveLine, type LiveTranscripts, onlyOf, withLine } from '../../kit/conversation/live.ts'

// What is being said on the company's calls, since the dashboard was opened. One socket for all pages hears it.

let words: LiveTranscripts = {}
const readers = new Set<() => void>()

function change(after: LiveTranscripts): void {
  if (after === words) return
  words = after
  for (const read of readers) read()
}

export const hearLive = (callId: number, line: LiveLine) => change(withLine(words, callId, line))

/** Only calls that go on are of interest. */
export const forgetOthers = (callIds: ReadonlySet<number>) => change(onlyOf(words, callIds))

function watch(read: () => void): () => void {
  readers.add(read)
  return () => readers.delete(read)
}

export const useLiveWords = (): LiveTranscripts => useSyncExternalStore(watch, () => words)
