import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { demoAgentTests } from '../../src/sandbox/texts/agent-tests.ts'
import { onBothDatabases } from '../kit/app.ts'
import { testEngines } from '../kit/engines.ts'
import { type Office, openOffice } from '../kit/phone.ts'
import { addAgent, agentFlow } from './agents.ts'

const intake = {
  name: 'Robin',
  first_message: 'Hello, this is Robin.',
  goodbye_message: 'Thank you. Goodbye.',
  questions: [
    { key: 'reason', ask: 'Why do you call?', kind: 'text' },
    { key: 'order', ask: 'What is your order number?', kind: 'number' },
  ],
}

const source = `agent: Robin
tests:
  - name: An order
    caller:
      lines:
        - My parcel is late
        - 4 7 2 9
        - Yes
    expect:
      outcome: answered
      answers:
        order: 4729
  - name: A human
    caller: { lines: [I want to talk to a person] }
    expect:
      outcome: answered
      answers: { reason: My parcel }
      says: What is your order number
      never_says: a colleague
      max_turns: 1
`

const testsOf = (agent: string) => `/v1/ai_voice_agents/${agent}/tests`
const troubleshoot = async (office: Office, agent: string, text: string) => {
  const { status, json } = await office.a.own('PUT', testsOf(agent), { source: text })
  expect(status).toBe(400)
  return json.troubleshoot as string
}

onBothDatabases('the tests of an AI agent', (open) => {
  test('are stored and run, and failures name the line and the sentence', async () => {
    const office = await openOffice(open)
    const { a } = office
    const agent = await addAgent(office, intake)

    const before = await a.own('GET', testsOf(agent))
    const none = await a.own('POST', `${testsOf(agent)}/run`, {})
    const put = await a.own('PUT', testsOf(agent), { source })
    const run = await a.own('POST', `${testsOf(agent)}/run`, {})
    const after = await a.own('GET', testsOf(agent))

    expect(before.json.ai_voice_agent_tests).toEqual({ source: '', tests: [], last_run: null })
    expect([none.status, none.json.troubleshoot]).toEqual([422, 'The AI agent has no tests; add one first'])
    expect(put.json.ai_voice_agent_tests).toEqual({
      source,
      tests: [
        { name: 'An order', line: 3 },
        { name: 'A human', line: 13 },
      ],
      last_run: null,
    })
    expect(run.json).toMatchObject({ passed: 1, failed: 1 })
    const [order, human] = run.json.results
    expect(order).toMatchObject({
      passed: true,
      runs: 1,
      failures: [],
      conversation: { outcome: 'answered', answers: { reason: 'My parcel is late', order: 4729 } },
    })
    expect(human.failures).toEqual([
      {
        line: 16,
        field: 'outcome',
        message: 'expected answered, but it was escalated (The caller asked for a person)',
        turn: null,
      },
      { line: 17, field: 'answers.reason', message: 'expected "My parcel", but there was none', turn: null },
      { line: 18, field: 'says', message: 'the agent did not say "What is your order number"', turn: null },
      { line: 19, field: 'never_says', message: 'the agent said "a colleague"', turn: 2 },
    ])
    const figures = { passed: 1, failed: 1, agent_version: 1, run_at: expect.any(String) }
    expect(after.json.ai_voice_agent_tests.last_run).toMatchObject(figures)
  })

  test('are imported from a call, once, and pass', async () => {
    const office = await openOffice(open)
    const { a, pass } = office
    const agent = await addAgent(office, intake)
    const line = await office.line(agentFlow(agent))
    const id = await office.call(line, {
      script: [{ say: 'My parcel is late', seconds: 2 }, { press: '4729#' }, { say: 'Goodbye then', seconds: 1 }],
    })
    await pass(120)

    const first = await a.own('POST', `${testsOf(agent)}/import`, { call_id: id })
    const again = await a.own('POST', `${testsOf(agent)}/import`, { call_id: id })
    const shown = await a.own('POST', `${testsOf(agent)}/import`, { call_id: id, save: false })
    const run = await a.own('POST', `${testsOf(agent)}/run`, {})
    const unknown = await a.own('POST', `${testsOf(agent)}/import`, { call_id: 999_999 })

    expect(first.json).toMatchObject({ name: `Call ${id}`, source: expect.stringContaining('My parcel is late') })
    expect([again.json, shown.json]).toEqual([first.json, first.json])
    expect(run.json, run.text).toMatchObject({ passed: 1, failed: 0 })
    expect([unknown.status, unknown.json.troubleshoot]).toEqual([
      400,
      '`call_id` is not a call that Robin has taken, or the conversation has not ended',
    ])
  })

  test('are removed by null', async () => {
    const office = await openOffice(open)
    const agent = await addAgent(office, intake)
    await office.a.own('PUT', testsOf(agent), { source })

    const emptied = await office.a.own('PUT', testsOf(agent), { source: null })

    expect([emptied.status, emptied.json.ai_voice_agent_tests?.tests]).toEqual([200, []])
  })

  test('are deleted with the AI agent', async () => {
    const office = await openOffice(open)
    const agent = await addAgent(office, intake)
    await office.a.own('PUT', testsOf(agent), { source })

    await office.a.own('DELETE', `/v1/ai_voice_agents/${agent}`)

    expect(await office.db.selectFrom('ai_agent_test_set').selectAll().execute()).toEqual([])
  })

  test('of an LLM agent are scored over several runs, and a goal is pursued by an LLM', async () => {
    const hangUp = [{ text: 'Goodbye.' }, { tool: 'hang_up', args: {} }]
    const engines = testEngines({
      thoughts: [hangUp, [{ text: 'How can I help?' }], hangUp, [{ text: 'I want a refund.' }], hangUp],
    })
    const office = await openOffice((options) => open({ ...options, ai: engines.ai }))
    const agent = await addAgent(office, { name: 'Robin', brain: 'llm' })
    const lines = (passRate: number) => `runs: 3
pass_rate: ${passRate}
tests:
  - name: Ends
    caller: { lines: [That is everything] }
    expect: { outcome: answered, tools: [hang_up] }
`

    const run = await office.a.own('POST', `${testsOf(agent)}/run`, { source: lines(0.6) })
    const goal = await office.a.own('POST', `${testsOf(agent)}/run`, {
      source: `tests:
  - name: Refund
    runs: 1
    caller: { goal: Get a refund, persona: An angry customer }
    expect: { outcome: answered }
`,
    })

    expect(run.json.results, run.text).toMatchObject([
      { passed: true, passed_runs: 2, runs: 3, failures: [{ field: 'outcome' }, { field: 'tools' }] },
    ])
    expect(goal.json.results, goal.text).toMatchObject([
      { passed: true, conversation: { lines: [{}, { by: 'caller', text: 'I want a refund.' }, { text: 'Goodbye.' }] } },
    ])
  })

  test('that need an LLM fail with the reason when there is none', async () => {
    const office = await openOffice(open)
    const agent = await addAgent(office, intake)

    const run = await office.a.own('POST', `${testsOf(agent)}/run`, {
      source: `tests:
  - name: Refund
    caller:
      goal: Get a refund
    expect: { outcome: answered }
`,
    })

    expect(run.json).toMatchObject({
      failed: 1,
      results: [
        {
          conversation: null,
          failures: [
            {
              line: 4,
              field: 'caller.goal',
              message:
                'A goal needs an LLM provider, and none is configured; set one up under Conversation intelligence',
            },
          ],
        },
      ],
    })
  })

  test('are refused with line and suggestion when they are invalid, and nothing changes', async () => {
    const office = await openOffice(open)
    const agent = await addAgent(office, intake)
    await office.a.own('PUT', testsOf(agent), { source })
    const one = (rest: string) => `tests:\n  - name: One\n    caller: { lines: [Hello] }\n${rest}`

    for (const [text, message] of [
      ['tests: [', 'Line 1: '],
      ...['[', '{a: ', '- ', '? '].map(
        (part) => [part.repeat(20_000), 'Line 1: nested deeper than 100 levels'] as const,
      ),
      ['test: []', 'Line 1: test is unknown; did you mean tests?'],
      ['agent: Robin', 'Line 1: tests is missing'],
      [one('    expct: {}\n'), 'Line 4: tests[0].expct is unknown; did you mean expect?'],
      [one('    expect: {}\n'), 'Line 4: tests[0].expect must have at least one of outcome'],
      [one('    expect:\n      outcome: done\n'), 'Line 5: tests[0].expect.outcome must be one of answered'],
      [
        one('    expect:\n      answers:\n        ordr: 1\n'),
        'Line 6: tests[0].expect.answers.ordr is no question of the AI agent; did you mean order?',
      ],
      [
        one('    expect:\n      tools: [transfer]\n'),
        'Line 5: tests[0].expect.tools cannot be expected: a scripted AI agent has no tools',
      ],
      ['tests:\n  - name: One\n    caller: {}\n    expect: { says: x }', 'Line 3: tests[0].caller must have either'],
      [`runs: 50\n${one('    expect: { says: x }\n')}`, 'Line 1: runs must be a number from 1 to 20'],
      [`time: noon\n${one('    expect: { says: x }\n')}`, 'Line 1: time must have the form 2026-06-15 10:00'],
      [`agent: { name: x }\n${one('    expect: { says: x }\n')}`, 'Line 1: agent must be the name'],
      [
        `${one('    expect: { says: x }\n')}  - name: One\n    caller: { lines: [a] }\n    expect: { says: x }\n`,
        'Line 5: tests[1].name "One" is used twice',
      ],
    ] as const) {
      expect(await troubleshoot(office, agent, text)).toContain(message)
    }
    const after = await office.a.own('GET', testsOf(agent))
    expect(after.json.ai_voice_agent_tests.source).toBe(source)
  })

  test('use a fixed time for dates in words', async () => {
    const office = await openOffice(open)
    const agent = await addAgent(office, {
      name: 'Robin',
      questions: [{ key: 'day', ask: 'Which day?', kind: 'date' }],
    })

    const run = await office.a.own('POST', `${testsOf(agent)}/run`, {
      source: `time: 2026-06-15 23:30
time_zone: America/New_York
tests:
  - name: Tomorrow
    caller: { lines: [tomorrow, "yes"] }
    expect: { answers: { day: 2026-06-16 } }
`,
    })

    expect(run.json, run.text).toMatchObject({ passed: 1 })
  })
})

test('the demo company has the tests of the examples', () => {
  const file = path.resolve(import.meta.dirname, '../../examples/agent-tests/robin.yaml')
  expect(demoAgentTests).toBe(readFileSync(file, 'utf8'))
})
