import type { FoundPassage } from '../../../domain/ai-agent/knowledge.ts'
import { type PromptPart, promptParts } from '../../../domain/ai-agent/prompt-parts.ts'
import type { ChatMessage, LlmEngine, ToolCall } from '../../../domain/intelligence/engines.ts'

// What happened in a turn of a test chat: the requests to the LLM, the tools it called, and the time they took.

export interface TurnTrace {
  /** Index of the agent's line. */
  line: number
  ms: number
  /** Why the LLM could not reply; null if it did. */
  problem: string | null
  /** The system prompt of the turn; empty if no request was made. */
  prompt: readonly PromptPart[]
  requests: readonly LlmRequestTrace[]
  /** Knowledge that was retrieved for the prompt and by look-ups. */
  passages: readonly FoundPassage[]
}

export interface LlmRequestTrace {
  /** Messages of the conversation in addition to the prompt. */
  messages: number
  reply: string
  /** Until the first text or tool call; null if none came. */
  firstMs: number | null
  ms: number
  toolCalls: readonly ToolCallTrace[]
}

export interface ToolCallTrace {
  tool: string
  arguments: string
  /** Null: the turn ended before the tool was used. */
  result: string | null
}

interface RecordedRequest extends Omit<LlmRequestTrace, 'toolCalls'> {
  calls: ToolCall[]
}

export interface TurnRecorder {
  llm: LlmEngine
  recorded(): Pick<TurnTrace, 'prompt' | 'requests'>
}

/** Records the requests of one turn. */
export function turnRecorder(engine: LlmEngine, steadyNow: () => number): TurnRecorder {
  const requests: RecordedRequest[] = []
  // The turn appends its tool results to the same list.
  let conversation: readonly ChatMessage[] = []
  return {
    llm: {
      ...engine,
      async *chat(options) {
        conversation = options.messages
        const startedAt = steadyNow()
        const elapsed = () => roundedMs(steadyNow() - startedAt)
        const request: RecordedRequest = {
          messages: options.messages.filter(({ role }) => role !== 'system').length,
          reply: '',
          firstMs: null,
          ms: 0,
          calls: [],
        }
        requests.push(request)
        try {
          for await (const piece of engine.chat(options)) {
            request.firstMs ??= elapsed()
            if (piece.text !== undefined) request.reply += piece.text
            if (piece.toolCall) request.calls.push(piece.toolCall)
            yield piece
          }
        } finally {
          request.ms = elapsed()
        }
      },
    },
    recorded() {
      const results = conversation.filter(({ role }) => role === 'tool')
      let next = 0
      return {
        prompt: promptParts(conversation.find(({ role }) => role === 'system')?.content ?? ''),
        requests: requests.map(({ calls, ...request }) => ({
          ...request,
          // Results follow in the order of the calls.
          toolCalls: calls.map(({ name, args }) => ({
            tool: name,
            arguments: JSON.stringify(args) ?? '',
            result: results[next++]?.content ?? null,
          })),
        })),
      }
    },
  }
}

export const roundedMs = (ms: number) => Math.round(ms * 10) / 10
