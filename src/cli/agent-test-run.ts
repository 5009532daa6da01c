import { randomBytes } from 'node:crypto'
import type { EscalationTarget } from '../domain/ai-agent/plan.ts'
import { changedBy, NewAgent } from '../features/voice-agents/agents/settings.ts'
import { type AgentSettings, freshAgent } from '../features/voice-agents/agents/store.ts'
import { type AgentTestSet, readAgentTests } from '../features/voice-agents/tests/file.ts'
import { runAgentTests, testedAgent } from '../features/voice-agents/tests/run.ts'
import { agentTestRunView } from '../features/voice-agents/tests/view.ts'
import { ApiError } from '../http/errors.ts'
import { readBody } from '../http/input.ts'
import { systemClock } from '../lib/clock.ts'
import { createVault } from '../lib/secrets.ts'
import { InvalidFile } from '../lib/yaml-fields.ts'
import { numbers, voiceAgent } from '../sandbox/demo-data.ts'

type LocalAgent = AgentSettings & { id: string }

/** Runs a file without a server: `select` picks an AI agent of the demo company, otherwise the file contains the settings. */
export async function runTestsWithoutServer(
  name: string,
  text: string,
  select: (agents: readonly LocalAgent[]) => LocalAgent | undefined,
) {
  const given = readAgentTests(name, text)
  const {
    numberId: _number,
    active: _active,
    ...settings
  } = select([{ ...voiceAgent(null), id: 'demo' }]) ?? settingsIn(name, given)
  const plan = { ...settings, id: 'tested', timeZone: numbers[0]?.timeZone ?? 'UTC' }
  const set = readAgentTests(name, text, testedAgent(plan))
  const results = await runAgentTests(set, {
    plan,
    llm: undefined,
    clock: systemClock(),
    signal: new AbortController().signal,
    nameOfTarget: async (target: EscalationTarget) => {
      if (target.type === 'branch') return 'branch'
      return target.type === 'external' ? target.number : `${target.type} ${target.id}`
    },
  })
  return agentTestRunView(results, null).results
}

function settingsIn(file: string, { agent, agentLine }: AgentTestSet): AgentSettings {
  const { value, problems } = readBody(NewAgent, { ...(typeof agent === 'object' ? agent : {}) })
  const [problem] = problems
  if (problem) throw new InvalidFile(file, agentLine, `agent is invalid: ${problem.message}`)
  const body = value as Parameters<typeof changedBy>[1] & { name: string }
  try {
    // The values of tool headers are sealed for this run only.
    return changedBy({ ...freshAgent, name: body.name }, body, createVault(randomBytes(32)))
  } catch (error) {
    throw error instanceof ApiError ? new InvalidFile(file, agentLine, `agent is invalid: ${error.message}`) : error
  }
}
