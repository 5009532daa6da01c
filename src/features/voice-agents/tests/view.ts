import { type Static, Type } from 'typebox'
import { agentTestOutcomes } from '../../../domain/ai-agent/agent-test.ts'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { AgentTestSet } from './file.ts'
import type { AgentTestResult } from './run.ts'
import type { StoredTestSet } from './store.ts'

const Result = Type.Object({
  name: Type.String({ description: 'Name of the test' }),
  line: Type.Integer({ description: 'Line of the test in the file' }),
  passed: Type.Boolean({ description: 'Whether enough conversations passed' }),
  passed_runs: Type.Integer({ description: 'Number of conversations that passed' }),
  runs: Type.Integer({ description: 'Number of conversations; more than one with an LLM' }),
  ms: Type.Number({ description: 'Duration in milliseconds' }),
  failures: Type.Array(
    Type.Object({
      line: Type.Integer({ description: 'Line of the expectation in the file' }),
      field: Type.String({ description: 'Field of the expectation' }),
      message: Type.String(),
      turn: nullable(Type.Integer({ description: 'Index of the line of the conversation that is wrong' })),
    }),
    { description: 'Expectations that were not met, of the first conversation that failed' },
  ),
  conversation: nullable(
    Type.Object(
      {
        lines: Type.Array(
          Type.Object({ by: oneOf(['agent', 'caller'], { description: 'Who spoke' }), text: Type.String() }),
        ),
        answers: Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          additionalProperties: true,
          description: 'Answers by question key',
        }),
        tools: Type.Array(Type.String(), { description: 'Tools that the LLM called, in order' }),
        outcome: oneOf(agentTestOutcomes, { description: 'How the conversation ended' }),
        reason: nullable(Type.String()),
        transferred_to: nullable(Type.String()),
      },
      { description: 'The first conversation that failed, otherwise the last one; `null` if none took place' },
    ),
  ),
})

export const AgentTestRunView = Type.Object({
  passed: Type.Integer({ description: 'Tests that passed' }),
  failed: Type.Integer({ description: 'Tests that failed' }),
  agent_version: nullable(Type.Integer({ description: 'Version of the AI agent that was tested' })),
  results: Type.Array(Result, { description: 'A result per test' }),
})

export const agentTestRunView = (
  results: readonly AgentTestResult[],
  version: number | null,
): Static<typeof AgentTestRunView> => ({
  agent_version: version,
  passed: results.filter(({ passed }) => passed).length,
  failed: results.filter(({ passed }) => !passed).length,
  results: results.map(({ passedRuns, failures, conversation, ...result }) => ({
    ...result,
    passed_runs: passedRuns,
    failures: failures.map(({ turn = null, ...failure }) => ({ ...failure, turn })),
    conversation: conversation && {
      lines: [...conversation.lines],
      answers: { ...conversation.answers },
      tools: [...conversation.tools],
      outcome: conversation.outcome,
      reason: conversation.reason,
      transferred_to: conversation.transferredTo,
    },
  })),
})

export const AgentTestSetView = Type.Object({
  source: Type.String({ description: 'The tests as YAML; empty if there are none' }),
  tests: Type.Array(Type.Object({ name: Type.String(), line: Type.Integer({ description: 'Line of the test' }) }), {
    description: 'The tests, in the order of the file',
  }),
  last_run: nullable(
    Type.Object(
      { ...AgentTestRunView.properties, run_at: Timestamp },
      { description: 'The last run of these tests; `null` if they were changed since' },
    ),
  ),
})

export const agentTestSetView = (
  stored: StoredTestSet | undefined,
  set: AgentTestSet | undefined,
): Static<typeof AgentTestSetView> => ({
  source: stored?.source ?? '',
  tests: set?.tests.map(({ name, line }) => ({ name, line })) ?? [],
  last_run:
    stored?.results && stored.runAt !== null
      ? { ...agentTestRunView(stored.results, stored.agentVersion), run_at: isoSeconds(stored.runAt) }
      : null,
})
