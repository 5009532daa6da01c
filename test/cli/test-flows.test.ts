import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { coloursFor } from '../../src/cli/event-line.ts'
import { createEnvironments } from '../../src/cli/flow-test-environment.ts'
import { readFlowTests } from '../../src/cli/flow-test-file.ts'
import { instantOf, localTimeIn } from '../../src/cli/flow-test-time.ts'
import { report, runFlowTests } from '../../src/cli/test-flows.ts'
import { monday } from '../kit/app.ts'
import { temporaryFolder } from '../kit/databases.ts'
import { hookswitch } from './program.ts'

async function fileWith(text: string, name = 'flows.yaml'): Promise<string> {
  const file = path.join(await temporaryFolder(), name)
  writeFileSync(file, text)
  return file
}

const examples = path.resolve(import.meta.dirname, '../../examples/flow-tests')

test('the examples pass', async () => {
  const files = readdirSync(examples).map((name) => path.join(examples, name))

  const results = await runFlowTests(files)

  expect(report(results, coloursFor({}))).toMatch(/\n\d+ passed in \d+ ms$/)
  expect(results.length).toBeGreaterThan(8)
})

describe('a run', () => {
  test('works beside a running server and beside another run', async () => {
    const worlds = await createEnvironments()
    onTestFinished(() => worlds.close())

    const [first, second] = await Promise.all([worlds.open(monday), worlds.open(monday)])

    expect(first.companyId).toBe(second.companyId)
  })

  test('shows the differences from the expected call line by line', async () => {
    const file = await fileWith(`
- name: An agent answers
  given:
    number: Main line
    agents: { Dario Ortega: ignore }
  caller: { patience: 12 }
  expect:
    path: [hours, welcome, box]
    events: [created, answered, hungup, ended]
    answered_by: Dario Ortega
    missed_call_reason: null
    end: answered
`)

    const results = await runFlowTests([file])

    expect(report(results, coloursFor({})).replace(/\d+ ms$/, 'some ms')).toBe(
      `✗ An agent answers  ${file}:2
    path
        hours
        welcome
      - box
      + ring
    events
        call.created
      - call.answered
      + call.ringing_on_agent
        call.hungup
        call.ended
    answered_by
      - Dario Ortega
      + null
    missed_call_reason
      - null
      + agents_did_not_answer
    end
      - answered
      + missed
0 passed, 1 failed in some ms`,
    )
  })

  test('leaves no state for the next: no date, no user state, no callback', async () => {
    const file = await fileWith(`
tests:
  - &callback
    name: A callback is asked for
    given: { number: UK queue, time: 2026-07-01 11:00 }
    caller: { script: [{ request_callback: true }] }
    expect: { end: callback, rung: [] }
  - name: The same people are rung by this call alone
    given: { number: UK queue, time: 2026-07-01 11:00, agents: { Elin Novak: { answer_after: 40, talk: 5 } } }
    caller: { patience: 70 }
    expect: { rung: [Elin Novak, Elin Novak], end: missed }
  - name: No agent is available
    given: { number: UK queue, time: 2026-07-01 11:00, agents: { Dario Ortega: offline, Femke Visser: busy } }
    caller: { patience: 30 }
    expect: { rung: [], missed_call_reason: no_available_agent }
  - name: The next week is the next week
    given: { number: UK queue, time: wed 11:00, agents: { Dario Ortega: { answer_after: 1 } } }
    expect: { answered_by: Dario Ortega, rung: [Dario Ortega] }
`)

    const results = await runFlowTests([file])

    expect(results.flatMap(({ differences }) => differences)).toEqual([])
    expect(results).toHaveLength(4)
  })

  test('ends also when the call does not', async () => {
    const file = await fileWith(`
name: They talk and talk
given:
  number: Main line
  agents: { Dario Ortega: { answer_after: 1, talk: null } }
expect: { answered_by: Dario Ortega }
`)

    const [result] = await runFlowTests([file])

    expect(result).toMatchObject({ passed: false, differences: [{ field: 'end', expected: 'any' }] })
    expect(result?.differences[0]?.actual).toMatch(/^the call did not end within 24 h/)
  })
})

describe('a file', () => {
  const rest = 'given: { number: Main line }\nexpect: { end: missed }\n'
  test.each([
    ['a text', 'hello\n', ':1: must be an object with name, given, caller, expect'],
    ['no name', rest, ':1: name must be a string'],
    ['YAML that is none', 'name: [1\n', ':2: Flow sequence in block collection must be sufficiently indented'],
    ['a field that does not exist', `name: x\n${rest}then: 1\n`, ':4: then is unknown; expected one of name, given'],
    [
      'neither number nor flow',
      'name: x\ngiven: {}\nexpect: { end: missed }\n',
      ':2: given must contain either number',
    ],
    ['an unknown Number', `name: x\n${rest.replace('Main', 'Side')}`, ':2: given.number must be the digits or'],
    [
      'a wrong time',
      'name: x\ngiven:\n  number: Main line\n  time: noon\n',
      ':4: given.time must have the form mon 10:00',
    ],
    [
      'a stranger',
      'name: x\ngiven:\n  number: Main line\n  agents:\n    Zed: ignore\n',
      ':5: given.agents.Zed contains the unknown user Zed',
    ],
    [
      'an unknown behaviour',
      'name: x\ngiven:\n  number: Main line\n  agents:\n    Dario Ortega: sleeps\n',
      ':5: given.agents.Dario Ortega must be one of decline, ignore, offline, busy, unavailable',
    ],
    ['a wrong step', `name: x\n${rest}caller:\n  script:\n    - press: x\n`, ':6: caller.script step 1: press must be'],
    ['a wrong caller', `name: x\n${rest}caller: { from: Bob }\n`, ':4: caller.from must be E.164'],
    ['no expectation', 'name: x\ngiven: { number: Main line }\n', ':1: expect must be an object with path'],
    ['an empty one', 'name: x\ngiven: { number: Main line }\nexpect: {}\n', ':3: expect must contain at least one of'],
    [
      'an event of something else',
      'name: x\ngiven: { number: Main line }\nexpect:\n  events:\n    - created\n    - user.created\n',
      ':6: expect.events[1] is user.created, which is not a call event',
    ],
    [
      'a flow that is none',
      'name: x\ngiven:\n  flow:\n    start: a\n    nodes: {}\nexpect: { end: missed }\n',
      ':4: given.flow is invalid: start must be the id of a node; there is no node "a"',
    ],
    [
      'a second test that is wrong',
      `tests:\n  - name: x\n    given: { number: Main line }\n    expect: { end: missed }\n  - name: y\n    given: 5\n`,
      ':6: tests[1].given must be an object with number',
    ],
  ])('with %s is refused, with its line and the field', async (_what, text, message) => {
    const file = await fileWith(text)

    expect(() => readFlowTests(file)).toThrow(`${file}${message}`)
  })

  test('may be JSON, and may name a flow in a file beside it', async () => {
    const flow = { version: 1, start: 'bye', nodes: { bye: { type: 'hang_up' } } }
    const given = { flow: 'bye.json', time_zone: 'Asia/Tokyo' }
    const file = await fileWith(JSON.stringify([{ name: 'x', given, expect: { path: ['bye'] } }]), 'flows.json')
    writeFileSync(path.join(path.dirname(file), 'bye.json'), JSON.stringify(flow))

    expect(readFlowTests(file)).toMatchObject([{ name: 'x', given: { called: { flow, timeZone: 'Asia/Tokyo' } } }])
  })
})

describe('a local time', () => {
  const from = Date.UTC(2026, 2, 27)
  test.each([
    ['mon 10:00', 'Europe/Paris', '2026-03-30T08:00:00.000Z'],
    ['fri 00:00', 'UTC', '2026-03-27T00:00:00.000Z'],
    ['sat 23:59', 'America/New_York', '2026-03-29T03:59:00.000Z'],
    ['2026-03-28 10:00', 'Europe/Paris', '2026-03-28T09:00:00.000Z'],
    ['2026-03-29 10:00', 'Europe/Paris', '2026-03-29T08:00:00.000Z'],
    ['2026-01-01 00:00', 'Pacific/Kiritimati', '2025-12-31T10:00:00.000Z'],
    ['2026-01-01 23:59', 'Pacific/Niue', '2026-01-02T10:59:00.000Z'],
  ])('%s in %s is %s', (text, zone, instant) => {
    const time = localTimeIn(text)
    const at = time && instantOf(time, zone, from)

    expect(at && new Date(at).toISOString()).toBe(instant)
  })

  test('that daylight saving time skips is invalid', () => {
    expect(instantOf({ date: '2026-03-29', time: '02:30' }, 'Europe/Paris', from)).toBeUndefined()
  })

  test.each(['10:00', 'mon', 'mon 24:00', '2026-02-30 10:00', 'someday 10:00'])('%s is none', (text) => {
    expect(localTimeIn(text)).toBeUndefined()
  })
})

describe('the command', () => {
  test('exits with 1 when a test fails, and prints the result as JSON', async () => {
    const file = await fileWith(
      'name: x\ngiven: { number: Main line }\ncaller: { patience: 1 }\nexpect: { end: answered }\n',
    )

    const ran = await hookswitch(['test-flows', file, '--json'], {})

    expect(ran).toMatchObject({ code: 1, stderr: '' })
    expect(JSON.parse(ran.stdout)).toEqual({
      passed: 0,
      failed: 1,
      tests: [
        {
          name: 'x',
          file,
          line: 1,
          passed: false,
          ms: expect.any(Number),
          differences: [{ field: 'end', expected: 'answered', actual: 'missed' }],
        },
      ],
    })
  })

  test('exits with 2 when a file is invalid', async () => {
    const file = await fileWith('name: x\ngiven: { number: 5 }\n')

    const ran = await hookswitch(['test-flows', file], {})
    const absent = await hookswitch(['test-flows', '/nowhere.yaml'], {})

    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/flows\.yaml:2: given\.number must be the digits or the name of a number/)
    expect(absent).toMatchObject({ code: 2, stderr: 'hookswitch: /nowhere.yaml cannot be read (ENOENT)\n' })
  })
})
