import type { Language, SttEngine, UtteranceStream } from '../domain/intelligence/engines.ts'

interface Open {
  startMs: number
  audio: UtteranceStream
  leaving: AbortController
}

/** Sends the utterance in progress to an engine that transcribes while it is spoken; does nothing with other engines. */
export class UtteranceStreaming {
  readonly #engine: SttEngine
  readonly #options: { language: Language; signal: AbortSignal }
  #open: Open | undefined

  constructor(engine: SttEngine, options: { language: Language; signal: AbortSignal }) {
    this.#engine = engine
    this.#options = options
  }

  write(samples: Int16Array): void {
    this.#open?.audio.write(samples)
  }

  /** The current speech began at `startMs`; null: silence. `audioSince` returns what was said until now. */
  follow(startMs: number | null, audioSince: (startMs: number) => Int16Array): void {
    if (this.#open && this.#open.startMs !== startMs) {
      // It was too short for an utterance.
      this.#open.leaving.abort()
      this.#open = undefined
    }
    if (!this.#engine.stream || this.#open || startMs === null) return
    const leaving = new AbortController()
    const { language, signal } = this.#options
    const audio = this.#engine.stream({ language, signal: AbortSignal.any([signal, leaving.signal]) })
    this.#open = { startMs, leaving, audio }
    audio.write(audioSince(startMs))
  }

  /** The text of the utterance that began at `startMs`; undefined if it was not sent. */
  end(startMs: number): Promise<string> | undefined {
    if (this.#open?.startMs !== startMs) return undefined
    const { audio } = this.#open
    this.#open = undefined
    return audio.end()
  }
}
