import { playedPart, spokenMs } from '../domain/ai-agent/spoken.ts'
import { linearTable, samplesPerFrame } from '../media/g711.ts'
import type { PlaybackOptions, PlayEnd } from './player.ts'

/** One sentence and its speaker; the text is truncated where the playback was interrupted. */
export interface SpokenLine {
  text: string
  readonly speaker: string
}

const bytesPerMs = 8
/** Ten minutes. */
const maxBytes = 10 * 60 * 1_000 * bytesPerMs

interface Piece {
  sound: Buffer
  line: SpokenLine
}

/**
 * A speaker without a leg (an AI voice agent), fed with µ-law while it is synthesized and mixed into the room on the
 * internal side. Audio that is not synthesized yet is silence.
 */
export class SpeechVoice {
  readonly playId: string
  readonly #playing: PlaybackOptions
  readonly #speaker: string
  readonly #pieces: Piece[] = []
  /** In order, with the bytes received and played of each. */
  readonly #lines = new Map<SpokenLine, { bytes: number; played: number }>()
  #line: SpokenLine | null = null
  #at = 0
  #bytes = 0
  #isComplete = false
  #isLost = false
  /** The line that is being played. */
  saying: SpokenLine | null = null

  constructor(playId: string, speaker: string, playing: PlaybackOptions) {
    this.playId = playId
    this.#speaker = speaker
    this.#playing = playing
  }

  /** `text` starts a new line. False if the limit is exceeded or the voice has ended. */
  feed(sound: Buffer, text?: string): boolean {
    if (this.#isComplete || this.#bytes + sound.length > maxBytes) return false
    if (text !== undefined || !this.#line) {
      this.#line = { text: text ?? '', speaker: this.#speaker }
      this.#lines.set(this.#line, { bytes: 0, played: 0 })
    }
    this.#bytes += sound.length
    const measure = this.#lines.get(this.#line)
    if (measure) measure.bytes += sound.length
    if (sound.length > 0) this.#pieces.push({ sound, line: this.#line })
    return true
  }

  /** No more audio follows; `isLost`: although some is missing. */
  complete(isLost = false): void {
    this.#isComplete = true
    this.#isLost = isLost
  }

  /** How it ends when everything has been played. */
  get ending(): PlayEnd {
    return this.#isLost ? 'lost' : 'done'
  }

  endsOn(digit: string): boolean {
    return this.#playing.bargeInOn?.includes(digit) ?? false
  }

  end(cause: PlayEnd): void {
    for (const [line, { bytes, played }] of this.#lines) {
      const length = this.#isLost && line === this.#line ? Math.max(bytes, spokenMs(line.text) * bytesPerMs) : bytes
      if (played < length || !this.#isComplete) line.text = playedPart(line.text, length === 0 ? 0 : played / length)
    }
    this.#playing.ended(cause)
  }

  /** The text that was actually played. */
  get said(): string {
    return [...this.#lines.keys()]
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join(' ')
  }

  /** False when everything has been played; the frame is then unchanged. */
  next(into: Int16Array): boolean {
    const table = linearTable('PCMU')
    let filled = 0
    this.saying = null
    while (filled < samplesPerFrame) {
      const [piece] = this.#pieces
      if (!piece) break
      const count = Math.min(samplesPerFrame - filled, piece.sound.length - this.#at)
      for (let i = 0; i < count; i++) into[filled + i] = table[piece.sound[this.#at + i] ?? 0] ?? 0
      const measure = this.#lines.get(piece.line)
      if (measure) measure.played += count
      this.saying = piece.line
      filled += count
      this.#at += count
      if (this.#at < piece.sound.length) continue
      this.#pieces.shift()
      this.#at = 0
    }
    if (filled === 0 && this.#isComplete) return false
    into.fill(0, filled)
    return true
  }
}
