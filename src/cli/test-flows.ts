import { systemClock } from '../lib/clock.ts'
import { type Command, type Given, type Outcome, UsageError } from './command.ts'
import { type Colours, coloursFor } from './event-line.ts'
import { type FlowTest, FlowTestMistake } from './flow-test.ts'
import { type Difference, differences, diffText } from './flow-test-diff.ts'
import { printable } from './print.ts'
import { progress } from './progress.ts'

export const testFlowsCommand: Command = {
  name: 'test-flows',
  usage: 'FILE…',
  summary: 'Try flows: simulated calls that must go the way a file says',
  details:
    'Each FILE holds tests as YAML or JSON: who is at work, at what time, who calls, and what must happen. They run on the\n' +
    'demo company and a clock of their own, without a server and without touching DATA_DIR. It ends with 1 when a call\n' +
    'went another way, and with 2 when a file is not understood. The docs have a page about it: Flow tests.',
  words: [1, Number.POSITIVE_INFINITY],
  run: testFlows,
}

export interface Tried extends Pick<FlowTest, 'name' | 'file' | 'line'> {
  passed: boolean
  ms: number
  differences: Difference[]
}

async function testFlows(given: Given): Promise<Outcome> {
  const tried = await tryFlows(given.words).catch((error: unknown) => {
    throw error instanceof FlowTestMistake ? new UsageError(error.message) : error
  })
  const failed = tried.filter(({ passed }) => !passed).length
  if (failed > 0) process.exitCode = 1
  const passed = tried.length - failed
  return { text: report(tried, coloursFor(process.stdout)), json: { passed, failed, tests: tried } }
}

/** Reads all files before any test is run. */
export async function tryFlows(files: readonly string[]): Promise<Tried[]> {
  const { readFlowTests } = await import('./flow-test-file.ts')
  const tests = files.flatMap(readFlowTests)
  const { openStage } = await import('./flow-test-run.ts')
  progress.say('Making the demo company')
  const stage = await openStage()
  const clock = systemClock()
  const tried: Tried[] = []
  try {
    for (const { name, file, line, ...test } of tests) {
      progress.say(`${tried.length + 1} of ${tests.length}: ${printable(name)}`)
      const begunAt = clock.steadyNow()
      const played = await stage.play({ name, file, line, ...test })
      const found =
        'stuck' in played
          ? [{ field: 'end', expected: test.expect.end ?? 'any', actual: played.stuck }]
          : differences(test.expect, played.seen)
      const ms = Math.round(clock.steadyNow() - begunAt)
      tried.push({ name, file, line, passed: found.length === 0, ms, differences: found })
    }
  } finally {
    await stage.close()
    progress.end()
  }
  return tried
}

export function report(tried: readonly Tried[], colours: Colours): string {
  const lines = tried.flatMap((test) => {
    const where = `${test.file}:${test.line}`
    if (test.passed) return [`${colours.good('✓')} ${printable(test.name)} ${colours.faint(`${test.ms} ms`)}`]
    const head = `${colours.bad('✗')} ${colours.strong(printable(test.name))}  ${colours.faint(where)}`
    return [head, ...test.differences.map((one) => diffText(one, colours))]
  })
  const failed = tried.filter(({ passed }) => !passed).length
  const ms = tried.reduce((sum, test) => sum + test.ms, 0)
  const sums = [`${tried.length - failed} passed`, ...(failed > 0 ? [`${failed} failed`] : [])].join(', ')
  return [...lines, `${(failed > 0 ? colours.bad : colours.good)(sums)} in ${ms} ms`].join('\n')
}
