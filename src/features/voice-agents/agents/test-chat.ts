import {
  type AgentReply,
  breakDown,
  builtInReply,
  type CallerInput,
  type DialogState,
  givesUp,
  greet,
  type Next,
  respond,
} from '../../../domain/ai-agent/dialog.ts'
import type { DialogTurn } from '../../../domain/ai-agent/llm.ts'
import type { AgentPlan } from '../../../domain/ai-agent/plan.ts'
import type { LlmEngine } from '../../../domain/intelligence/engines.ts'
import { abortable } from '../../../lib/abortable.ts'
import { think } from './llm.ts'

// A test conversation without a call, replayed from the start with the caller's turns. It takes the same course as on the
// phone, as far as the LLM is deterministic.

export interface TestChatResult {
  lines: DialogTurn[]
  talk: DialogState
  next: Next
}

/** Maximum number of LLM requests per test chat. */
const maxAsked = 40

export async function runTestChat(
  plan: AgentPlan,
  inputs: readonly CallerInput[],
  llm: LlmEngine | undefined,
  signal: AbortSignal,
): Promise<TestChatResult> {
  const first = greet(plan)
  let so: TestChatResult = { lines: [{ by: 'agent', text: first.say }], talk: first.talk, next: first.next }
  let asked = 0
  for (const one of inputs) {
    if (so.next.kind !== 'listen') break
    const lines = one.kind === 'silence' ? so.lines : [...so.lines, { by: 'caller' as const, text: textOf(one) }]
    const known = plan.brain === 'flow' ? respond(plan, so.talk, one) : builtInReply(plan, so.talk, one)
    if (known) so = said(lines, known)
    else if (!llm || ++asked > maxAsked) so = said(lines, givesUp(plan, so.talk))
    else so = await llmTurn(plan, { ...so, lines }, llm, signal)
  }
  return so
}

const textOf = (input: Exclude<CallerInput, { kind: 'silence' }>) => (input.kind === 'words' ? input.text : input.keys)

const said = (lines: readonly DialogTurn[], { say, talk, next }: AgentReply): TestChatResult => ({
  lines: [...lines, { by: 'agent', text: say }],
  talk,
  next,
})

async function llmTurn(plan: AgentPlan, { lines, talk }: TestChatResult, llm: LlmEngine, signal: AbortSignal) {
  const sentences: string[] = []
  try {
    const thoughts = abortable(think(llm, { plan, turns: lines, talk }, signal), signal)
    for (let next = await thoughts.next(); ; next = await thoughts.next()) {
      if (!next.done) sentences.push(next.value)
      else {
        const { talk: after, after: then } = next.value
        return { lines: [...lines, { by: 'agent' as const, text: sentences.join(' ') }], talk: after, next: then }
      }
    }
  } catch {
    // As on the phone: the agent announces the failure.
    return said(lines, breakDown(plan, talk))
  }
}
