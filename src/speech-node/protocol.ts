// speech-node/ is the speech process, a program of its own that runs the models. It has no notion of calls, companies or
// the database.
import type { Language, SpokenWord } from '../domain/intelligence/engines.ts'

export interface SpeechOptions {
  modelsDir: string
}

export interface WhisperSegment {
  /** Seconds. */
  start: number
  end: number
  text: string
  /** Undefined if the model reports no attention. */
  words?: SpokenWord[]
}

export interface WhisperResult {
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
  detectSpeech: { params: { stream: number; samples: Int16Array }; result: Float32Array }
  /** The stream has ended. */
  endStream: { params: { stream: number }; result: null }
  moonshine: { params: { samples: Int16Array; rate: 8_000 | 16_000 }; result: { text: string } }
  whisper: {
    params: {
      samples: Int16Array
      rate: 8_000 | 16_000
      language?: Language
      size: 'base' | 'small'
      /** Names and terms that may be spoken. */
      hints?: readonly string[]
    }
    result: WhisperResult
  }
  embed: { params: { texts: readonly string[] }; result: Float32Array[] }
}
export type SpeechRequestName = keyof SpeechRequests

export type SpeechRequest = {
  [Name in SpeechRequestName]: { id: number; method: Name; params: SpeechRequests[Name]['params'] }
}[SpeechRequestName]

export type SpeechMessage =
  | { ready: true }
  | { id: number; result: unknown }
  | { id: number; error: { name: string; message: string } }
