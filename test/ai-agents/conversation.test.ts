import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { testEngines } from '../kit/engines.ts'
import { caller, openOffice, ringTo, toUser } from '../kit/phone.ts'
import { addAgent, agentFlow, agentPayloads } from './agents.ts'

const intake = {
  name: 'Robin',
  first_message: 'Hello, this is Robin.',
  questions: [{ key: 'reason', ask: 'Why do you call?', kind: 'text' }],
}

onAnyDatabase('a conversation with an AI voice agent', (open) => {
  test('is recorded and transcribed, except while the caller waits for an agent', async () => {
    const office = await openOffice(open)
    await office.a.own('PUT', '/v1/intelligence/settings', { enabled: true, language: null, numbers: [] })
    const { ada, pass } = office
    await office.connect(ada)
    const agent = await addAgent(office, intake)
    const nodes = agentFlow(agent, ringTo([toUser(ada)], { branches: { no_answer: 'away' } }))
    const line = await office.line(nodes, { recording: true })

    const id = await office.call(line, {
      script: [
        { say: 'Give me a real person', seconds: 2 },
        { wait: 40 },
        { say: 'My invoice is wrong', seconds: 3 },
        { hang_up: true },
      ],
    })
    await pass(30)
    await office.does(ada, { kind: 'answer' })
    await pass(120)

    const { json } = await office.a.api('GET', `/v1/calls/${id}/transcription`)
    const robot = { participant_type: 'internal', ai_voice_agent_id: agent }
    const customer = { participant_type: 'external', phone_number: caller }
    // Ada answers after thirty seconds; the caller waited for twenty of them, which are not in the recording.
    expect(json.transcription.content.utterances).toEqual([
      { start_time: 0, end_time: 3.2, text: 'Hello, this is Robin. Why do you call?', ...robot },
      { start_time: 3.2, end_time: 5.2, text: 'Give me a real person', ...customer },
      { start_time: 5.84, end_time: 9.84, text: 'One moment, I am passing you on to a colleague.', ...robot },
      { start_time: 25.04, end_time: 28.04, text: 'My invoice is wrong', ...customer },
    ])
  })

  test('contains only the part of a sentence that was played before the caller interrupted', async () => {
    const office = await openOffice(open)
    const agent = await addAgent(office, intake)
    const line = await office.line(agentFlow(agent))

    await office.call(line, { script: [{ wait: 1.5 }, { press: '5#' }] })
    await office.pass(120)

    const { turns } = await office.db.selectFrom('ai_agent_session').select('turns').executeTakeFirstOrThrow()
    expect(JSON.parse(turns)).toMatchObject([
      { by: 'agent', text: 'Hello, this is' },
      { by: 'caller', text: '5' },
      { by: 'agent', text: 'Thank you for your call. Goodbye.' },
    ])
  })

  test('is led by an LLM, which records answers and hangs up', async () => {
    const engines = testEngines({
      thoughts: [
        [{ text: 'Is it order 4 7? ' }, { tool: 'collect', args: { field: 'order', value: '47' } }],
        [{ tool: 'collect', args: { field: 'order', value: '47', confirmed: true } }],
        [{ text: 'Thank you. Goodbye.' }, { tool: 'hang_up', args: {} }],
      ],
    })
    const office = await openOffice((options) => open({ ...options, ai: engines.ai }))
    const questions = [{ key: 'order', ask: 'Which order?', kind: 'number' }]
    const agent = await addAgent(office, { name: 'Robin', brain: 'llm', first_message: 'Hello.', questions })
    const line = await office.line(agentFlow(agent))

    const id = await office.call(line, {
      script: [
        { say: 'It is about forty-seven', seconds: 2 },
        { say: 'Yes', seconds: 1 },
      ],
    })
    await office.pass(120)

    const { summary, ended } = await agentPayloads(office, id)
    expect(summary.extracted_data).toEqual({ order: 47 })
    expect(ended.call_end_reason).toBe('answered')
    expect(engines.asked).toHaveLength(3)
    const { turns } = await office.db.selectFrom('ai_agent_session').select('turns').executeTakeFirstOrThrow()
    expect(JSON.parse(turns).map(({ text }: { text: string }) => text)).toEqual([
      'Hello.',
      'It is about forty-seven',
      'Is it order 4 7?',
      'Yes',
      'Thank you. Goodbye.',
    ])
  })

  test('is escalated when the LLM fails; without an LLM the AI agent is unavailable', async () => {
    const engines = testEngines({ thoughts: [[{ text: 'Well, ' }, { fails: 'the server is on fire' }]] })
    const office = await openOffice((options) => open({ ...options, ai: engines.ai }))
    const settings = { name: 'Robin', brain: 'llm', first_message: 'Hello.', error_message: 'I am lost, sorry.' }
    const agent = await addAgent(office, settings)
    const line = await office.line(agentFlow(agent))

    const id = await office.call(line, { script: [{ say: 'Help me', seconds: 2 }] })
    await office.pass(60)

    const { escalated } = await agentPayloads(office, id)
    expect(escalated.escalation_reason).toBe('The agent could not go on')
    const { turns } = await office.db.selectFrom('ai_agent_session').select('turns').executeTakeFirstOrThrow()
    expect(JSON.parse(turns).at(-1).text).toBe('I am lost, sorry.')

    const bare = await openOffice(open)
    const other = await addAgent(bare, settings)
    const callId = await bare.call(await bare.line(agentFlow(other)), { script: [] })
    await bare.pass(60)
    expect((await bare.show(callId)).answered_at).toBeNull()
  })
})
