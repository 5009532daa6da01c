// speech-node/ is the program that understands sound: models in, words out. It knows no call, no company and no store.
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
  /** How likely nobody spoke. */
  noSpeech: number
  /** The mean logarithm of how likely each token was: the lower, the less sure. */
  confidence: number
  /** It says the same again and again, which no person does. */
  isLoop: boolean
}

/** What can be asked, and what comes of it. Sound is 16 bits; `rate` in samples per second. */
export interface SpeechRequests {
  /** How likely each frame of 32 ms is speech, in the order of a sound that comes piece by piece at 8 kHz. */
  hear: { with: { stream: number; samples: Int16Array }; gives: Float32Array }
  /** Nothing more comes of it. */
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
