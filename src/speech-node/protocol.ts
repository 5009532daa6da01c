// speech-node/ is the speech process, a program of its own that runs the models. It has no notion of calls, companies or
// the database.
import type { Language } from '../domain/intelligence/engines.ts'

export interface SpeechOptions {
  modelsDir: string
}

export interface WhisperSegment {
  /** Seconds. */
  start: number
  end: number
  text: string
}

export interface WhisperAnswer {
  language: Language
  text: string
  segments: WhisperSegment[]
  /** Probability of no speech. */
  noSpeech: number
  /** Mean log probability of the tokens. */
  confidence: number
  /** The text repeats itself: a hallucination of the model. */
  isLoop: boolean
}

/** Requests: parameters and results. Samples are 16-bit; `rate` in samples per second. */
export interface SpeechRequests {
  /** Speech probability of each frame of 32 ms, for a stream of chunks at 8 kHz. */
  hear: { with: { stream: number; samples: Int16Array }; gives: Float32Array }
  /** The stream has ended. */
  forget: { with: { stream: number }; gives: null }
  moonshine: { with: { samples: Int16Array; rate: 8_000 | 16_000 }; gives: { text: string } }
  whisper: {
    with: { samples: Int16Array; rate: 8_000 | 16_000; language?: Language; size: 'base' | 'small' }
    gives: WhisperAnswer
  }
  embed: { with: { texts: readonly string[] }; gives: Float32Array[] }
}
export type SpeechRequestName = keyof SpeechRequests

export type SpeechRequest = {
  [Name in SpeechRequestName]: { id: number; ask: Name; with: SpeechRequests[Name]['with'] }
}[SpeechRequestName]

export type SpeechMessage =
  | { ready: true }
  | { id: number; gives: unknown }
  | { id: number; failed: { name: string; message: string } }
