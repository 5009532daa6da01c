import type { AgentExpectation, AgentTest, Expected, TestCaller } from '../../../domain/ai-agent/agent-test.ts'
import { agentTestOutcomes } from '../../../domain/ai-agent/agent-test.ts'
import type { CallerInput } from '../../../domain/ai-agent/dialog.ts'
import type { IntakeAnswer } from '../../../domain/ai-agent/plan.ts'
import { isCalendarDate, isTimeZone } from '../../../domain/opening-hours.ts'
import { similarName } from '../../../lib/similar-name.ts'
import { fieldsAt, listAt, type Path, readSource, requiredText, type Source, wordAt } from '../../../lib/yaml-fields.ts'

// The file format of agent tests. Every mistake names its line.

export interface AgentTestSet {
  /** Name or id of the AI agent, or its settings. */
  agent: string | object | null
  agentLine: number
  /** Local time of the conversations. */
  time: { date: string; time: string } | null
  timeZone: string | null
  tests: AgentTest[]
}

/** What the tests may refer to, if the AI agent is known. */
export interface TestedAgent {
  questionKeys: readonly string[]
  tools: readonly string[]
}

const maxTests = 200
const maxLines = 60
const maxRuns = 20
const defaultRuns = 3
const defaultGoalTurns = 12

export const maxTestSource = 200_000

/** Throws InvalidFile. */
export function readAgentTests(file: string, text: string, tested?: TestedAgent): AgentTestSet {
  const source = readSource(file, text)
  const known = ['agent', 'time', 'time_zone', 'runs', 'pass_rate', 'tests']
  const fields = fieldsAt(source, [], source.value ?? {}, known)
  const defaults = scoringAt(source, [], fields, { runs: defaultRuns, passRate: 1 })
  if (fields.tests === undefined) throw source.error([], 'tests is missing: a list of tests')
  const tests = listAt(source, ['tests'], fields.tests, (at, item) => testAt(source, at, item, defaults, tested))
  if (tests.length > maxTests) throw source.error(['tests'], `has more than ${maxTests} tests`)
  const names = tests.map(({ name }) => name)
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index)
  if (twice >= 0) throw source.error(['tests', twice, 'name'], `"${names[twice]}" is used twice`)
  return {
    agent: agentAt(source, fields.agent),
    agentLine: source.lineOfName(['agent']),
    time: fields.time === undefined ? null : timeAt(source, ['time'], fields.time),
    timeZone: fields.time_zone === undefined ? null : zoneAt(source, ['time_zone'], fields.time_zone),
    tests,
  }
}

function agentAt(source: Source, value: unknown): AgentTestSet['agent'] {
  if (value === undefined || value === null) return null
  if (typeof value === 'object' && !Array.isArray(value)) return value
  return requiredText(source, ['agent'], value)
}

function timeAt(source: Source, at: Path, value: unknown) {
  const [, date, time] = /^(\d{4}-\d{2}-\d{2})[ T]((?:[01]\d|2[0-3]):[0-5]\d)$/.exec(String(value)) ?? []
  if (time === undefined || !isCalendarDate(date)) throw source.error(at, 'must have the form 2026-06-15 10:00')
  return { date, time }
}

function zoneAt(source: Source, at: Path, value: unknown): string {
  const zone = requiredText(source, at, value)
  if (!isTimeZone(zone)) throw source.error(at, 'must be a time zone such as Europe/Paris')
  return zone
}

type Scoring = Pick<AgentTest, 'runs' | 'passRate'>

function scoringAt(source: Source, at: Path, fields: Record<string, unknown>, defaults: Scoring): Scoring {
  const { runs = defaults.runs, pass_rate: passRate = defaults.passRate } = fields
  if (typeof runs !== 'number' || !Number.isInteger(runs) || runs < 1 || runs > maxRuns)
    throw source.error([...at, 'runs'], `must be a number from 1 to ${maxRuns}`)
  if (typeof passRate !== 'number' || passRate <= 0 || passRate > 1)
    throw source.error([...at, 'pass_rate'], 'must be greater than 0 and at most 1')
  return { runs, passRate }
}

function testAt(
  source: Source,
  at: Path,
  value: unknown,
  defaults: Scoring,
  tested: TestedAgent | undefined,
): AgentTest {
  const fields = fieldsAt(source, at, value, ['name', 'caller', 'expect', 'runs', 'pass_rate'])
  const name = requiredText(source, [...at, 'name'], fields.name)
  return {
    name,
    line: source.lineOf(at),
    caller: callerAt(source, [...at, 'caller'], fields.caller),
    expect: expectationAt(source, [...at, 'expect'], fields.expect, tested),
    ...scoringAt(source, at, fields, defaults),
  }
}

function callerAt(source: Source, at: Path, value: unknown): TestCaller {
  const fields = fieldsAt(source, at, value, ['persona', 'lines', 'goal', 'max_turns'])
  const { lines, goal, max_turns: maxTurns = defaultGoalTurns } = fields
  if ((lines === undefined) === (goal === undefined)) throw source.error(at, 'must have either lines or a goal')
  const persona = fields.persona === undefined ? null : requiredText(source, [...at, 'persona'], fields.persona)
  if (goal === undefined) {
    if (fields.max_turns !== undefined) throw source.error([...at, 'max_turns'], 'is for callers with a goal')
    const spoken = listAt(source, [...at, 'lines'], lines, (place, item) => lineAt(source, place, item))
    if (spoken.length > maxLines) throw source.error([...at, 'lines'], `has more than ${maxLines} lines`)
    return { kind: 'lines', lines: spoken }
  }
  const goalText = { value: requiredText(source, [...at, 'goal'], goal), line: source.lineOfName([...at, 'goal']) }
  return { kind: 'goal', goal: goalText, persona, maxTurns: turnsAt(source, [...at, 'max_turns'], maxTurns) }
}

function turnsAt(source: Source, at: Path, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxLines) return value
  throw source.error(at, `must be a number from 1 to ${maxLines}`)
}

const maxLineLength = 2_000

/** A text, `{keys: "4729#"}` or `{silence: true}`. */
function lineAt(source: Source, at: Path, value: unknown): CallerInput {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    const text = String(value).trim()
    if (text === '') throw source.error(at, 'is empty; for a caller who says nothing, write {silence: true}')
    if (text.length > maxLineLength) throw source.error(at, `is longer than ${maxLineLength} characters`)
    return { kind: 'words', text }
  }
  const { keys, silence } = fieldsAt(source, at, value, ['keys', 'silence'])
  if (silence === true && keys === undefined) return { kind: 'silence' }
  if (!/^[0-9*#]{1,32}$/.test(String(keys)))
    throw source.error(at, 'must be a text, {keys: "4729#"} or {silence: true}')
  return { kind: 'keys', keys: String(keys).replace(/[*#]/g, '') }
}

const expectable = [
  'outcome',
  'answers',
  'tools',
  'reason',
  'transferred_to',
  'says',
  'never_says',
  'max_turns',
] as const

function expectationAt(source: Source, at: Path, value: unknown, tested: TestedAgent | undefined): AgentExpectation {
  const fields = fieldsAt(source, at, value, expectable)
  if (Object.keys(fields).length === 0) throw source.error(at, `must have at least one of ${expectable.join(', ')}`)
  const line = (key: string) => source.lineOfName([...at, key])
  const given = <T>(key: (typeof expectable)[number], read: (place: Path, item: unknown) => T) =>
    fields[key] === undefined ? undefined : { value: read([...at, key], fields[key]), line: line(key) }
  const text = (place: Path, item: unknown) => requiredText(source, place, item)
  const outcome = given('outcome', (place, item) => wordAt(source, place, item, agentTestOutcomes))
  const tools = given('tools', (place, item) => toolsAt(source, place, item, tested))
  const reason = given('reason', text)
  const transferredTo = given('transferred_to', text)
  const maxTurns = given('max_turns', (place, item) => turnsAt(source, place, item))
  return {
    ...(outcome && { outcome }),
    answers: fields.answers === undefined ? [] : answersAt(source, [...at, 'answers'], fields.answers, tested),
    ...(tools && { tools }),
    ...(reason && { reason }),
    ...(transferredTo && { transferredTo }),
    says: textsAt(source, [...at, 'says'], fields.says),
    neverSays: textsAt(source, [...at, 'never_says'], fields.never_says),
    ...(maxTurns && { maxTurns }),
  }
}

/** A text or a list of texts. */
function textsAt(source: Source, at: Path, value: unknown): Expected<string>[] {
  if (value === undefined) return []
  if (typeof value === 'string') return [{ value: requiredText(source, at, value), line: source.lineOfName(at) }]
  return listAt(source, at, value, (place, item) => ({
    value: requiredText(source, place, item),
    line: source.lineOf(place),
  }))
}

function toolsAt(source: Source, at: Path, value: unknown, tested: TestedAgent | undefined): string[] {
  return listAt(source, at, value, (place, item) => {
    const name = requiredText(source, place, item)
    if (tested && tested.tools.length === 0)
      throw source.error(at, 'cannot be expected: a scripted AI agent has no tools')
    mustBeKnown(source, place, name, tested?.tools)
    return name
  })
}

function answersAt(source: Source, at: Path, value: unknown, tested: TestedAgent | undefined) {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw source.error(at, 'must be an object with a value for each question key')
  return Object.entries(value).map(([key, answer]) => {
    const place = [...at, key]
    if (tested && !tested.questionKeys.includes(key))
      throw source.error(place, `is no question of the AI agent; ${advice(key, tested.questionKeys)}`)
    if (answer !== null && !['string', 'number', 'boolean'].includes(typeof answer))
      throw source.error(place, 'must be a text, a number, true, false, or null for no answer')
    return { key, value: answer as IntakeAnswer | null, line: source.lineOfName(place) }
  })
}

function mustBeKnown(source: Source, at: Path, name: string, known: readonly string[] | undefined): void {
  if (known && !known.includes(name)) throw source.error(at, `is unknown; ${advice(name, known)}`)
}

function advice(name: string, known: readonly string[]): string {
  const similar = similarName(name, known)
  if (similar !== undefined) return `did you mean ${similar}?`
  return known.length === 0 ? 'it has none' : `known are ${known.join(', ')}`
}
