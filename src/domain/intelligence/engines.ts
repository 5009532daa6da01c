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

/** A word as it is written, with its punctuation. */
export interface SpokenWord {
  text: string
  /** Seconds from the start of the audio. */
  start: number
  end: number
  /** Probability that the word is right, as the engine estimates it; undefined if the engine reports none. */
  confidence?: number
}

export interface SpokenText {
  text: string
  language?: Language
  /** Seconds from the start of the audio, where the engine reports them. */
  segments?: readonly { start: number; end: number; text: string; words?: readonly SpokenWord[] }[]
  /** Of the whole audio, where the engine does not report them by segment. */
  words?: readonly SpokenWord[]
}

/** Speech to text. */
export interface SttEngine {
  /** Stored with the result. */
  id: string
  languages: readonly Language[] | 'any'
  /** Languages that are transcribed fast enough for a conversation, if not all. */
  liveLanguages?: readonly Language[]
  /** Maximum length of one audio. */
  maxSeconds: number
  /** With `segments`: several segments may be packed into one audio. */
  hasTimestamps: boolean
  /** `hints`: names and terms of the company. */
  transcribe(
    sound: AudioSamples,
    options: { language?: Language; hints?: readonly string[]; signal: AbortSignal; urgent?: boolean },
  ): Promise<SpokenText>
  /** Transcribes one utterance while it is spoken, where the server supports it. */
  stream?(options: { language: Language; hints?: readonly string[]; signal: AbortSignal }): UtteranceStream
}

/** One utterance, sent to the engine as it is spoken. */
export interface UtteranceStream {
  /** 8 kHz. */
  write(samples: Int16Array): void
  /** The utterance is complete; resolves with its text. Rejects when the engine failed or the stream was aborted. */
  end(): Promise<string>
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

/** Tokens of one response, as the server reports them; 0: not reported. */
export interface TokenUse {
  input: number
  output: number
}

/** A language model. */
export interface LlmEngine {
  id: string
  /**
   * A response that conforms to the schema, or null after all retries failed. Rejects when the engine does not
   * respond.
   */
  json(o: {
    system: string
    user: string
    schema: object
    name: string
    signal: AbortSignal
    /** Accepts a response that violates the schema; the caller validates its parts. */
    isUsable?(value: unknown): boolean
    /** Called for each response; several may be needed. */
    onResponse?(use: TokenUse): void
  }): Promise<unknown>
  chat(o: {
    messages: readonly ChatMessage[]
    tools?: readonly Tool[]
    signal: AbortSignal
    /** Called at the end of the response. */
    onResponse?(use: TokenUse): void
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

/** What requests to the language model are counted for; `combined`: several results of a call in one request. */
export const usagePurposes = [...llmTasks, 'combined', 'agent_test'] as const
export type UsagePurpose = (typeof usagePurposes)[number]

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
  onSpeechStart?(startMs: number): void
  /** Longer speech is reported as well. */
  persistsAfterMs?: number
  onSpeechPersists?(): void
  /** A complete utterance; milliseconds since the first sample. `continues`: a part of longer speech. */
  onUtterance(utterance: Segment & { text: string; continues?: true }): void
  /** Speech without plausible words. */
  onUnclear?(segment: Segment): void
  /** Transcription cannot keep up and stops. */
  onLost(why: string): void
}
