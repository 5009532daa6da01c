import type { LlmEngine, TokenUse } from '../domain/intelligence/engines.ts'

/** Requests of one use of a model. */
export interface MeteredUse {
  requests: number
  failed: number
  inputTokens: number
  outputTokens: number
}

/** The engine, with its requests counted; `record` never rejects. */
export function meteredLlm(engine: LlmEngine, record: (use: MeteredUse) => Promise<void>): LlmEngine {
  const meter = () => {
    const use: MeteredUse = { requests: 0, failed: 0, inputTokens: 0, outputTokens: 0 }
    return {
      use,
      onResponse({ input, output }: TokenUse) {
        use.requests++
        use.inputTokens += input
        use.outputTokens += output
      },
    }
  }
  return {
    id: engine.id,
    async json(options) {
      const { use, onResponse } = meter()
      try {
        return await engine.json({ ...options, onResponse })
      } catch (error) {
        use.requests++
        use.failed++
        throw error
      } finally {
        await record(use)
      }
    },
    async *chat(options) {
      const { use, onResponse } = meter()
      let isComplete = false
      try {
        yield* engine.chat({ ...options, onResponse })
        isComplete = true
      } finally {
        // Without a complete response: refused, timed out, or cancelled because the caller went on speaking.
        if (!isComplete) {
          use.requests++
          if (!options.signal.aborted) use.failed++
        }
        await record(use)
      }
    },
  }
}
