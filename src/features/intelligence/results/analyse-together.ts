import { askTogether } from '../../../domain/intelligence/ask-together.ts'
import { EngineTrouble } from '../../../domain/intelligence/engine-trouble.ts'
import type { LlmEngine } from '../../../domain/intelligence/engines.ts'
import type { CallOutput } from '../../../jobs/payloads.ts'
import type { Ai } from '../../../services.ts'
import { type AnalysisInput, askingsTogether } from './analysers.ts'

/** Outputs that one request to an LLM can produce. */
export const outputsTogether = ['summary', 'action_items', 'topics', 'sentiment'] as const satisfies CallOutput[]
type TogetherOutput = (typeof outputsTogether)[number]

export const isTogether = (output: CallOutput): output is TogetherOutput =>
  (outputsTogether as readonly CallOutput[]).includes(output)

/** The outputs that use the same model as the first of them. */
export async function sameModel(
  ai: Pick<Ai, 'llm'>,
  companyId: number,
  outputs: readonly TogetherOutput[],
): Promise<{ llm: LlmEngine; outputs: TogetherOutput[] } | undefined> {
  const [first] = outputs
  const llm = first && (await ai.llm(companyId, first, { purpose: 'combined' }))
  if (!llm) return undefined
  const same: TogetherOutput[] = []
  for (const output of outputs) if ((await ai.llm(companyId, output))?.id === llm.id) same.push(output)
  return { llm, outputs: same }
}

/** Answers to one request; outputs without a valid answer are absent. Rejects with EngineTrouble as for one output. */
export async function answersTogether(
  search: AnalysisInput,
  llm: LlmEngine,
  outputs: readonly TogetherOutput[],
): Promise<NonNullable<AnalysisInput['answers']>> {
  const { transcript, signal } = search
  const askings = await askingsTogether(search, outputs)
  const asking = askings.length < 2 ? undefined : askTogether(transcript, askings)
  if (!asking) return {}
  const { read, task: _task, ...question } = asking
  try {
    const answer = await llm.json({ ...question, signal })
    return answer === null ? {} : (read(answer) ?? {})
  } catch (error) {
    // A request that is too long, or that the server does not accept: each output is requested by itself.
    if (error instanceof EngineTrouble && !error.passing) return {}
    throw error
  }
}
