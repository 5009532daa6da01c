import type { LegId } from '../../domain/voice.ts'
import type { Clock } from '../../lib/clock.ts'
import type { SpokenUtterance } from './legs.ts'
import type { Switchboard } from './switchboard.ts'

export interface TranscriptLine {
  text: string
  atMs: number
  ms: number
}

const maxKept = 1_000

/** The lines spoken on each leg; of ended legs the latest thousand with any. */
export function keepTranscripts(clock: Clock, board: Switchboard): { transcriptOf(leg: LegId): TranscriptLine[] } {
  const kept = new Map<LegId, TranscriptLine[]>()

  board.endListeners.push(({ id, lines }) => {
    if (lines.length === 0) return
    kept.set(id, toTranscript(lines, clock.now()))
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
  })

  return {
    transcriptOf(id) {
      const leg = board.legs.get(id)
      return leg ? toTranscript(leg.lines, clock.now()) : (kept.get(id) ?? [])
    },
  }
}

const toTranscript = (lines: readonly SpokenUtterance[], now: number): TranscriptLine[] =>
  lines.flatMap(({ text, startedAt, endedAt }) =>
    text === null ? [] : [{ text, atMs: startedAt, ms: (endedAt ?? now) - startedAt }],
  )
