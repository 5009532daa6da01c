import { readAgentTests } from '../../src/features/voice-agents/tests/file.ts'
import { runAgentTests } from '../../src/features/voice-agents/tests/run.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { voiceAgent } from '../../src/sandbox/demo-data.ts'
import { demoAgentTests } from '../../src/sandbox/texts/agent-tests.ts'
import type { Row } from '../kit.ts'

const rounds = 200
const aimPerSecond = 500

/** Turns of simulated callers that the demo AI agent responds to. */
export async function agentTurns(): Promise<Row[]> {
  const { numberId: _number, active: _active, ...settings } = voiceAgent(null)
  const clock = systemClock()
  const set = readAgentTests('robin.yaml', demoAgentTests)
  const signal = new AbortController().signal
  const run = () =>
    runAgentTests(set, {
      plan: { ...settings, id: 'bench' },
      llm: undefined,
      clock,
      signal,
      nameOfTarget: async ({ type }) => type,
    })
  await run()
  const turns = set.tests.reduce((sum, { caller }) => sum + (caller.kind === 'lines' ? caller.lines.length : 0), 0)
  const startedAt = clock.steadyNow()
  for (let round = 0; round < rounds; round++) await run()
  const seconds = (clock.steadyNow() - startedAt) / 1_000
  return [
    {
      row: 'simulated agent turns',
      figure: `${Math.round((turns * rounds) / seconds)} per second (aim ${aimPerSecond}), ${turns * rounds} turns`,
    },
  ]
}
