import { readFileSync } from 'node:fs'
import { ConfigError } from '../config.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { similarName } from '../lib/similar-name.ts'
import { InvalidFile } from '../lib/yaml-fields.ts'
import { type Api, apiDetails, apiFor, apiOptions, apiUsage, RequestRefused } from './api.ts'
import { type Command, type CommandArguments, type CommandResult, UsageError } from './command.ts'
import { type Colours, coloursFor } from './event-line.ts'
import { printable } from './print.ts'
import { progress } from './progress.ts'

// Tests of AI agents. The server runs the tests of its agents; agents that a file describes itself, and those of the demo
// company, are tested by this program.

export const testAgentsCommand: Command = {
  name: 'test-agents',
  usage: `FILE… [--offline] | --from-call ID ${apiUsage}`,
  summary: 'Run tests of AI agents: simulated callers with expected answers, tools and outcomes',
  details:
    'Each FILE names an AI agent of the company, or contains its settings, and lists tests as YAML or JSON. --offline tests\n' +
    'the AI agent of the demo company without a server, as does a command without any API key. --from-call prints a test\n' +
    'made of a call that an AI agent took. Exit codes: 1 a test failed, 2 a file is invalid. See the documentation page\n' +
    `Agent tests. Needs an API key with the scope admin.\n${apiDetails}`,
  options: { ...apiOptions, offline: { type: 'boolean' }, 'from-call': { type: 'string' } },
  words: [0, Number.POSITIVE_INFINITY],
  run: testAgents,
}

interface TestFailure {
  line: number
  field: string
  message: string
}

interface TestResult {
  name: string
  line: number
  passed: boolean
  passed_runs: number
  runs: number
  ms: number
  failures: TestFailure[]
  conversation: { lines: { by: 'agent' | 'caller'; text: string }[] } | null
}

type FileResult = TestResult & { file: string }

async function testAgents(given: CommandArguments): Promise<CommandResult> {
  const call = given.text('from-call')
  if (call !== undefined) return testFromCall(given, call)
  if (given.words.length === 0) throw new UsageError('Missing FILE; or use --from-call ID')
  const results: FileResult[] = []
  try {
    const files = await Promise.all(given.words.map(readTestFile))
    const tester = createTester(given)
    for (const file of files) {
      progress.show(printable(file.name))
      results.push(...(await tester(file)).map((result) => ({ ...result, file: file.name })))
    }
  } catch (error) {
    throw error instanceof InvalidFile ? new UsageError(error.message) : error
  } finally {
    progress.end()
  }
  const failed = results.filter(({ passed }) => !passed).length
  if (failed > 0) process.exitCode = 1
  const json = { passed: results.length - failed, failed, tests: results }
  return { text: agentTestReport(results, coloursFor(process.stdout)), json }
}

interface TestFile {
  name: string
  text: string
  agent: string | object
  agentLine: number
}

const maxBytes = 200_000

/** Parsed before the first test runs. */
async function readTestFile(name: string): Promise<TestFile> {
  let text: string
  try {
    text = readFileSync(name, 'utf8')
  } catch (error) {
    throw new UsageError(`${name} cannot be read (${error instanceof Error && 'code' in error ? error.code : error})`)
  }
  if (text.length > maxBytes) throw new UsageError(`${name} is larger than ${maxBytes} characters`)
  const { readAgentTests } = await import('../features/voice-agents/tests/file.ts')
  const { agent, agentLine } = readAgentTests(name, text)
  if (agent === null) throw new InvalidFile(name, 1, 'agent is missing: the name of an AI agent, or its settings')
  return { name, text, agent, agentLine }
}

/** Connects to the server when the first file needs it. */
function createTester(given: CommandArguments): (file: TestFile) => Promise<TestResult[]> {
  let known: { api: Api; agents: { id: string; name: string }[] } | undefined
  return async (file) => {
    if (typeof file.agent === 'object' || isOffline(given)) return runLocally(file)
    known ??= await agentsOf(apiFor(given))
    return runOnServer(known.api, file, agentIn(file, file.agent, known.agents).id)
  }
}

/** Without an API key there is no server to ask. */
function isOffline(given: CommandArguments): boolean {
  if (given.flag('offline')) return true
  const isNamed = ['url', 'credentials', 'profile'].some((option) => given.text(option) !== undefined)
  if (isNamed) return false
  try {
    apiFor(given)
    return false
  } catch (error) {
    if (error instanceof ConfigError) return true
    throw error
  }
}

const perPage = 50

async function agentsOf(api: Api) {
  const { ai_voice_agents: agents } = await api.ask<{ ai_voice_agents: { id: string; name: string }[] }>(
    'GET',
    `/v1/ai_voice_agents?per_page=${perPage}`,
  )
  return { api, agents }
}

function agentIn<T extends { id: string; name: string }>(file: TestFile, wanted: string, agents: readonly T[]): T {
  const found = agents.find(({ id, name }) => id === wanted || name === wanted)
  if (found) return found
  const names = agents.map(({ name }) => name)
  const similar = similarName(wanted, names)
  const advice = similar ?? (names.length === 0 ? undefined : names.join(', '))
  const hint = advice === undefined ? 'there is none' : similar ? `did you mean ${similar}?` : `known are ${advice}`
  throw new InvalidFile(file.name, file.agentLine, `agent ${printable(wanted)} is no AI agent of the company; ${hint}`)
}

async function runOnServer(api: Api, { name, text }: TestFile, id: string): Promise<TestResult[]> {
  try {
    const run = { source: text }
    const { results } = await api.ask<{ results: TestResult[] }>(
      'POST',
      `/v1/admin/ai_voice_agents/${id}/tests/run`,
      run,
    )
    return results
  } catch (error) {
    const found = error instanceof RequestRefused ? /: Line (\d+): (.*)$/s.exec(error.message) : null
    throw found ? new InvalidFile(name, Number(found[1]), found[2] ?? '') : error
  }
}

async function runLocally(file: TestFile): Promise<TestResult[]> {
  const { runTestsWithoutServer } = await import('./agent-test-run.ts')
  return runTestsWithoutServer(file.name, file.text, (agents) =>
    typeof file.agent === 'string' ? agentIn(file, file.agent, agents) : undefined,
  )
}

async function testFromCall(given: CommandArguments, call: string): Promise<CommandResult> {
  if (!/^[1-9]\d{0,15}$/.test(call)) throw new UsageError('--from-call must be the id of a call')
  if (given.words.length > 0) throw new UsageError('Use either FILE or --from-call')
  const api = apiFor(given)
  const { call: found } = await api.ask<{ call: { ai_voice_agents?: { agent_id: string }[] } }>(
    'GET',
    `/v1/calls/${call}?fetch_aiva_conv=true`,
  )
  const agentId = found.ai_voice_agents?.[0]?.agent_id
  if (agentId === undefined) throw new CommandRefused(`no AI agent took call ${call}`)
  const body = { call_id: Number(call), save: false }
  const { source } = await api.ask<{ source: string }>(
    'POST',
    `/v1/admin/ai_voice_agents/${agentId}/tests/import`,
    body,
  )
  return { text: source.trimEnd(), json: { source } }
}

export function agentTestReport(results: readonly FileResult[], colours: Colours): string {
  const lines = results.flatMap((test) => {
    const times = test.runs > 1 ? `${test.passed_runs} of ${test.runs} runs, ` : ''
    if (test.passed) return [`${colours.good('✓')} ${printable(test.name)} ${colours.faint(`${times}${test.ms} ms`)}`]
    const where = `${test.file}:${test.line}`
    const head = `${colours.bad('✗')} ${colours.strong(printable(test.name))}  ${colours.faint(`${times}${where}`)}`
    return [head, ...failureLines(test, colours), ...conversationLines(test, colours)]
  })
  const failed = results.filter(({ passed }) => !passed).length
  const ms = Math.round(results.reduce((sum, test) => sum + test.ms, 0))
  const sums = [`${results.length - failed} passed`, ...(failed > 0 ? [`${failed} failed`] : [])].join(', ')
  return [...lines, `${(failed > 0 ? colours.bad : colours.good)(sums)} in ${ms} ms`].join('\n')
}

const failureLines = ({ file, failures }: FileResult, { bad, faint }: Colours) =>
  failures.map(
    ({ line, field, message }) => `    ${bad(`${field}: ${printable(message)}`)}  ${faint(`${file}:${line}`)}`,
  )

const conversationLines = ({ conversation }: FileResult, { faint }: Colours) =>
  (conversation?.lines ?? []).map(({ by, text }) =>
    faint(`      ${by === 'agent' ? 'agent ' : 'caller'}  ${printable(text)}`),
  )
