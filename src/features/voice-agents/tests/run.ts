import {
  type AgentTest,
  type AgentTestFailure,
  type AgentTestOutcome,
  agentTestFailures,
  type ObservedConversation,
} from '../../../domain/ai-agent/agent-test.ts'
import type { CallerInput, Next } from '../../../domain/ai-agent/dialog.ts'
import { toolsOf } from '../../../domain/ai-agent/llm.ts'
import type { AgentPlan, EscalationTarget } from '../../../domain/ai-agent/plan.ts'
import { EngineTrouble } from '../../../domain/intelligence/engine-trouble.ts'
import type { LlmEngine } from '../../../domain/intelligence/engines.ts'
import { wallClock } from '../../../domain/opening-hours.ts'
import type { Clock } from '../../../lib/clock.ts'
import { type NextCallerInput, runTestChat, type TestChatResult } from '../agents/test-chat.ts'
import { type KnowledgeSearch, searchInField } from '../knowledge/search.ts'
import type { AgentTestSet, TestedAgent } from './file.ts'
import { nextLineOfGoal } from './goal-caller.ts'

// Runs the tests of an AI agent with the dialog that takes its calls, without audio and without waiting.

export interface AgentTestRun {
  plan: AgentPlan
  llm: LlmEngine | undefined
  /** Otherwise only the knowledge text of the plan is searched. */
  search?: KnowledgeSearch
  clock: Clock
  signal: AbortSignal
  nameOfTarget(target: EscalationTarget): Promise<string>
}

export interface AgentTestResult {
  name: string
  line: number
  passed: boolean
  /** Of `runs`. */
  passedRuns: number
  runs: number
  ms: number
  failures: AgentTestFailure[]
  /** The first run that failed, otherwise the last one; null if it could not take place. */
  conversation: ObservedConversation | null
}

export const testedAgent = (plan: Pick<AgentPlan, 'brain' | 'questions'> & AgentPlan): TestedAgent => ({
  questionKeys: plan.questions.map(({ key }) => key),
  tools: plan.brain === 'llm' ? toolsOf(plan).map(({ name }) => name) : [],
})

export async function runAgentTests(set: AgentTestSet, run: AgentTestRun): Promise<AgentTestResult[]> {
  const plan = { ...run.plan, ...(set.timeZone !== null && { timeZone: set.timeZone }) }
  const now = set.time === null ? run.clock.now() : instantOf(set.time, plan.timeZone ?? 'UTC')
  const results: AgentTestResult[] = []
  for (const test of set.tests) {
    const startedAt = run.clock.steadyNow()
    const result = await runTest(test, { ...run, plan }, now)
    results.push({ ...result, ms: Math.round((run.clock.steadyNow() - startedAt) * 10) / 10 })
    // Other requests are served between two tests.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return results
}

async function runTest(test: AgentTest, run: AgentTestRun, now: number): Promise<Omit<AgentTestResult, 'ms'>> {
  const { name, line, caller } = test
  const refused = (failure: AgentTestFailure, runs = 1) => ({
    name,
    line,
    passed: false,
    passedRuns: 0,
    runs,
    failures: [failure],
    conversation: null,
  })
  if (caller.kind === 'goal' && !run.llm)
    return refused({ line: caller.goal.line, field: 'caller.goal', message: noLlm('A goal') })
  if (run.plan.brain === 'llm' && !run.llm) return refused({ line, field: 'agent', message: noLlm('The AI agent') })
  // A scripted agent and scripted lines give the same conversation each time.
  const isDeterministic = run.plan.brain === 'flow' && caller.kind === 'lines'
  const runs = isDeterministic ? 1 : test.runs
  let passedRuns = 0
  let failed: { failures: AgentTestFailure[]; conversation: ObservedConversation } | undefined
  let last: ObservedConversation | null = null
  for (let n = 0; n < runs; n++) {
    if (run.signal.aborted)
      return refused({ line, field: 'test', message: 'was not finished within the time limit' }, runs)
    const conversation = await converse(test, run, now).catch((error: unknown) => {
      if (error instanceof EngineTrouble || run.signal.aborted) return undefined
      throw error
    })
    if (!conversation)
      return refused({ line, field: 'caller', message: 'the LLM that plays the caller did not respond' }, runs)
    last = conversation
    const failures = agentTestFailures(test.expect, conversation)
    if (failures.length === 0) passedRuns++
    else failed ??= { failures, conversation }
  }
  const passed = passedRuns / runs >= test.passRate
  return {
    name,
    line,
    passed,
    passedRuns,
    runs,
    failures: failed?.failures ?? [],
    conversation: failed?.conversation ?? last,
  }
}

const noLlm = (what: string) =>
  `${what} needs an LLM provider, and none is configured; set one up under Conversation intelligence`

async function converse(test: AgentTest, run: AgentTestRun, now: number): Promise<ObservedConversation> {
  const tools: string[] = []
  const llm = run.llm && recordingTools(run.llm, tools)
  const chat = await runTestChat(
    run.plan,
    inputsOf(test, run),
    { llm, search: run.search ?? searchInField, now, steadyNow: () => run.clock.steadyNow() },
    run.signal,
  )
  return {
    lines: chat.lines,
    answers: chat.talk.answers,
    tools,
    outcome: outcomeOf(chat.next),
    reason: chat.next.kind === 'escalate' ? chat.next.why : null,
    transferredTo: chat.next.kind === 'escalate' ? await nameOf(run, chat.next) : null,
  }
}

function inputsOf(
  { caller }: AgentTest,
  { plan, llm, signal }: AgentTestRun,
): readonly CallerInput[] | NextCallerInput {
  if (caller.kind === 'lines' || !llm) return caller.kind === 'lines' ? caller.lines : []
  let turns = 0
  const { goal, persona, maxTurns } = caller
  return async ({ lines }: TestChatResult) => {
    if (turns++ >= maxTurns) return undefined
    const text = await nextLineOfGoal(llm, { goal: goal.value, persona, language: plan.language }, lines, signal)
    return text === undefined ? undefined : { kind: 'words', text }
  }
}

/** Notes the names of the tools that the model calls. */
const recordingTools = (llm: LlmEngine, tools: string[]): LlmEngine => ({
  ...llm,
  json: (options) => llm.json(options),
  async *chat(options) {
    for await (const piece of llm.chat(options)) {
      if (piece.toolCall) tools.push(piece.toolCall.name)
      yield piece
    }
  },
})

function outcomeOf(next: Next): AgentTestOutcome {
  // The caller has nothing more to say and hangs up.
  if (next.kind === 'listen') return 'caller_hung_up'
  return next.kind === 'escalate' ? 'escalated' : next.why
}

async function nameOf({ plan, nameOfTarget }: AgentTestRun, { target }: Extract<Next, { kind: 'escalate' }>) {
  const named = plan.transferTargets.find((one) => one.target === target)
  return named?.name ?? (await nameOfTarget(target ?? plan.escalation.target))
}

/** The instant of a local time; of one that a daylight saving change skips, the instant an hour later. */
function instantOf({ date, time }: { date: string; time: string }, timeZone: string): number {
  const local = Date.parse(`${date}T${time}:00Z`)
  const offsetAt = (at: number) => wallClock(timeZone, at) - at
  return local - offsetAt(local - offsetAt(local))
}
