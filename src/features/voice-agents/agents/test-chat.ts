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
import type { FoundPassage } from '../../../domain/ai-agent/knowledge.ts'
import type { DialogTurn } from '../../../domain/ai-agent/llm.ts'
import type { AgentPlan } from '../../../domain/ai-agent/plan.ts'
import type { LlmEngine } from '../../../domain/intelligence/engines.ts'
import { abortable } from '../../../lib/abortable.ts'
import type { KnowledgeSearch } from '../knowledge/search.ts'
import { mockRunner } from './http-tools.ts'
import { think } from './llm.ts'
import { roundedMs, type TurnTrace, turnRecorder } from './turn-trace.ts'

// A test conversation without a call, replayed from the start with the caller's turns. It takes the same course as on the
// phone, as far as the LLM is deterministic.

export interface TestChatResult {
  lines: DialogTurn[]
  talk: DialogState
  next: Next
  turns: TurnTrace[]
}

export interface TestChatOptions {
  llm: LlmEngine | undefined
  search: KnowledgeSearch
  now: number
  steadyNow(): number
}

/** The caller's next input, given the conversation so far; undefined: the caller hangs up. */
export type NextCallerInput = (so: TestChatResult) => CallerInput | undefined | Promise<CallerInput | undefined>

/** Maximum number of LLM requests per test chat. */
const maxAsked = 40

export async function runTestChat(
  plan: AgentPlan,
  inputs: readonly CallerInput[] | NextCallerInput,
  { llm, search, now, steadyNow }: TestChatOptions,
  signal: AbortSignal,
): Promise<TestChatResult> {
  const first = greet(plan)
  let so: TestChatResult = { lines: [{ by: 'agent', text: first.say }], talk: first.talk, next: first.next, turns: [] }
  let asked = 0
  const nextInput = typeof inputs === 'function' ? inputs : inOrder(inputs)
  while (so.next.kind === 'listen') {
    const one = await nextInput(so)
    if (one === undefined) break
    const lines = one.kind === 'silence' ? so.lines : [...so.lines, { by: 'caller' as const, text: textOf(one) }]
    const startedAt = steadyNow()
    const known = plan.brain === 'flow' ? respond(plan, so.talk, one, now) : builtInReply(plan, so.talk, one)
    const { trace, ...turn } =
      known || !llm || ++asked > maxAsked
        ? said(lines, known ?? givesUp(plan, so.talk))
        : await llmTurn(plan, { lines, talk: so.talk }, { llm, search, now, steadyNow }, signal)
    const ms = roundedMs(steadyNow() - startedAt)
    so = { ...turn, turns: [...so.turns, { ...(trace ?? noRequest), line: turn.lines.length - 1, ms }] }
  }
  return so
}

function inOrder(inputs: readonly CallerInput[]): NextCallerInput {
  let next = 0
  return () => inputs[next++]
}

const textOf = (input: Exclude<CallerInput, { kind: 'silence' }>) => (input.kind === 'words' ? input.text : input.keys)

type Trace = Omit<TurnTrace, 'line' | 'ms'>
type ChatTurn = Omit<TestChatResult, 'turns'> & { trace?: Trace }

const noRequest: Trace = { problem: null, prompt: [], requests: [], passages: [] }

const said = (lines: readonly DialogTurn[], { say, talk, next }: AgentReply): ChatTurn => ({
  lines: [...lines, { by: 'agent', text: say }],
  talk,
  next,
})

async function llmTurn(
  plan: AgentPlan,
  { lines, talk }: Pick<TestChatResult, 'lines' | 'talk'>,
  { llm, search, now, steadyNow }: TestChatOptions & { llm: LlmEngine },
  signal: AbortSignal,
): Promise<ChatTurn> {
  const sentences: string[] = []
  const recorder = turnRecorder(llm, steadyNow)
  const passages: FoundPassage[] = []
  const recorded = async (...query: Parameters<KnowledgeSearch>) => {
    const found = await search(...query)
    passages.push(...found)
    return found
  }
  try {
    const options = { now, runner: mockRunner, search: recorded, signal }
    const thoughts = abortable(think(recorder.llm, { plan, turns: lines, talk }, options), signal)
    for (let next = await thoughts.next(); ; next = await thoughts.next()) {
      if (!next.done) sentences.push(next.value)
      else {
        const { talk: after, after: then } = next.value
        return {
          lines: [...lines, { by: 'agent', text: sentences.join(' ') }],
          talk: after,
          next: then,
          trace: { problem: null, ...recorder.recorded(), passages },
        }
      }
    }
  } catch (error) {
    // As on the phone: the agent announces the failure.
    const problem = error instanceof Error ? error.message : 'The LLM did not reply'
    return { ...said(lines, breakDown(plan, talk)), trace: { problem, ...recorder.recorded(), passages } }
  }
}
