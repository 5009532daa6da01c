import type { CallerInput } from './dialog.ts'
import type { DialogTurn } from './llm.ts'
import type { Answers, IntakeAnswer } from './plan.ts'
import { containsPhrase } from './words.ts'

// Tests of an AI agent: a caller, and what the conversation must lead to. The comparison is pure; see
// features/voice-agents/tests for the file format and the run.

/** As the end reasons of real conversations. */
export const agentTestOutcomes = ['answered', 'escalated', 'disconnected', 'caller_hung_up'] as const
export type AgentTestOutcome = (typeof agentTestOutcomes)[number]

/** An expected value, with its line in the file. */
export interface Expected<T> {
  value: T
  line: number
}

export interface AgentExpectation {
  outcome?: Expected<AgentTestOutcome>
  /** Null: must not be collected. */
  answers: readonly (Expected<IntakeAnswer | null> & { key: string })[]
  /** Each must be called, in this order; other calls in between are allowed. */
  tools?: Expected<readonly string[]>
  /** Part of the reason of an escalation. */
  reason?: Expected<string>
  transferredTo?: Expected<string>
  says: readonly Expected<string>[]
  neverSays: readonly Expected<string>[]
  maxTurns?: Expected<number>
}

/** Who calls: with lines spoken one after the other, or a goal that an LLM pursues. */
export type TestCaller =
  | { kind: 'lines'; lines: readonly CallerInput[] }
  | { kind: 'goal'; goal: Expected<string>; persona: string | null; maxTurns: number }

export interface AgentTest {
  name: string
  line: number
  caller: TestCaller
  expect: AgentExpectation
  runs: number
  /** Share of the runs that must pass, 0 to 1. */
  passRate: number
}

/** A conversation that has taken place. */
export interface ObservedConversation {
  lines: readonly DialogTurn[]
  answers: Answers
  tools: readonly string[]
  outcome: AgentTestOutcome
  reason: string | null
  transferredTo: string | null
}

export interface AgentTestFailure {
  /** Of the file. */
  line: number
  field: string
  message: string
  /** Index of the line of the conversation that is wrong. */
  turn?: number
}

export function agentTestFailures(expect: AgentExpectation, observed: ObservedConversation): AgentTestFailure[] {
  return [
    ...outcomeFailures(expect, observed),
    ...expect.answers.flatMap((answer) => answerFailure(answer, observed.answers)),
    ...toolFailures(expect, observed.tools),
    ...speechFailures(expect, observed.lines),
  ]
}

function outcomeFailures(
  { outcome, reason, transferredTo, maxTurns }: AgentExpectation,
  observed: ObservedConversation,
): AgentTestFailure[] {
  const failures: AgentTestFailure[] = []
  if (outcome && outcome.value !== observed.outcome) {
    const why = observed.reason === null ? '' : ` (${observed.reason})`
    failures.push(failure(outcome.line, 'outcome', `expected ${outcome.value}, but it was ${observed.outcome}${why}`))
  }
  if (reason && !containsPhrase(observed.reason ?? '', [reason.value])) {
    const actual = observed.reason === null ? 'there was no escalation' : `it was "${observed.reason}"`
    failures.push(failure(reason.line, 'reason', `expected "${reason.value}", but ${actual}`))
  }
  if (transferredTo && !isSameName(transferredTo.value, observed.transferredTo)) {
    const actual = observed.transferredTo === null ? 'there was no transfer' : `it was ${observed.transferredTo}`
    failures.push(failure(transferredTo.line, 'transferred_to', `expected ${transferredTo.value}, but ${actual}`))
  }
  const turns = observed.lines.filter(({ by }) => by === 'caller').length
  if (maxTurns && turns > maxTurns.value) {
    const what = `expected at most ${maxTurns.value} turns of the caller, but there were ${turns}`
    failures.push(failure(maxTurns.line, 'max_turns', what))
  }
  return failures
}

const isSameName = (expected: string, actual: string | null) => expected.toLowerCase() === actual?.toLowerCase()

function answerFailure(
  { key, value, line }: AgentExpectation['answers'][number],
  answers: Answers,
): AgentTestFailure[] {
  const field = `answers.${key}`
  const actual = Object.hasOwn(answers, key) ? answers[key] : undefined
  if (value === null) {
    return actual === undefined ? [] : [failure(line, field, `expected no answer, but it was ${shown(actual)}`)]
  }
  // In YAML, digits are a number; the answer may be text because of leading zeros.
  if (actual !== undefined && String(actual) === String(value)) return []
  return [
    failure(
      line,
      field,
      `expected ${shown(value)}, but ${actual === undefined ? 'there was none' : `it was ${shown(actual)}`}`,
    ),
  ]
}

const shown = (value: IntakeAnswer) => JSON.stringify(value)

function toolFailures({ tools }: AgentExpectation, used: readonly string[]): AgentTestFailure[] {
  if (!tools) return []
  let from = 0
  for (const name of tools.value) {
    const at = used.indexOf(name, from)
    if (at < 0) {
      const actual = used.length === 0 ? 'none was called' : `the calls were ${used.join(', ')}`
      return [failure(tools.line, 'tools', `expected ${tools.value.join(', ')}, but ${actual}`)]
    }
    from = at + 1
  }
  return []
}

function speechFailures({ says, neverSays }: AgentExpectation, lines: readonly DialogTurn[]): AgentTestFailure[] {
  const isSaid = (text: string, { by, text: said }: DialogTurn) => by === 'agent' && containsPhrase(said, [text])
  const missing = says
    .filter(({ value }) => !lines.some((line) => isSaid(value, line)))
    .map(({ value, line }) => failure(line, 'says', `the agent did not say "${value}"`))
  const forbidden = neverSays.flatMap(({ value, line }): AgentTestFailure[] => {
    const turn = lines.findIndex((one) => isSaid(value, one))
    return turn < 0 ? [] : [{ ...failure(line, 'never_says', `the agent said "${value}"`), turn }]
  })
  return [...missing, ...forbidden]
}

const failure = (line: number, field: string, message: string): AgentTestFailure => ({ line, field, message })
