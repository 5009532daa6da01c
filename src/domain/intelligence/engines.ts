// Interfaces of the speech and language engines. Each engine is optional; without it, its results do not exist.

export const languages = ['en', 'fr', 'es', 'de', 'nl', 'it'] as const
export type Language = (typeof languages)[number]

/** The language of a tag such as `en-GB`; undefined if there is none or engines do not support it. */
export const languageOf = (tag: string | null | undefined): Language | undefined =>
  languages.find((language) => language === tag?.split('-', 1)[0])

/** One channel. */
export interface AudioSamples {
  samples: Int16Array
  rate: 8_000 | 16_000
}

export interface SpokenText {
  text: string
  language?: Language
  /** Seconds from the start of the audio, where the engine reports them. */
  segments?: readonly { start: number; end: number; text: string }[]
}

/** Speech to text. */
export interface SttEngine {
  /** Stored with the result. */
  id: string
  languages: readonly Language[] | 'any'
  /** Maximum length of one audio. */
  maxSeconds: number
  /** With `segments`: several segments may be packed into one audio. */
  hasTimestamps: boolean
  transcribe(
    sound: AudioSamples,
    options: { language?: Language; hints?: readonly string[]; signal: AbortSignal; urgent?: boolean },
  ): Promise<SpokenText>
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  toolCalls?: readonly ToolCall[]
  toolCallId?: string
}

export interface ToolCall {
  id: string
  name: string
  args: unknown
}

export interface Tool {
  name: string
  description: string
  /** JSON Schema. */
  parameters: object
}

/** A language model. */
export interface LlmEngine {
  id: string
  /**
   * A response that conforms to the schema, or null after all retries failed. Rejects when the engine does not
   * respond.
   */
  json(o: { system: string; user: string; schema: object; name: string; signal: AbortSignal }): Promise<unknown>
  chat(o: {
    messages: readonly ChatMessage[]
    tools?: readonly Tool[]
    signal: AbortSignal
  }): AsyncIterable<{ text?: string; toolCall?: ToolCall }>
}

/** Text to speech. */
export interface TtsEngine {
  id: string
  /** Audio chunks as they are synthesized, 8 kHz. */
  speak(text: string, options: { language: Language; voice?: string; signal: AbortSignal }): AsyncIterable<Int16Array>
}

/** Tasks of the language model; each may have a model of its own. */
export const llmTasks = [
  'sentiment',
  'topics',
  'summary',
  'action_items',
  'custom_summary',
  'playbook_result',
  'evaluation',
  'predicted_csat',
  'agent',
] as const
export type LlmTask = (typeof llmTasks)[number]

/** A speech segment: milliseconds from the start of the audio. */
export interface Segment {
  startMs: number
  endMs: number
}

/** Transcribes one party in real time. */
export interface LiveTranscriber {
  /** 8 kHz, as it arrives. */
  write(samples: Int16Array): void
  /** End of the audio; resolves when the last transcript was delivered. */
  end(): Promise<void>
}

export interface LiveTranscriptionOptions {
  language: Language
  /** Silence that ends an utterance. */
  hangoverMs?: number
  /** Speech of this duration is reported, for barge-in. */
  speaksAfterMs?: number
  onSpeechStart?(): void
  /** A complete utterance; milliseconds since the first sample. */
  onUtterance(utterance: Segment & { text: string }): void
  /** Transcription cannot keep up and stops. */
  onLost(why: string): void
}
