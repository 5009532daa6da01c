// Who listens, reads and speaks for us: types only. Each of them may be missing; what it would make does not exist then.

export const languages = ['en', 'fr', 'es', 'de', 'nl', 'it'] as const
export type Language = (typeof languages)[number]

/** One channel. */
export interface Sound {
  samples: Int16Array
  rate: 8_000 | 16_000
}

export interface SpokenText {
  text: string
  language?: Language
  /** Seconds from the beginning of the sound, where the engine tells them. */
  segments?: readonly { start: number; end: number; text: string }[]
}

/** Speech to text. */
export interface SttEngine {
  /** Stored with what it made. */
  id: string
  languages: readonly Language[] | 'any'
  /** A sound of at most so long. */
  maxSeconds: number
  /** With `segments`: sounds may be packed into one. */
  tellsTimes: boolean
  transcribe(
    sound: Sound,
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
  /** An answer that keeps to the schema, or null after every way to get one has failed. Rejects when nobody answers. */
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
  /** Pieces as they are made, 8 kHz. */
  speak(text: string, options: { language: Language; voice?: string; signal: AbortSignal }): AsyncIterable<Int16Array>
}

/** What a language model is asked for; each may have a model of its own. */
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

/** Where somebody speaks: milliseconds from the beginning of the sound. */
export interface Segment {
  startMs: number
  endMs: number
}

/** Listens to one party while they speak. */
export interface Ear {
  /** 8 kHz, as it comes. */
  write(samples: Int16Array): void
  /** Nothing more comes; resolves when what was heard has been told. */
  end(): Promise<void>
}

export interface EarWish {
  language: Language
  /** Silence after which a turn is over. */
  hangoverMs?: number
  /** Somebody has spoken for that long: who speaks to them should be silent now. */
  speaksAfterMs?: number
  speaks?(): void
  /** A whole utterance; milliseconds since the first sample. */
  heard(utterance: Segment & { text: string }): void
  /** It cannot follow any more and hears nothing from now on. */
  lost(why: string): void
}
