import { systemClock } from '../lib/clock.ts'
import { InvalidFile } from '../lib/yaml-fields.ts'
import { type Command, type CommandArguments, type CommandResult, UsageError } from './command.ts'
import { type Colours, coloursFor } from './event-line.ts'
import { type FlowTest, InvalidFlowTest } from './flow-test.ts'
import { type Difference, differences, diffText } from './flow-test-diff.ts'
import { printable } from './print.ts'
import { progress } from './progress.ts'

export const testFlowsCommand: Command = {
  name: 'test-flows',
  usage: 'FILE…',
  summary: 'Run flow tests: simulated calls with expected results',
  details:
    'Each FILE contains tests as YAML or JSON: the available agents, the time, the caller, and the expected result. They\n' +
    'use the demo company and their own clock, without a server and without DATA_DIR. Exit codes: 1 a test failed, 2 a file\n' +
    'is invalid. See the documentation page Flow tests.',
  words: [1, Number.POSITIVE_INFINITY],
  run: testFlows,
}

export interface FlowTestResult extends Pick<FlowTest, 'name' | 'file' | 'line'> {
  passed: boolean
  ms: number
  differences: Difference[]
}

async function testFlows(given: CommandArguments): Promise<CommandResult> {
  const results = await runFlowTests(given.words).catch((error: unknown) => {
    throw error instanceof InvalidFlowTest || error instanceof InvalidFile ? new UsageError(error.message) : error
  })
  const failed = results.filter(({ passed }) => !passed).length
  if (failed > 0) process.exitCode = 1
  const passed = results.length - failed
  return { text: report(results, coloursFor(process.stdout)), json: { passed, failed, tests: results } }
}

/** Parses all files before the first test runs. */
export async function runFlowTests(files: readonly string[]): Promise<FlowTestResult[]> {
  const { readFlowTests } = await import('./flow-test-file.ts')
  const tests = files.flatMap(readFlowTests)
  const { createRunner } = await import('./flow-test-run.ts')
  progress.show('Creating the demo company')
  const runner = await createRunner()
  const clock = systemClock()
  const results: FlowTestResult[] = []
  try {
    for (const { name, file, line, ...test } of tests) {
      progress.show(`${results.length + 1} of ${tests.length}: ${printable(name)}`)
      const startedAt = clock.steadyNow()
      const result = await runner.run({ name, file, line, ...test })
      const found =
        'stuck' in result
          ? [{ field: 'end', expected: test.expect.end ?? 'any', actual: result.stuck }]
          : differences(test.expect, result.observed)
      const ms = Math.round(clock.steadyNow() - startedAt)
      results.push({ name, file, line, passed: found.length === 0, ms, differences: found })
    }
  } finally {
    await runner.close()
    progress.end()
  }
  return results
}

export function report(results: readonly FlowTestResult[], colours: Colours): string {
  const lines = results.flatMap((test) => {
    const where = `${test.file}:${test.line}`
    if (test.passed) return [`${colours.good('✓')} ${printable(test.name)} ${colours.faint(`${test.ms} ms`)}`]
    const head = `${colours.bad('✗')} ${colours.strong(printable(test.name))}  ${colours.faint(where)}`
    return [head, ...test.differences.map((one) => diffText(one, colours))]
  })
  const failed = results.filter(({ passed }) => !passed).length
  const ms = results.reduce((sum, test) => sum + test.ms, 0)
  const sums = [`${results.length - failed} passed`, ...(failed > 0 ? [`${failed} failed`] : [])].join(', ')
  return [...lines, `${(failed > 0 ? colours.bad : colours.good)(sums)} in ${ms} ms`].join('\n')
}
