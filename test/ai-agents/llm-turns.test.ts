import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { type Thought, testEngines } from '../kit/engines.ts'
import { caller, openOffice, ringTo, toUser } from '../kit/phone.ts'
import { addAgent, agentFlow, agentPayloads } from './agents.ts'

// What the code enforces around a language model: facts in the prompt, plain speech, confirmation, escalation.

const robin = { name: 'Robin', brain: 'llm', first_message: 'Hello.', idle: { seconds: 30 } }
const order = { key: 'order', ask: 'Which order?', kind: 'number' }

onAnyDatabase('an AI agent with an LLM', (open) => {
  const officeWith = async (thoughts: Thought[], settings: object = {}) => {
    const engines = testEngines({ thoughts })
    const office = await openOffice((options) => open({ ...options, ai: engines.ai }))
    const agent = await addAgent(office, { ...robin, ...settings })
    return { office, engines, agent }
  }
  const said = async ({ db }: Awaited<ReturnType<typeof openOffice>>) => {
    const { turns } = await db.selectFrom('ai_agent_session').select('turns').executeTakeFirstOrThrow()
    return JSON.parse(turns).map(({ text }: { text: string }) => text)
  }
  /** The caller lets the agent finish: a line after the first sentence would interrupt it. */
  const lines = (...texts: string[]) => ({
    script: texts.flatMap((say, index) => [...(index === 0 ? [] : [{ wait: 15 }]), { say, seconds: 1 }]),
  })
  const system = (asked: readonly { content: string }[] | undefined) => asked?.[0]?.content ?? ''

  test('knows date, time, opening hours, the contact and what it has collected', async () => {
    const { office, engines, agent } = await officeWith(
      [
        [{ tool: 'collect', args: { field: 'reason', value: 'A broken lamp' } }, { text: 'I see.' }],
        [{ text: 'Goodbye.' }, { tool: 'hang_up', args: {} }],
      ],
      { questions: [{ key: 'reason', ask: 'Why?', kind: 'text' }, order] },
    )
    const jo = {
      first_name: 'Jo',
      last_name: 'March',
      company_name: 'March & Co',
      information: 'Prefers <b>e-mail</b>',
    }
    const made = await office.a.api('POST', '/v1/contacts', {
      ...jo,
      phone_numbers: [{ label: 'Work', value: caller }],
    })
    expect(made.status, made.text).toBeLessThan(300)
    const hours = { mon: [['09:00', '18:00']] }
    const line = await office.line({
      hours: {
        type: 'time_rule',
        mode: 'custom',
        hours,
        closed_dates: [],
        branches: { open: 'robot', otherwise: 'robot' },
      },
      ...agentFlow(agent),
    })

    await office.call(line, lines('A broken lamp', 'Thanks'))
    await office.pass(120)

    const first = system(engines.asked[0])
    expect(first).toMatch(/Now: Monday,? 15 June 2026/)
    expect(first).toContain('(Europe/Paris)')
    expect(first).toContain('Opening hours: Monday 09:00–18:00; Tuesday closed')
    expect(first).toMatch(/Open now, until Monday,? 15 June 2026/)
    expect(first).toContain(`Phone number of the caller: ${caller}`)
    expect(first).toContain('Contact: Jo March')
    expect(first).toContain('Company of the contact: March & Co')
    expect(first).toContain('Prefers b e-mail /b')
    expect(system(engines.asked[1])).toContain('Collected reason: A broken lamp')
  })

  test('speaks no Markdown, code or JSON', async () => {
    const { office, engines, agent } = await officeWith([
      [
        {
          text: '## Hours\n- **Monday** to Friday\n- See [our site](https://example.com/x)\n```json\n{"a": 1}\n```\n{"name":"hang_up"}',
        },
      ],
      [{ text: '{"name":"transfer","arguments":{}}' }],
      [{ text: 'We are open today.' }],
    ])
    await office.call(await office.line(agentFlow(agent)), lines('When are you open?', 'And today?'))
    await office.pass(200)

    expect((await said(office)).slice(0, 7)).toEqual([
      'Hello.',
      'When are you open?',
      'Hours.',
      'Monday to Friday.',
      'See our site.',
      'And today?',
      'We are open today.',
    ])
    // A reply of JSON alone is requested again.
    expect(engines.asked).toHaveLength(3)
  })

  test('reads back what the model did not, and takes the answer once the caller has confirmed it', async () => {
    const { office, agent } = await officeWith(
      [
        [{ tool: 'collect', args: { field: 'order', value: '47', confirmed: true } }, { text: 'Fine, noted.' }],
        [{ tool: 'collect', args: { field: 'order', value: '47', confirmed: true } }],
        [{ text: 'Goodbye.' }, { tool: 'hang_up', args: {} }],
      ],
      { questions: [order] },
    )
    const id = await office.call(await office.line(agentFlow(agent)), lines('Forty-seven', 'Yes'))
    await office.pass(120)

    expect((await said(office)).slice(2, 5)).toEqual([
      'Fine, noted.',
      'I have noted 4 7. Is that right? Say yes or press 1, say no or press 2.',
      'Yes',
    ])
    expect((await agentPayloads(office, id)).summary.extracted_data).toEqual({ order: 47 })
  })

  test.each([
    ['Hmm, I am not sure', {}],
    ['No, that is wrong', {}],
    ['Yes, that is right', { visit: '2026-06-16' }],
  ])('with a question to confirm and the response "%s" has collected %j', async (response, collected) => {
    const { office, agent } = await officeWith(
      [
        [
          { text: 'On Tuesday, the 16th of June 2026?' },
          { tool: 'collect', args: { field: 'visit', value: '16 June 2026' } },
        ],
        [
          { tool: 'collect', args: { field: 'visit', value: '16 June 2026', confirmed: true } },
          { text: 'Goodbye.' },
          { tool: 'hang_up', args: {} },
        ],
      ],
      { questions: [{ key: 'visit', ask: 'When?', kind: 'date', confirm: true }] },
    )
    const id = await office.call(await office.line(agentFlow(agent)), lines('The sixteenth of June', response))
    await office.pass(120)

    expect((await agentPayloads(office, id)).summary.extracted_data).toEqual(collected)
  })

  test('escalates the second request for a human, if the model does not', async () => {
    const { office, engines, agent } = await officeWith([[{ text: 'I can surely help you myself.' }]])
    const { ada } = office
    const nodes = agentFlow(agent, ringTo([toUser(ada)], { branches: { no_answer: 'away' } }))
    const id = await office.call(
      await office.line(nodes),
      lines('I want to speak to a human', 'Please put me through to a human being'),
    )
    await office.pass(120)

    expect((await agentPayloads(office, id)).escalated.escalation_reason).toBe('The caller asked for a person')
    expect(engines.asked).toHaveLength(1)
  })

  test.each([
    ['keeps proposing what the caller rejects', ['41', '42', '43', '44', '45']],
    ['keeps repeating itself', []],
  ])('that %s escalates the call', async (_name, values) => {
    const thoughts: Thought[] = values.length
      ? values.map((value) => [
          { text: `Is it ${value}?` },
          { tool: 'collect', args: { field: 'order', value, confirmed: true } },
        ])
      : Array.from({ length: 9 }, () => [{ text: 'Which order is it about, please?' }])
    const { office, agent } = await officeWith(thoughts, { questions: [order] })
    const id = await office.call(
      await office.line(agentFlow(agent, ringTo([toUser(office.ada)], { branches: { no_answer: 'away' } }))),
      lines('It is my order', 'No', 'No', 'No', 'No', 'No', 'No'),
    )
    await office.pass(180)

    expect((await agentPayloads(office, id)).escalated.escalation_reason).toBe('The caller was not understood 3 times')
  })

  test('knows the context of an outbound call', async () => {
    const { office, engines, agent } = await officeWith([[{ text: 'Goodbye.' }, { tool: 'hang_up', args: {} }]])
    const line = await office.line(agentFlow(agent))
    await office.a.own('PUT', `/v1/ai_voice_agents/${agent}`, { outbound_number_id: line.id })
    await office.callees({ '+33199007001': { lines: [{ say: 'Yes?', seconds: 2 }] } })
    const placed = await office.a.api('POST', `/v1/outbound-calls/agents/${agent}`, {
      contact_phone: '+33199007001',
      idempotency_key: 'visit-1',
      context: { visit: 'The boiler, on Tuesday' },
      expiration_seconds: 3600,
    })
    expect(placed.status, placed.text).toBe(202)
    await office.pass(120)

    expect(system(engines.asked[0])).toContain('Reason of the call, visit: The boiler, on Tuesday')
    expect(system(engines.asked[0])).toContain('Direction: we have called this person')
  })
})
