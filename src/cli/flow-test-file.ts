import { readFileSync } from 'node:fs'
import path from 'node:path'
import { missedReasons } from '../domain/call/record.ts'
import { eventNames } from '../domain/events.ts'
import { parseFlow } from '../domain/flow/parse.ts'
import { isTimeZone } from '../domain/opening-hours.ts'
import { parseScript } from '../domain/sandbox/script.ts'
import {
  fieldsAt,
  listAt,
  type Path,
  readSource,
  requiredText,
  type Source,
  secondsAt,
  wordAt,
} from '../lib/yaml-fields.ts'
import {
  type AgentBehaviour,
  behaviours,
  type Called,
  type Expectation,
  ends,
  type FlowTest,
  type FlowTestSetup,
  InvalidFlowTest,
  type LocalTime,
} from './flow-test.ts'
import { anyIds, fullNames, numberByName, userByName, withIds } from './flow-test-names.ts'
import { localTimeIn } from './flow-test-time.ts'

/** The tests of a file: one, a list of them, or a list under `tests`. */
export function readFlowTests(file: string): FlowTest[] {
  const source = readSource(file, textOf(file))
  const { value } = source
  if (Array.isArray(value)) return listAt(source, [], value, (at, item) => testAt(source, at, item))
  if (typeof value !== 'object' || value === null || !('tests' in value)) return [testAt(source, [], value)]
  const { tests } = fieldsAt(source, [], value, ['tests'])
  return listAt(source, ['tests'], tests, (at, item) => testAt(source, at, item))
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error
    throw new InvalidFlowTest(`${file} cannot be read (${reason})`)
  }
}

function testAt(source: Source, at: Path, value: unknown): FlowTest {
  const fields = fieldsAt(source, at, value, ['name', 'given', 'caller', 'expect'])
  const name = requiredText(source, [...at, 'name'], fields.name)
  const given = givenAt(source, [...at, 'given'], fields.given)
  const caller = callerAt(source, [...at, 'caller'], fields.caller ?? {})
  const expect = expectationAt(source, [...at, 'expect'], fields.expect)
  return { name, file: source.file, line: source.lineOf(at), given, caller, expect }
}

function givenAt(source: Source, at: Path, value: unknown): FlowTestSetup {
  const fields = fieldsAt(source, at, value, ['number', 'flow', 'time_zone', 'time', 'agents'])
  if ((fields.number === undefined) === (fields.flow === undefined)) {
    throw source.error(at, 'must contain either number or flow')
  }
  if (fields.time_zone !== undefined && fields.flow === undefined) {
    throw source.error([...at, 'time_zone'], 'requires flow; a number has its own time zone')
  }
  return {
    called: fields.flow === undefined ? numberAt(source, [...at, 'number'], fields.number) : flowAt(source, at, fields),
    time: fields.time === undefined ? defaultTime : timeAt(source, [...at, 'time'], fields.time),
    agents: agentsAt(source, [...at, 'agents'], fields.agents ?? {}),
  }
}

const defaultTime: LocalTime = { weekday: 'mon', time: '10:00' }
const defaultTimeZone = 'Europe/Paris'

function numberAt(source: Source, at: Path, value: unknown): Called {
  // YAML parses unquoted digits as a number.
  const number = numberByName(typeof value === 'number' ? `+${value}` : requiredText(source, at, value))
  if (!number) throw source.error(at, 'must be the digits or the name of a number of the demo company')
  return { number: number.digits }
}

function flowAt(source: Source, at: Path, fields: { flow?: unknown; time_zone?: unknown }): Called {
  const here = [...at, 'flow']
  const zone =
    fields.time_zone === undefined ? defaultTimeZone : requiredText(source, [...at, 'time_zone'], fields.time_zone)
  if (!isTimeZone(zone)) throw source.error([...at, 'time_zone'], 'must be a time zone such as Europe/Paris')
  const flow = typeof fields.flow === 'string' ? flowIn(source.file, fields.flow) : fields.flow
  const parsed = parseFlow(withIds(flow, anyIds))
  if ('problem' in parsed) throw source.error(here, `is invalid: ${parsed.problem}`)
  return { flow, timeZone: zone, line: source.lineOf(here) }
}

/** A flow file relative to the test file, in the format of the API. */
function flowIn(file: string, name: string): unknown {
  const place = path.resolve(path.dirname(file), name)
  return readSource(place, textOf(place)).value
}

function timeAt(source: Source, at: Path, value: unknown): LocalTime {
  const time = localTimeIn(requiredText(source, at, value))
  if (!time) throw source.error(at, 'must have the form mon 10:00 or 2026-12-24 17:30')
  return time
}

function agentsAt(source: Source, at: Path, value: unknown): FlowTestSetup['agents'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw source.error(at, 'must be an object with a behaviour for each name')
  }
  return Object.entries(value).map(([name, does]) => ({
    user: userAt(source, [...at, name], name),
    does: behaviourAt(source, [...at, name], does),
  }))
}

const defaultTalk = 30

function behaviourAt(source: Source, at: Path, value: unknown): AgentBehaviour {
  if (typeof value !== 'object' || value === null) return wordAt(source, at, value, behaviours)
  const { answer_after, talk } = fieldsAt(source, at, value, ['answer_after', 'talk'])
  return {
    answerAfter: secondsAt(source, [...at, 'answer_after'], answer_after),
    talk: talk === undefined ? defaultTalk : orNull(talk, () => secondsAt(source, [...at, 'talk'], talk)),
  }
}

const defaultCaller = '+33199000777'

function callerAt(source: Source, at: Path, value: unknown): FlowTest['caller'] {
  const { from = defaultCaller, script, patience = null } = fieldsAt(source, at, value, ['from', 'script', 'patience'])
  const digits = typeof from === 'number' ? `+${from}` : from
  if (typeof digits !== 'string' || !/^(anonymous|\+[1-9]\d{6,14})$/.test(digits)) {
    throw source.error([...at, 'from'], 'must be E.164, such as +33199000777, or anonymous')
  }
  const steps = parseScript(script)
  if ('mistake' in steps) throw source.error([...at, 'script'], steps.mistake.replace(/^script /, ''))
  const seconds = orNull(patience, () => secondsAt(source, [...at, 'patience'], patience))
  return { from: digits, script: steps, patienceSeconds: seconds }
}

const expectable = ['path', 'events', 'rung', 'answered_by', 'missed_call_reason', 'end'] as const

function expectationAt(source: Source, at: Path, value: unknown): Expectation {
  const fields = fieldsAt(source, at, value, expectable)
  const wanted: Expectation = {}
  const text = (place: Path, item: unknown) => requiredText(source, place, item)
  const user = (place: Path, item: unknown) => userAt(source, place, text(place, item))
  if ('path' in fields) wanted.path = listAt(source, [...at, 'path'], fields.path, text)
  if ('events' in fields) {
    wanted.events = listAt(source, [...at, 'events'], fields.events, (place, item) => eventAt(source, place, item))
  }
  if ('rung' in fields) wanted.rung = listAt(source, [...at, 'rung'], fields.rung, user)
  if ('answered_by' in fields) {
    wanted.answered_by = orNull(fields.answered_by, (name) => user([...at, 'answered_by'], name))
  }
  if ('missed_call_reason' in fields) {
    const place = [...at, 'missed_call_reason']
    wanted.missed_call_reason = orNull(fields.missed_call_reason, (reason) =>
      wordAt(source, place, reason, missedReasons),
    )
  }
  if ('end' in fields) wanted.end = wordAt(source, [...at, 'end'], fields.end, ends)
  if (Object.keys(wanted).length > 0) return wanted
  throw source.error(at, `must contain at least one of ${expectable.join(', ')}`)
}

/** The prefix `call.` is optional. */
function eventAt(source: Source, at: Path, value: unknown): string {
  const name = requiredText(source, at, value)
  const known = eventNames.find((event) => event === name || event === `call.${name}`)
  if (!known?.startsWith('call.')) throw source.error(at, `is ${name}, which is not a call event`)
  return known
}

function userAt(source: Source, at: Path, name: string): string {
  const user = userByName(name)
  if (!user) throw source.error(at, `contains the unknown user ${name}; the demo company has ${fullNames.join(', ')}`)
  return user
}

const orNull = <T, R>(value: T | null, read: (value: T) => R): R | null => (value === null ? null : read(value))
