import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { type Office, openOffice } from '../kit/phone.ts'
import { type Receiver, receiver } from '../kit/receiver.ts'
import { addHook, must } from '../kit/webhooks.ts'
import { addAgent, agentPayloads, storyOf } from './agents.ts'

const customer = '+33199007001'
const survey = {
  name: 'Robin',
  first_message: 'Hello {{name}}, your visit is on {{visit}}.',
  questions: [{ key: 'comes', ask: 'Will you be there?', kind: 'yes_no' }],
}
const context = { name: 'Jo', visit: '2026-06-16T08:00:00Z', timezone: 'Europe/Paris' }

async function surveyor(office: Office, settings: object = {}) {
  const line = await office.line()
  const agent = await addAgent(office, { ...survey, outbound_number_id: line.id, ...settings })
  const calls = (body: object) => office.a.api('POST', `/v1/outbound-calls/agents/${agent}`, body)
  return { line, agent, calls }
}

const statuses = async ({ a, db }: Office) => {
  const rows = db.selectFrom('ai_outbound_call').select(['idempotency_key', 'status']).where('company_id', '=', a.id)
  return Object.fromEntries((await rows.execute()).map(({ idempotency_key, status }) => [idempotency_key, status]))
}

onAnyDatabase('an AI voice agent on outbound calls', (open) => {
  test('greets with the context, asks its questions, and publishes the events of an outbound call', async () => {
    const office = await openOffice(open)
    const { line, agent, calls } = await surveyor(office)
    await office.callees({ [customer]: { lines: [{ say: 'Yes, sure', seconds: 2 }] } })

    const asked = await calls({ contact_phone: customer, idempotency_key: 'visit-1', context })
    await office.pass(120)

    expect(asked.status, asked.text).toBe(202)
    expect(asked.json).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      idempotency_key: 'visit-1',
      status: 'PENDING',
      virtual_agent_id: agent,
    })
    const [call] = (await office.a.api('GET', '/v1/calls?fetch_aiva_conv=true')).json.calls
    expect(call).toMatchObject({ direction: 'outbound', user: null, status: 'done', number: { id: line.id } })
    expect(call.ai_voice_agents).toMatchObject([{ agent_id: agent, end_reason: 'answered' }])
    expect(await storyOf(office, call.id)).toEqual([
      'call.created',
      'call.answered',
      'ai_voice_agent.started',
      'ai_voice_agent.ended',
      'call.hungup',
      'ai_voice_agent.summary',
      'call.ended',
    ])
    const { started, summary } = await agentPayloads(office, call.id)
    expect(started).toMatchObject({ external_caller_number: customer, company_number: line.digits })
    expect(summary.extracted_data).toEqual({ comes: true })
    const { turns } = await office.db.selectFrom('ai_agent_session').select('turns').executeTakeFirstOrThrow()
    expect(JSON.parse(turns)[0].text).toMatch(/^Hello Jo, your visit is on Tuesday,? June 16, 2026 at 10:00/)
    expect(await statuses(office)).toEqual({ 'visit-1': 'COMPLETED' })
  })

  test('places one call per idempotency key, and rejects invalid requests', async () => {
    const office = await openOffice(open)
    const { a, b, db } = office
    const { agent, calls } = await surveyor(office)
    const bare = await addAgent(office, { name: 'Bare' })
    const homeless = await addAgent(office, { name: 'Homeless', first_message: 'Hello' })
    const input = { contact_phone: customer, idempotency_key: 'once', context }
    const of = async (answer: Promise<{ status: number }>) => (await answer).status

    expect(await of(calls(input))).toBe(202)
    expect(await of(calls(input))).toBe(409)
    expect(await of(calls({ ...input, idempotency_key: undefined }))).toBe(422)
    expect(await of(calls({ ...input, contact_phone: undefined }))).toBe(422)
    for (const invalid of [
      { contact_phone: '0612' },
      { context: { name: 'Jo' } },
      { context: { ...context, timezone: 'Mars/Base' } },
      { context: { name: 'Jo', visit: '2026-06-16T08:00:00Z' } },
      { context: { ...context, name: ['Jo'] } },
      { context: 'Jo' },
      { expiration_seconds: 59 },
      { expiration_seconds: 86_401 },
    ]) {
      expect(await of(calls({ ...input, idempotency_key: 'other', ...invalid })), JSON.stringify(invalid)).toBe(400)
    }
    const by = (id: string) => a.api('POST', `/v1/outbound-calls/agents/${id}`, { ...input, idempotency_key: 'other' })
    expect(await of(by(bare))).toBe(422)
    expect(await of(by(homeless))).toBe(422)
    expect(await of(by('nobody'))).toBe(404)
    expect(await of(b.api('POST', `/v1/outbound-calls/agents/${agent}`, input))).toBe(403)
    await a.own('PUT', '/v1/dial_limits', { countries: ['DE'] })
    expect(await of(by(agent))).toBe(403)
    await db.updateTable('company').set({ ai_voice_agents: 0 }).where('id', '=', a.id).execute()
    expect(await of(by(agent))).toBe(403)
  })

  test('places one call per Number at a time, and expires queued calls', async () => {
    const office = await openOffice(open)
    const { calls } = await surveyor(office, { first_message: 'Hello' })
    const patient = {
      lines: [
        { say: 'Well', seconds: 90 },
        { say: 'yes', seconds: 1 },
      ],
    }
    await office.callees({ [customer]: patient })

    for (const [key, seconds] of [
      ['first', 3_600],
      ['second', 3_600],
      ['third', 60],
    ] as const) {
      await calls({ contact_phone: customer, idempotency_key: key, expiration_seconds: seconds })
    }
    await office.pass(30)
    expect(await statuses(office)).toEqual({ first: 'IN_PROGRESS', second: 'PENDING', third: 'PENDING' })

    await office.pass(40)
    expect(await statuses(office)).toEqual({ first: 'IN_PROGRESS', second: 'PENDING', third: 'FAILED' })

    await office.pass(60)
    expect(await statuses(office)).toEqual({ first: 'COMPLETED', second: 'IN_PROGRESS', third: 'FAILED' })
    await office.pass(300)
    expect(await statuses(office)).toEqual({ first: 'COMPLETED', second: 'COMPLETED', third: 'FAILED' })
  })

  test('places at most five concurrent calls per company', async () => {
    const office = await openOffice(open)
    await office.callees({ [customer]: { lines: [{ say: 'Well', seconds: 60 }] } })

    for (let n = 0; n < 7; n++) {
      const { calls } = await surveyor(office, { first_message: 'Hello' })
      await calls({ contact_phone: customer, idempotency_key: `${n}` })
    }
    await office.pass(20)

    const words = Object.values(await statuses(office))
    expect(words.filter((word) => word === 'IN_PROGRESS')).toHaveLength(5)
    expect(words.filter((word) => word === 'PENDING')).toHaveLength(2)
  })

  test('fails if the callee does not answer', async () => {
    const office = await openOffice(open)
    const { calls } = await surveyor(office, { first_message: 'Hello' })
    await office.callees({ [customer]: { busy: true } })

    await calls({ contact_phone: customer, idempotency_key: 'busy' })
    await office.pass(120)

    expect(await statuses(office)).toEqual({ busy: 'FAILED' })
    const [call] = (await office.a.api('GET', '/v1/calls?fetch_aiva_conv=true')).json.calls
    expect(await storyOf(office, call.id)).toEqual(['call.created', 'call.hungup', 'call.ended'])
    expect(call).toMatchObject({ missed_call_reason: null, ai_voice_agents: [] })
  })

  test('calls can be retrieved, and a failed call publishes an event for webhooks that name it', async () => {
    const office = await openOffice(open)
    const { a, b } = office
    const { line, agent, calls } = await surveyor(office, { first_message: 'Hello' })
    const busy = '+33199007002'
    const lines = [
      { say: 'Well', seconds: 90 },
      { say: 'yes', seconds: 1 },
    ]
    await office.callees({ [customer]: { lines }, [busy]: { busy: true } })
    const queue = async (contact_phone: string, idempotency_key: string, expiration_seconds = 3_600): Promise<string> =>
      (await calls({ contact_phone, idempotency_key, expiration_seconds })).json.id
    const read = async (id: string) => (await a.api('GET', `/v1/outbound-calls/${id}`)).json

    const done = await queue(customer, 'done')
    const expired = await queue(customer, 'too-late', 60)
    const unanswered = await queue(busy, 'busy')
    expect(await read(expired)).toEqual({
      id: expired,
      idempotency_key: 'too-late',
      status: 'PENDING',
      virtual_agent_id: agent,
      contact_phone: customer,
      number_id: line.id,
      call_id: null,
      failure_reason: null,
      outcome: null,
      campaign_id: null,
      created_at: '2026-06-15T12:00:00.000Z',
      expires_at: '2026-06-15T12:01:00.000Z',
    })
    await office.pass(300)

    expect(await read(done)).toMatchObject({ status: 'COMPLETED', outcome: 'answered', call_id: expect.any(Number) })
    expect(await read(expired)).toMatchObject({
      status: 'FAILED',
      failure_reason: 'expired',
      outcome: 'expired',
      call_id: null,
    })
    const failed = await read(unanswered)
    expect(failed).toMatchObject({ status: 'FAILED', failure_reason: 'not_answered', outcome: 'busy' })
    const page = await a.api('GET', '/v1/outbound-calls?order=desc&per_page=2')
    expect(page.json.meta).toMatchObject({ count: 2, total: 3, current_page: 1 })
    expect((await a.api('GET', '/v1/outbound-calls?from=9999999999')).json.meta.total).toBe(0)

    const { json } = await a.api('GET', '/v1/events?event=ai_voice_agent.outbound_call_failed&per_page=50')
    const failures = json.events.filter(({ event }: { event: string }) => event.endsWith('outbound_call_failed'))
    expect(failures.map(({ data }: { data: object }) => data)).toEqual([
      {
        id: expired,
        idempotency_key: 'too-late',
        status: 'FAILED',
        virtual_agent_id: agent,
        number_id: line.id,
        call_id: null,
        failure_reason: 'expired',
        created_at: Date.parse('2026-06-15T12:00:00Z') / 1_000,
      },
      expect.objectContaining({ id: unanswered, failure_reason: 'not_answered', call_id: failed.call_id }),
    ])
    expect(failures[0].resource).toBe('ai_voice_agent')
    expect((await b.api('GET', `/v1/outbound-calls/${done}`)).status).toBe(403)
    expect((await a.api('GET', '/v1/outbound-calls/unknown')).json.troubleshoot).toBe('Check ID of the resource')
  })

  test('detects a voicemail by its greeting, and hangs up or leaves a message after it', async () => {
    const office = await openOffice(open)
    const { a } = office
    const { agent, calls } = await surveyor(office, {
      first_message: 'Hello {{name}}, this is the clinic.',
      voicemail: { action: 'leave_message', message: 'Hello {{name}}, please call us back.' },
    })
    const long =
      'Hi, this is Jo and my family, we are all out in the garden today and we will be back home in the evening'
    const behaviours = {
      '+33199007011': {
        lines: [{ say: 'Votre correspondant est absent. Laissez un message après le bip.', seconds: 5 }],
      },
      '+33199007012': { lines: [{ say: long, seconds: 9, over: true as const }] },
      '+33199007013': { lines: [{ say: 'Yes, sure, would you like to leave a message for her?', seconds: 4 }] },
      '+33199007014': { no_answer: true },
    }
    await office.callees(behaviours)
    const phones = Object.keys(behaviours)
    for (const phone of phones)
      await calls({ contact_phone: phone, idempotency_key: phone, context: { name: 'Jo' }, expiration_seconds: 86_400 })
    await office.pass(900)

    const { outbound_calls: read } = (await a.api('GET', '/v1/outbound-calls')).json
    expect(read.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'voicemail',
      'voicemail',
      'answered',
      'no_answer',
    ])
    const spoken = async (callId: number) => {
      const session = office.db.selectFrom('ai_agent_session').select('turns').where('call_id', '=', callId)
      return JSON.parse((await session.executeTakeFirstOrThrow()).turns).map(({ text }: { text: string }) => text)
    }
    expect((await spoken(read[0].call_id)).at(-1)).toBe('Hello Jo, please call us back.')
    expect((await spoken(read[1].call_id)).at(-1)).toBe('Hello Jo, please call us back.')
    expect((await office.trace(read[0].call_id)).map(({ kind }) => kind)).toContain('voicemail_detected')

    await a.own('PUT', `/v1/ai_voice_agents/${agent}`, { voicemail: { action: 'hang_up' } })
    await calls({ contact_phone: phones[0], idempotency_key: 'again', context: { name: 'Jo' } })
    await office.pass(60)
    const [last] = (await a.api('GET', '/v1/outbound-calls?order=desc&per_page=1')).json.outbound_calls
    expect(last.outcome).toBe('voicemail')
    expect((await spoken(last.call_id)).at(-1)).toContain('Laissez un message')
  })

  test('a callee who asks not to be called again is not called by an AI agent until opted back in', async () => {
    const office = await openOffice(open)
    const { a, b } = office
    const { calls } = await surveyor(office, { first_message: 'Hello' })
    const other = '+33199007021'
    await office.callees({ [customer]: { lines: [{ say: 'Please don’t call me again.', seconds: 3 }] } })
    const call = (contact_phone: string, idempotency_key: string) => calls({ contact_phone, idempotency_key })

    await call(customer, 'one')
    await call(customer, 'two')
    await call(other, 'three')
    await a.api('POST', '/v1/call_opt_outs', { phone_number: other })
    await office.pass(300)

    const { outbound_calls: read } = (await a.api('GET', '/v1/outbound-calls')).json
    const ends = read.map((one: { outcome: string; failure_reason: string }) => [one.outcome, one.failure_reason])
    expect(ends).toEqual([
      ['answered', null],
      ['refused', 'opted_out'],
      ['refused', 'opted_out'],
    ])
    const { json } = await a.api('GET', '/v1/call_opt_outs')
    expect(json.call_opt_outs).toMatchObject([
      { phone_number: other, source: 'api', call_id: null },
      { phone_number: customer, source: 'call', call_id: read[0].call_id },
    ])
    expect(await call(customer, 'four')).toMatchObject({ status: 403, json: { troubleshoot: expect.any(String) } })
    expect((await a.api('POST', '/v1/call_opt_outs', { phone_number: '0612' })).status).toBe(400)

    const path = `/v1/call_opt_outs/${encodeURIComponent(customer)}`
    expect((await b.api('DELETE', path)).status).toBe(403)
    expect((await a.api('DELETE', path)).status).toBe(204)
    expect((await a.api('DELETE', path)).status).toBe(404)
    expect((await call(customer, 'five')).status).toBe(202)
  })

  test('a webhook receives the failure event only if it names it, also in a replay of missed events', async () => {
    const office = await openOffice(open)
    const { a, clock } = office
    const { calls } = await surveyor(office, { first_message: 'Hello' })
    await office.callees({ [customer]: { busy: true } })
    const failed = 'ai_voice_agent.outbound_call_failed'
    const [all, named] = [await receiver(), await receiver()]
    const hooks = [await addHook(a.api, all), await addHook(a.api, named, [failed])]
    const names = ({ got }: Receiver) => got.map(({ body }) => body.event)

    await calls({ contact_phone: customer, idempotency_key: 'one' })
    await office.pass(120)
    expect([names(all).includes('call.created'), names(all).includes(failed)]).toEqual([true, false])
    expect(names(named)).toEqual([failed])

    for (const hook of hooks) await hook.put({ active: false })
    const from = Math.floor(clock.now() / 1_000)
    await calls({ contact_phone: customer, idempotency_key: 'two' })
    await office.pass(120)
    const before = all.got.length
    for (const hook of hooks) {
      await hook.put({ active: true })
      const to = Math.ceil(clock.now() / 1_000)
      must(await a.api('POST', `${hook.path}/replays`, { from, to, include: 'missed' }), 201, 202)
    }
    await office.pass(60)

    const replayed = names(all).slice(before)
    expect([replayed.includes('call.created'), replayed.includes(failed)]).toEqual([true, false])
    expect(names(named)).toEqual([failed, failed])
  })
})
