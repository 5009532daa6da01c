import type { DialogState, Next } from '../../../domain/ai-agent/dialog.ts'
import { chatMessages, type DialogTurn, obey, toolsOf } from '../../../domain/ai-agent/llm.ts'
import { phrasesOf } from '../../../domain/ai-agent/phrases.ts'
import type { AgentPlan } from '../../../domain/ai-agent/plan.ts'
import { sentenceCutter } from '../../../domain/ai-agent/sentences.ts'
import type { LlmEngine, ToolCall } from '../../../domain/intelligence/engines.ts'

// One LLM turn of an AI agent: streams the reply sentence by sentence, then returns the next step.

export interface LlmReply {
  talk: DialogState
  after: Next
}

/** Tool calls before the reply: look-ups and answers to record. */
const maxRounds = 4
const maxReplyLength = 1_500

export async function* think(
  llm: LlmEngine,
  { plan, turns, talk: before }: { plan: AgentPlan; turns: readonly DialogTurn[]; talk: DialogState },
  signal: AbortSignal,
): AsyncGenerator<string, LlmReply> {
  const messages = chatMessages(plan, turns, before)
  const tools = toolsOf(plan)
  let talk = { ...before, silent: 0, misunderstood: 0 }
  let said = 0
  for (let round = 0; round < maxRounds; round++) {
    const cutter = sentenceCutter()
    const used: ToolCall[] = []
    let text = ''
    for await (const piece of llm.chat({ messages, tools, signal })) {
      if (piece.toolCall) used.push(piece.toolCall)
      if (piece.text === undefined || said + text.length > maxReplyLength) continue
      text += piece.text
      yield* cutter.push(piece.text)
    }
    const rest = cutter.rest()
    if (rest !== '') yield rest
    said += text.trim().length
    if (used.length === 0) break
    messages.push({ role: 'assistant', content: text, toolCalls: used })
    let after: Next | undefined
    for (const call of used) {
      const toolResult = obey(plan, talk, call, before.proposed ?? {})
      talk = toolResult.talk
      after ??= toolResult.after
      messages.push({ role: 'tool', content: toolResult.result, toolCallId: call.id })
    }
    if (after) {
      if (said === 0) yield closingMessage(plan, after)
      return { talk, after }
    }
    // The reply is complete; the tool call only recorded an answer.
    if (said > 0 && used.every(({ name }) => name === 'collect')) break
  }
  if (said === 0) throw new Error('the LLM returned an empty reply')
  return { talk, after: { kind: 'listen' } }
}

/** Spoken before a hang-up or transfer if the LLM said nothing. */
function closingMessage({ language, goodbyeMessage }: AgentPlan, after: Next): string {
  const { goodbye, handOver } = phrasesOf(language)
  return after.kind === 'end' ? (goodbyeMessage ?? goodbye) : handOver
}
