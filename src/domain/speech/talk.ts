// domain/speech/ detects when a party speaks and checks the plausibility of transcripts; it processes probabilities,
// not audio.
import type { Segment } from '../intelligence/engines.ts'

/** Duration of one frame. */
export const frameMs = 32

const onAt = 0.5
const offBelow = 0.35
/** Speech starts where it stopped being unlikely, at most this long before it became likely. */
const risesFrom = 0.15
const maxRise = 16

export interface TalkOptions {
  /** Silence that ends a segment. */
  hangoverMs?: number
  /** Speech of this duration is reported once per segment. */
  speaksAfterMs?: number
  /** Longer speech is reported once per segment as well. */
  persistsAfterMs?: number
  /** Continuous speech is split where it was least likely. */
  maxMs?: number
}

/** `continues`: speech was split, and goes on. */
export type TalkFact =
  | { kind: 'speaks'; startMs: number }
  | { kind: 'persists' }
  | ({ kind: 'segment'; continues?: true } & Segment)

/** Shorter than any word: a click. */
const minMs = 200

/**
 * Voice activity detection, frame by frame: starts when speech is likely, ends after it was unlikely for long enough.
 */
export class VoiceActivityDetector {
  readonly #hangover: number
  readonly #speaksAfter: number
  readonly #persistsAfter: number
  readonly #maxFrames: number
  #frame = 0
  /** Of the current segment. */
  #start: number | null = null
  #likely: number[] = []
  #lastVoice = 0
  #isReported = false
  #isLong = false
  /** Number of preceding frames that were not unlikely. */
  #rising = 0

  constructor({ hangoverMs = 500, speaksAfterMs, persistsAfterMs, maxMs = 25_000 }: TalkOptions = {}) {
    this.#hangover = Math.ceil(hangoverMs / frameMs)
    this.#speaksAfter = framesOf(speaksAfterMs)
    this.#persistsAfter = framesOf(persistsAfterMs)
    this.#maxFrames = Math.floor(maxMs / frameMs)
  }

  /** Start of the current segment; null during silence. */
  get sinceMs(): number | null {
    return this.#start === null ? null : this.#start * frameMs
  }

  process(likelihoods: ArrayLike<number>): TalkFact[] {
    const facts: TalkFact[] = []
    for (let i = 0; i < likelihoods.length; i++) this.#step(likelihoods[i] ?? 0, facts)
    return facts
  }

  /** End of the audio. */
  end(): TalkFact[] {
    const facts: TalkFact[] = []
    this.#close(facts)
    return facts
  }

  #step(likelihood: number, facts: TalkFact[]): void {
    const frame = this.#frame++
    if (this.#start === null) {
      if (likelihood < onAt) {
        this.#rising = likelihood < risesFrom ? 0 : Math.min(maxRise, this.#rising + 1)
        return
      }
      this.#start = frame - this.#rising
      this.#likely = new Array(this.#rising).fill(risesFrom)
      this.#rising = 0
      this.#isReported = false
      this.#isLong = false
    }
    this.#likely.push(likelihood)
    if (likelihood >= offBelow) this.#lastVoice = frame
    if (!this.#isReported && this.#lastVoice + 1 - this.#start >= this.#speaksAfter) {
      this.#isReported = true
      facts.push({ kind: 'speaks', startMs: this.#start * frameMs })
    }
    if (!this.#isLong && this.#lastVoice + 1 - this.#start >= this.#persistsAfter) {
      this.#isLong = true
      facts.push({ kind: 'persists' })
    }
    if (frame - this.#lastVoice >= this.#hangover) this.#close(facts)
    else if (frame + 1 - this.#start >= this.#maxFrames) this.#cut(facts)
  }

  #close(facts: TalkFact[]): void {
    const start = this.#start
    this.#start = null
    if (start !== null) addSegment(facts, start, this.#lastVoice + 1)
  }

  /** In the last third, so that both parts are long enough to transcribe. */
  #cut(facts: TalkFact[]): void {
    const start = this.#start ?? 0
    const from = Math.floor((this.#likely.length * 2) / 3)
    let at = from
    for (let i = from; i < this.#likely.length; i++) {
      if ((this.#likely[i] ?? 1) < (this.#likely[at] ?? 1)) at = i
    }
    addSegment(facts, start, start + at, true)
    this.#start = start + at
    this.#likely = this.#likely.slice(at)
  }
}

const framesOf = (ms: number | undefined) => (ms === undefined ? Number.POSITIVE_INFINITY : Math.ceil(ms / frameMs))

function addSegment(facts: TalkFact[], start: number, end: number, continues = false): void {
  const [startMs, endMs] = [start * frameMs, end * frameMs]
  if (endMs - startMs >= minMs) facts.push({ kind: 'segment', startMs, endMs, ...(continues && { continues }) })
}

/** Pads both sides without overlapping a neighbor: otherwise the first word is lost. */
export function padded(segments: readonly Segment[], padMs: number, totalMs: number): Segment[] {
  return segments.map(({ startMs, endMs }, place) => {
    const before = segments[place - 1]?.endMs ?? 0
    const after = segments[place + 1]?.startMs ?? totalMs
    return {
      startMs: Math.round(Math.max(0, startMs - padMs, place === 0 ? 0 : (before + startMs) / 2)),
      endMs: Math.round(
        Math.min(totalMs, endMs + padMs, place === segments.length - 1 ? totalMs : (endMs + after) / 2),
      ),
    }
  })
}

/** Removes the spans; a remainder too short for a word is removed as well. */
export function outside(segments: readonly Segment[], spans: readonly Segment[]): Segment[] {
  let rest = [...segments]
  for (const span of spans) {
    rest = rest.flatMap(({ startMs, endMs }) => {
      if (span.endMs <= startMs || span.startMs >= endMs) return [{ startMs, endMs }]
      return [
        { startMs, endMs: Math.min(endMs, span.startMs) },
        { startMs: Math.max(startMs, span.endMs), endMs },
      ].filter((part) => part.endMs - part.startMs >= minMs)
    })
  }
  return rest
}
