import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'
import { testEngines } from '../../../../test/kit/engines.ts'
import { addNumber, addTeam, draw } from '../../../../test/kit/flows.ts'

const intake = {
  name: 'Robin',
  first_message: 'Hello, this is Robin.',
  questions: [{ key: 'order', ask: 'What is your order number?', kind: 'number' }],
  intents: [{ name: 'hours', phrases: ['open'], reply: 'From nine to six.' }],
}

onAnyDatabase('AI voice agents', (open) => {
  test('are made in the dashboard and read by clients', async () => {
    const { a } = await open()

    const made = await a.own('POST', '/v1/ai_voice_agents', intake)

    expect(made.status, made.text).toBe(201)
    const { id } = made.json.ai_voice_agent
    expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    const seen = {
      id,
      name: 'Robin',
      language: 'en',
      first_message: 'Hello, this is Robin.',
      number_ids: [],
      active: true,
      created_at: '2026-06-15T12:00:00.000Z',
      updated_at: '2026-06-15T12:00:00.000Z',
    }
    expect(made.json.ai_voice_agent).toEqual({
      ...seen,
      version: 1,
      voice: null,
      goodbye_message: null,
      questions: [{ ...intake.questions[0], options: [], confirm: false }],
      intents: [{ ...intake.intents[0], next: 'go_on' }],
      escalation: { phrases: [], after_misunderstandings: 3, target: { type: 'branch' } },
      outbound_number_id: null,
      max_seconds: 600,
      brain: 'flow',
      prompt: null,
      knowledge: null,
      transfer_targets: [],
      tools: [],
      context_request: null,
      data_schema: null,
      error_message: null,
      idle: { seconds: 8, prompts: 2, message: null },
      voicemail: { action: 'hang_up', message: null },
    })
    expect((await a.api('GET', `/v1/ai_voice_agents/${id}`)).json).toEqual({ ai_voice_agent: seen })
    expect((await a.api('GET', '/v1/ai_voice_agents')).json).toMatchObject({
      meta: { count: 1, total: 1, current_page: 1, per_page: 20 },
      ai_voice_agents: [seen],
    })
    expect((await a.api('GET', '/v1/ai_voice_agents?to=1')).json.ai_voice_agents).toEqual([])
    expect((await a.api('POST', '/v1/ai_voice_agents', intake)).status).toBe(405)
    expect((await a.own('GET', `/v1/ai_voice_agents/${id}/settings`)).json).toEqual(made.json)
  })

  test('have a version for every change, with its author, and an old one is restored as a new one', async () => {
    const { a, clock } = await open()
    const secret = { name: 'Authorization', value: 'Bearer 4729' }
    const tool = { name: 'status', description: 'Order status', method: 'GET', url: 'https://shop.example/orders' }
    const tools = [{ ...tool, parameters: { type: 'object', properties: {} }, headers: [secret] }]
    const { id } = (await a.own('POST', '/v1/ai_voice_agents', { ...intake, tools })).json.ai_voice_agent
    const path = `/v1/ai_voice_agents/${id}`
    const change = async (body: object) => (await a.own('PUT', path, body)).json.ai_voice_agent.version
    await clock.advance(60_000)

    expect(await change({ first_message: 'Good morning.', version_note: 'Friendlier greeting' })).toBe(2)
    // A switch is no change of the settings, and neither is a secret that stays.
    expect(await change({ active: false })).toBe(2)
    expect(await change({ tools: [{ ...tools[0], headers: [{ name: 'Authorization', value: null }] }] })).toBe(2)
    const old = await a.own('GET', `${path}/versions/1`)
    const restored = await a.own('POST', `${path}/versions/1/restore`, {})
    const { versions } = (await a.own('GET', `${path}/versions`)).json

    expect(old.json.ai_voice_agent).toMatchObject({ version: 1, first_message: intake.first_message })
    expect(old.text).not.toContain('4729')
    expect(restored.json.ai_voice_agent).toMatchObject({
      version: 3,
      first_message: intake.first_message,
      active: false,
      tools: [{ headers: [{ name: 'Authorization', value: null }] }],
    })
    expect(versions).toMatchObject([
      { version: 3, note: 'Restored version 1' },
      { version: 2, note: 'Friendlier greeting', created_at: '2026-06-15T12:01:00.000Z' },
      { version: 1, note: null, created_at: '2026-06-15T12:00:00.000Z' },
    ])
    expect(versions[0].created_by.name).toEqual(expect.any(String))
    expect((await a.own('GET', `${path}/versions/4`)).status).toBe(404)
    expect((await a.own('POST', `${path}/versions/9/restore`, {})).status).toBe(404)
    expect((await a.own('DELETE', path)).status).toBe(204)
    expect((await a.own('GET', `${path}/versions`)).status).toBe(404)
  })

  test('cannot be restored to a team that no longer exists', async () => {
    const { a } = await open()
    const { id: team } = await addTeam(a, 'Sales')
    const escalation = { target: { type: 'team', id: team } }
    const { id } = (await a.own('POST', '/v1/ai_voice_agents', { ...intake, escalation })).json.ai_voice_agent
    await a.own('PUT', `/v1/ai_voice_agents/${id}`, { escalation: { target: { type: 'branch' } } })
    await a.api('DELETE', `/v1/teams/${team}`)

    const refused = await a.own('POST', `/v1/ai_voice_agents/${id}/versions/1/restore`, {})

    expect([refused.status, refused.json.troubleshoot]).toEqual([400, `The team ${team} does not exist`])
    expect((await a.own('GET', `/v1/ai_voice_agents/${id}/settings`)).json.ai_voice_agent.version).toBe(2)
  })

  test('are tried out without a call, as they are saved and as they might be', async () => {
    const { a } = await open()
    const { id } = (await a.own('POST', '/v1/ai_voice_agents', intake)).json.ai_voice_agent
    const chat = async (body: object) => a.own('POST', `/v1/ai_voice_agents/${id}/test-chat`, body)

    const started = await chat({ turns: [] })
    expect(started.status, started.text).toBe(200)
    expect(started.json).toEqual({
      lines: [{ by: 'agent', text: `Hello, this is Robin. ${intake.questions[0]?.ask}` }],
      collected: {},
      tool_calls: [],
      next: { is: 'listen', reason: null, target: null },
      turns: [],
    })
    const keys = await chat({ turns: [{ keys: '4729#' }, { keys: '1' }] })
    expect(keys.json).toMatchObject({ collected: { order: 4729 }, next: { is: 'end', reason: 'answered' } })
    const person = await chat({ turns: [{ by: 'caller', text: 'A real person, please' }, { text: 'more' }] })
    expect(person.json.next).toEqual({
      is: 'escalate',
      reason: 'The caller asked for a person',
      target: { type: 'branch' },
    })
    expect(person.json.lines).toHaveLength(3)
    const draft = { first_message: 'Good day.', escalation: { target: { type: 'external', number: '+33199001111' } } }
    expect((await chat({ settings: draft, turns: [{ text: 'operator' }] })).json).toMatchObject({
      lines: [{ text: expect.stringMatching(/^Good day\./) }, {}, {}],
      next: { target: { type: 'external', number: '+33199001111' } },
    })
    expect((await chat({ settings: { brain: 'llm' }, turns: [] })).status).toBe(422)
    expect((await a.own('GET', `/v1/ai_voice_agents/${id}/settings`)).json.ai_voice_agent.first_message).toBe(
      'Hello, this is Robin.',
    )
  })

  test('think with a language model where one is set', async () => {
    const { ai } = testEngines({ thoughts: [[{ text: 'We close at six.' }], [{ fails: 'gone' }]] })
    const { a } = await open({ ai })
    const settings = { name: 'Robin', brain: 'llm', error_message: 'I am lost.' }
    const { id } = (await a.own('POST', '/v1/ai_voice_agents', settings)).json.ai_voice_agent

    const turns = [{ text: 'When do you close?' }, { text: 'And on Sunday?' }]
    const { json } = await a.own('POST', `/v1/ai_voice_agents/${id}/test-chat`, { turns })

    expect(json.lines.map(({ text }: { text: string }) => text)).toEqual([
      'Hello.',
      'When do you close?',
      'We close at six.',
      'And on Sunday?',
      'I am lost.',
    ])
    expect(json.next).toMatchObject({ is: 'escalate', target: { type: 'branch' } })
  })

  test('are changed and deleted, which is written down', async () => {
    const { a, clock } = await open()
    const { id } = (await a.own('POST', '/v1/ai_voice_agents', intake)).json.ai_voice_agent
    await clock.advance(60_000)

    const changed = await a.own('PUT', `/v1/ai_voice_agents/${id}`, {
      active: false,
      escalation: { phrases: ['help'] },
    })
    const gone = await a.own('DELETE', `/v1/ai_voice_agents/${id}`)

    expect(changed.json.ai_voice_agent).toMatchObject({
      name: 'Robin',
      active: false,
      escalation: { phrases: ['help'], after_misunderstandings: 3 },
      created_at: '2026-06-15T12:00:00.000Z',
      updated_at: '2026-06-15T12:01:00.000Z',
    })
    expect(gone.status).toBe(204)
    expect((await a.api('GET', `/v1/ai_voice_agents/${id}`)).status).toBe(404)
    const { audit_log } = (await a.own('GET', '/v1/audit_log')).json
    const actions = audit_log.map(({ action }: { action: string }) => action)
    for (const what of ['created', 'changed', 'deleted']) expect(actions).toContain(`ai_voice_agent.${what}`)
  })

  test('name the Numbers that lead to them, and the one they call from', async () => {
    const { a } = await open()
    const line = await addNumber(a)
    const other = await addNumber(a)
    const agent = (await a.own('POST', '/v1/ai_voice_agents', { name: 'Robin', outbound_number_id: other.id })).json
    const { id } = agent.ai_voice_agent
    const robot = { type: 'ai_agent', agent_id: id, branches: { escalated: 'end', unavailable: 'end' } }

    await draw(a, line.id, { version: 1, start: 'robot', nodes: { robot, end: { type: 'hang_up', media: null } } })

    const { ai_voice_agent } = (await a.api('GET', `/v1/ai_voice_agents/${id}`)).json
    expect(ai_voice_agent.number_ids).toEqual([line.id, other.id])
  })

  test.each([
    [{ questions: [{ key: 'a', ask: 'A?', kind: 'choice' }] }, /two options/],
    [
      {
        questions: [
          { key: 'a', ask: 'A?', kind: 'text' },
          { key: 'a', ask: 'A?', kind: 'text' },
        ],
      },
      /twice/,
    ],
    [{ questions: [{ key: 'A b', ask: 'A?', kind: 'text' }] }, /key/],
    [{ intents: [{ name: 'hours', phrases: ['open'] }] }, /needs a reply/],
    [{ escalation: { target: { type: 'external', number: '0612' } } }, /E\.164/],
    [{ escalation: { target: { type: 'user' } } }, /missing/],
    [{ escalation: { target: { type: 'team', id: 999_999 } } }, /team 999999 does not exist/],
    [{ outbound_number_id: 999_999 }, /Number/],
    [{ language: 'xx' }, /language/],
  ])('must make sense: %j', async (invalid, why) => {
    const { a } = await open()

    const refused = await a.own('POST', '/v1/ai_voice_agents', { name: 'Robin', ...invalid })

    expect(refused.status).toBe(400)
    expect(refused.json.troubleshoot).toMatch(why)
  })

  test('hand over to a team of the company', async () => {
    const { a } = await open()
    const team = await addTeam(a, 'Support')
    const target = { type: 'team', id: team.id }

    const made = await a.own('POST', '/v1/ai_voice_agents', { name: 'Robin', escalation: { target } })

    expect(made.json.ai_voice_agent.escalation.target).toEqual(target)
  })

  test('are closed to a company without them', async () => {
    const { b } = await open()

    expect((await b.api('GET', '/v1/ai_voice_agents')).status).toBe(403)
    expect((await b.api('GET', '/v1/ai_voice_agents/x')).status).toBe(403)
    expect((await b.own('POST', '/v1/ai_voice_agents', intake)).status).toBe(403)
  })
})
