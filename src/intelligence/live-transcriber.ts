import type { LiveTranscriber, LiveTranscriptionOptions, Segment, SttEngine } from '../domain/intelligence/engines.ts'
import { plausibleText } from '../domain/speech/plausibility.ts'
import { VoiceActivityDetector } from '../domain/speech/talk.ts'
import { type Clock, second } from '../lib/clock.ts'
import { UtteranceStreaming } from './utterance-streaming.ts'

export interface LiveTranscriberParts {
  clock: Clock
  /** Speech probability of each frame, in order. */
  likelihoods(samples: Int16Array): Promise<Float32Array>
  /** The stream has ended. */
  forget(): void
  engine: SttEngine
}

const samplesPerMs = 8
const padMs = 200
/** A transcript that lags further behind is useless. */
const maxLagMs = 10 * second
/** Audio kept before the first frame with speech. */
const keptMs = 1_000

/** Transcribes one participant live: detects utterances as they end and reports their text in order. */
export function createLiveTranscriber(
  { clock, likelihoods, forget, engine }: LiveTranscriberParts,
  options: LiveTranscriptionOptions,
): LiveTranscriber {
  const { hangoverMs, speaksAfterMs, persistsAfterMs } = options
  const talk = new VoiceActivityDetector({
    ...(hangoverMs !== undefined && { hangoverMs }),
    ...(speaksAfterMs !== undefined && { speaksAfterMs }),
    ...(persistsAfterMs !== undefined && { persistsAfterMs }),
    maxMs: Math.min(25, engine.maxSeconds - 1) * 1_000,
  })
  const past = new Past()
  const given = new AbortController()
  const streaming = new UtteranceStreaming(engine, { language: options.language, signal: given.signal })
  const incoming: Int16Array[] = []
  /** Arrival times of the audio in progress, oldest first. */
  const arrivals: { untilMs: number; at: number }[] = []
  let writtenMs = 0
  let doneMs = 0
  let pumping: Promise<void> | undefined
  let utterances: Promise<void> = Promise.resolve()
  let openUtterances = 0
  let isOver = false

  function lose(why: string): void {
    if (isOver) return
    isOver = true
    incoming.length = 0
    given.abort()
    forget()
    options.onLost(why)
  }

  /** Everything up to here has been reported. */
  function done(untilMs: number): void {
    doneMs = Math.max(doneMs, untilMs)
    while ((arrivals[0]?.untilMs ?? Number.POSITIVE_INFINITY) <= doneMs) arrivals.shift()
  }

  async function pump(): Promise<void> {
    while (incoming.length > 0 && !isOver) {
      const samples = joined(incoming.splice(0))
      past.add(samples)
      const likely = await likelihoods(samples)
      if (isOver) return
      streaming.write(samples)
      for (const fact of talk.process(likely)) {
        if (fact.kind === 'speaks') options.onSpeechStart?.(fact.startMs)
        else if (fact.kind === 'persists') options.onSpeechPersists?.()
        else understand(fact)
      }
      if (openUtterances === 0) done(past.untilMs)
      streaming.follow(talk.sinceMs, (startMs) => past.between(startMs - padMs, past.untilMs))
      past.forgetBefore((talk.sinceMs ?? past.untilMs) - keptMs)
    }
  }

  function textOf({ startMs, endMs, continues }: Segment & { continues?: true }): Promise<string> {
    const samples = past.between(startMs - padMs, endMs + padMs)
    const how = { language: options.language, signal: given.signal, urgent: true }
    const transcribe = async () => (await engine.transcribe({ samples, rate: 8_000 }, how)).text
    // A part of longer speech ends before the audio that was sent.
    const streamed = continues ? undefined : streaming.end(startMs)
    return streamed ? streamed.catch(transcribe) : transcribe()
  }

  function understand(segment: Segment & { continues?: true }): void {
    const { startMs, endMs, continues } = segment
    openUtterances++
    const mine = textOf(segment)
    // Reported after the previous utterances; a rejection before that is handled then.
    mine.catch(() => {})
    utterances = utterances.then(async () => {
      try {
        const text = plausibleText(await mine, endMs - startMs)
        if (given.signal.aborted) return
        if (text === '') options.onUnclear?.({ startMs, endMs })
        else options.onUtterance({ startMs, endMs, text, ...(continues && { continues }) })
      } catch (error) {
        lose(reasonOf(error))
      } finally {
        openUtterances--
        done(openUtterances === 0 ? past.untilMs : endMs)
      }
    })
  }

  function pumpSoon(): void {
    pumping ??= pump()
      .catch((error: unknown) => lose(reasonOf(error)))
      .finally(() => {
        pumping = undefined
        if (incoming.length > 0 && !isOver) pumpSoon()
      })
  }

  return {
    write(samples) {
      if (isOver) return
      const now = clock.steadyNow()
      writtenMs += samples.length / samplesPerMs
      arrivals.push({ untilMs: writtenMs, at: now })
      incoming.push(samples)
      if (now - (arrivals[0]?.at ?? now) > maxLagMs) return lose('it has fallen more than ten seconds behind')
      pumpSoon()
    },
    async end() {
      while (pumping) await pumping
      if (isOver) return utterances
      for (const fact of talk.end()) if (fact.kind === 'segment') understand(fact)
      streaming.follow(null, () => new Int16Array(0))
      await utterances
      if (isOver) return
      isOver = true
      forget()
    },
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function joined(pieces: readonly Int16Array[]): Int16Array {
  const [first] = pieces
  if (first && pieces.length === 1) return first
  const whole = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** The most recent part of an audio stream, addressed by the time since its first sample. */
class Past {
  #samples: Int16Array = new Int16Array(0)
  /** Position of the first sample. */
  #from = 0

  get untilMs(): number {
    return (this.#from + this.#samples.length) / samplesPerMs
  }

  add(samples: Int16Array): void {
    this.#samples = joined([this.#samples, samples])
  }

  between(startMs: number, endMs: number): Int16Array {
    const from = Math.max(0, Math.round(startMs * samplesPerMs) - this.#from)
    return this.#samples.slice(from, Math.max(from, Math.round(endMs * samplesPerMs) - this.#from))
  }

  forgetBefore(ms: number): void {
    const drop = Math.min(this.#samples.length, Math.round(ms * samplesPerMs) - this.#from)
    if (drop <= 0) return
    this.#samples = this.#samples.slice(drop)
    this.#from += drop
  }
}
