import { expect, test } from 'vitest'
import { day, second } from '../../src/lib/clock.ts'
import { monday, onBothDatabases } from '../kit/app.ts'
import { jumpingClock } from '../kit/clocks.ts'
import { openaiStandIn, refuses, replies, streamsAll } from '../kit/openai-stand-in.ts'
import { type Office, openOffice } from '../kit/phone.ts'
import type { Asked, Reply } from '../kit/web-stand-in.ts'
import { addAgent, agentFlow } from './agents.ts'

const usage = { prompt_tokens: 1_000, completion_tokens: 50 }
const goodbye = { tool_calls: [{ index: 0, id: 'c1', function: { name: 'hang_up', arguments: '{}' } }] }

function answering({ json }: Asked): Reply {
  if (!json.stream) return replies({ score: 1 }, usage)
  return streamsAll(
    { choices: [{ delta: { content: 'It is on its way. Goodbye.' } }] },
    { choices: [{ delta: goodbye }] },
    { choices: [], usage },
  )
}

const figures = async ({ a }: Office, query = '') => (await a.own('GET', `/v1/ai_agent_performance${query}`)).json

onBothDatabases('the performance of AI agents', (open) => {
  test('has calls, escalations, phrases that were not understood, tokens and cost, per agent and purpose', async () => {
    const server = await openaiStandIn(answering)
    const env = { AI_LLM: `${server.line()}?input_price=2&output_price=10` }
    const clock = jumpingClock(monday)
    const office = await openOffice(open, { env, clock })
    const { a } = office
    await a.own('PUT', '/v1/intelligence/engines', { external_allowed: true })
    const robin = await addAgent(office, { name: 'Robin', brain: 'llm', first_message: 'Hello.' })
    const kim = await addAgent(office, {
      name: 'Kim',
      first_message: 'Hello.',
      questions: [{ key: 'order', ask: 'What is your order number?', kind: 'number' }],
      escalation: { after_misunderstandings: 2 },
    })
    expect(await figures(office)).toMatchObject({
      agents: [
        { id: kim, calls: 0, latency_p50: null, use: { requests: 0, cost: null } },
        { id: robin, calls: 0 },
      ],
      escalation_reasons: [],
      misunderstood: [],
      purposes: [],
      is_complete: true,
    })

    const say = (text: string) => ({ say: text, seconds: 2 })
    await office.call(await office.line(agentFlow(robin)), { script: [say('Where is my order?')] })
    const lines = [await office.line(agentFlow(kim)), await office.line(agentFlow(kim))]
    const calls: number[] = []
    for (const line of lines)
      calls.push(await office.call(line, { script: [say('Blue, I think.'), say('I lost the paper')] }))
    await office.pass(120)
    await a.own('POST', `/v1/ai_voice_agents/${robin}/test-chat`, { turns: [{ text: 'Hello?' }] })

    const performance = await figures(office)
    expect(performance.agents).toMatchObject([
      { id: kim, name: 'Kim', calls: 2, contained: 0, escalated: 2, turns: 4, use: { requests: 0, cost: null } },
      { id: robin, name: 'Robin', calls: 1, contained: 1, escalated: 0, turns: 1, latency_p95: expect.any(Number) },
    ])
    const used = { requests: 1, failed: 0, input_tokens: 1_000, output_tokens: 50, cost: 0.0025 }
    expect(performance.agents[1].use).toEqual(used)
    expect(performance.purposes).toEqual([
      { purpose: 'agent', use: used },
      { purpose: 'agent_test', use: used },
    ])
    expect(performance.misunderstood).toEqual([
      { text: 'Blue, I think.', count: 2, call_ids: calls.toReversed() },
      { text: 'I lost the paper', count: 2, call_ids: calls.toReversed() },
    ])
    expect(performance.escalation_reasons).toMatchObject([{ count: 2 }])
    expect(performance.daily).toHaveLength(30)
    expect(performance.daily.at(-1)).toMatchObject({ contained: 1, escalated: 2 })
    expect((await figures(office, `?agent_id=${robin}&days=7`)).agents).toMatchObject([{ id: robin, calls: 1 }])

    // Deleted with the calls, after seven months.
    clock.leap(239 * day)
    await office.pass(day / second)
    expect(await office.db.selectFrom('ai_usage').selectAll().execute()).toEqual([])
  })

  test('counts failed requests, and no tokens of a server that does not report them', async () => {
    const server = await openaiStandIn(({ json }) =>
      json.stream_options
        ? refuses(400, 'unknown field stream_options')
        : streamsAll({ choices: [{ delta: { content: 'Yes.' } }] }),
    )
    const office = await openOffice(open, { env: { AI_LLM: server.line() } })
    await office.a.own('PUT', '/v1/intelligence/engines', { external_allowed: true })
    const robin = await addAgent(office, { name: 'Robin', brain: 'llm', first_message: 'Hello.' })
    const chat = () => office.a.own('POST', `/v1/ai_voice_agents/${robin}/test-chat`, { turns: [{ text: 'Hello?' }] })
    expect((await chat()).json.lines.at(-1).text).toBe('Yes.')
    expect((await chat()).json.lines.at(-1).text).toBe('Yes.')
    server.answer(() => refuses(500, 'out of memory'))
    await chat()

    expect((await figures(office)).purposes).toEqual([
      { purpose: 'agent_test', use: { requests: 4, failed: 1, input_tokens: 0, output_tokens: 0, cost: null } },
    ])
    expect(server.got.map(({ json }) => json.stream_options !== undefined)).toEqual([true, false, false, false])
  })
})
