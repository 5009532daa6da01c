import type { Segment, SpokenWord } from '../intelligence/engines.ts'
import { shifted } from './word-times.ts'

/** Several segments in one audio, separated by silence. */
export interface Pack {
  /** Index of the segment, and its offset in the audio. */
  pieces: { segment: Segment; place: number; atMs: number }[]
  ms: number
}

export const gapMs = 500

/** Packs adjacent segments up to the limit: an engine that processes 30-second windows costs the same for one word. */
export function packed(segments: readonly Segment[], maxMs: number): Pack[] {
  const packs: Pack[] = []
  for (const [place, segment] of segments.entries()) {
    const length = segment.endMs - segment.startMs
    const last = packs.at(-1)
    if (last && last.ms + gapMs + length <= maxMs) {
      last.pieces.push({ segment, place, atMs: last.ms + gapMs })
      last.ms += gapMs + length
    } else packs.push({ pieces: [{ segment, place, atMs: 0 }], ms: length })
  }
  return packs
}

export interface TimedText {
  /** Seconds. */
  start: number
  end: number
  text: string
  words?: readonly SpokenWord[]
}

/** The text of one segment; times of its words in seconds from the start of the segment. */
export interface SegmentText {
  text: string
  words?: readonly SpokenWord[] | undefined
}

/**
 * Assigns words to segments by the timestamps of the engine; null where a word spans several segments, or timestamps
 * are missing: that segment must be transcribed alone.
 */
export function unpacked({ pieces }: Pack, parts: readonly TimedText[]): Map<number, SegmentText | null> {
  const found = new Map<number, TimedText[] | null>(pieces.map(({ place }) => [place, []]))
  for (const part of parts) {
    const { start, end } = part
    const shares = pieces.map(({ segment, place, atMs }) => {
      const length = segment.endMs - segment.startMs
      const common = Math.min(end * 1_000, atMs + length) - Math.max(start * 1_000, atMs)
      return { place, share: Math.max(0, common) / Math.max(1, length), common }
    })
    const covered = shares.filter(({ share }) => share > 0.5)
    if (covered.length > 1) {
      for (const { place } of covered) found.set(place, null)
      continue
    }
    const best = shares.reduce((a, b) => (b.common > a.common ? b : a))
    if (best.common > 0) found.get(best.place)?.push(part)
  }
  return new Map(
    pieces.map(({ place, atMs }) => {
      const own = found.get(place) ?? []
      return [place, own.length === 0 ? null : joined(own, atMs / 1_000)]
    }),
  )
}

function joined(parts: readonly TimedText[], offset: number): SegmentText {
  const text = parts
    .map((part) => part.text)
    .join(' ')
    .trim()
  const words = parts.flatMap((part) => part.words ?? [])
  return words.length === 0 ? { text } : { text, words: shifted(words, -offset) }
}
