import { expect, test } from 'vitest'
import { monday, onAnyDatabase } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'

const customer = '+33699000001'

onAnyDatabase('an outbound call', (open) => {
  test('belongs to the user who dials, is answered by the customer, and ends when either side hangs up', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    await office.connect(ada)
    const line = await office.line()

    const started = await office.dials(ada, line, customer)
    const id = (started.ok && started.callId) || 0
    expect(await office.availability(ada)).toBe('in_call')
    expect(await office.does(ada, { kind: 'hold' })).toMatchObject({ ok: false })
    await pass(10)
    await office.does(ada, { kind: 'hold' })
    await pass(5)
    await office.does(ada, { kind: 'unhold' })
    await office.does(ada, { kind: 'send_digits', digits: '12#' })
    await pass(15)
    await office.does(ada, { kind: 'hang_up' })
    await pass(30)

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'answered 3',
      'hold 10',
      'unhold 15',
      'hungup 30',
      'ended 60',
    ])
    const payloads = await office.payloads(id)
    for (const data of payloads) {
      expect(data).toMatchObject({ direction: 'outbound', user: { id: ada }, teams: [], missed_call_reason: null })
      expect(data).not.toHaveProperty('automatic_callback_call_id')
    }
    expect(payloads.map(({ status }) => status)).toEqual([
      'initial',
      'answered',
      'answered',
      'answered',
      'done',
      'done',
    ])
    expect(await office.show(id)).toMatchObject({
      started_at: monday / 1_000,
      answered_at: monday / 1_000 + 3,
      duration: 30,
      raw_digits: '+33 6 99 00 00 01',
      conference_participants: [
        { phone_number: '+33 6 99 00 00 01', type: 'external' },
        { id: ada, type: 'user' },
      ],
    })
    expect(await office.availability(ada)).toBe('available')
  })

  test('that is not answered has a reason and no missed reason', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    await office.connect(ada)
    const line = await office.line()
    await office.callees({ '+33699000002': { busy: true }, '+33699000003': { no_answer: true } })
    const story = async (to: string, hangUpAfter?: number) => {
      const started = await office.dials(ada, line, to)
      const id = (started.ok && started.callId) || 0
      if (hangUpAfter !== undefined) {
        await pass(hangUpAfter)
        await office.does(ada, { kind: 'hang_up' })
      }
      await pass(120)
      const [hungup] = await office.payloads(id, 'hungup')
      expect(hungup).toMatchObject({ answered_at: null, missed_call_reason: null, status: 'done', user: { id: ada } })
      return [...(await office.timeline(id)), hungup.hangup_cause]
    }

    expect(await story('+33699000002')).toEqual(['created 0', 'hungup 1', 'ended 31', 'user_busy'])
    expect(await story('+33699000003')).toEqual(['created 0', 'hungup 60', 'ended 90', 'no_answer'])
    expect(await story(customer, 2)).toEqual(['created 0', 'hungup 2', 'ended 32', 'normal_clearing'])
  })

  test('is started for an available user, from a Number they are linked to', async () => {
    const office = await openOffice(open)
    const { a, b, ada, cem, pass } = office
    const line = await office.line()
    const start = async (body: object, user: number | string = ada) =>
      (await a.api('POST', `/v1/users/${user}/calls`, body)).status
    const good = { number_id: line.id, to: customer }
    const unvalidated = (await a.own('POST', '/v1/numbers', { digits: '+33199110001', name: 'New', validated: false }))
      .json.number.id
    await a.own('PUT', `/v1/numbers/${unvalidated}/users`, { user_ids: [ada] })
    const theirs = (await b.own('POST', '/v1/numbers', { digits: '+33199110002', name: 'Theirs', validated: true }))
      .json.number.id

    expect(await start(good)).toBe(405)
    await office.connect(ada, cem)
    expect(await start({ to: customer })).toBe(422)
    expect(await start({ number_id: line.id })).toBe(422)
    expect(await start({ number_id: line.id, to: '' })).toBe(422)
    expect(await start({ ...good, to: '0699000001' })).toBe(400)
    expect(await start({ ...good, to: '001' })).toBe(400)
    expect(await start({ ...good, number_id: 999_999 })).toBe(400)
    expect(await start({ ...good, number_id: theirs })).toBe(400)
    expect(await start({ ...good, number_id: unvalidated })).toBe(400)
    expect(await start(good, cem)).toBe(400)
    expect(await start(good, 999_999)).toBe(404)
    await a.api('PUT', `/v2/users/${ada}`, { availability_status: 'unavailable' })
    const away = await a.api('POST', `/v1/users/${ada}/calls`, good)
    expect(away.json).toEqual({
      error: 'Method Not Allowed',
      troubleshoot: 'The user is currently unavailable',
      success: false,
    })
    await a.api('PUT', `/v2/users/${ada}`, { availability_status: 'available' })
    expect(await office.story()).not.toContain('call.created')

    expect(await start({ number_id: String(line.id), to: customer }, encodeURIComponent('ada@example.test'))).toBe(204)
    expect(await start(good)).toBe(405)
    await pass(10)
    const calls = (await a.api('GET', '/v1/calls')).json.calls
    expect(calls).toMatchObject([{ direction: 'outbound', status: 'answered', user: { id: ada } }])
    expect(await office.eventNames(calls[0].id)).toEqual(['created', 'answered'])
  })

  test('may be prepared on the dialpad, which publishes nothing', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    const line = await office.line()
    const dial = async (body: object, user: number = ada) =>
      (await a.api('POST', `/v1/users/${user}/dial`, body)).status

    expect(await dial({ to: customer })).toBe(405)
    await office.connect(ada)
    expect(await dial({})).toBe(422)
    expect(await dial({ to: '+33' })).toBe(400)
    expect(await dial({ to: customer }, 999_999)).toBe(404)
    expect(await dial({ to: customer })).toBe(204)
    expect(await office.story()).toEqual(['number.created', 'user.connected'])
    await office.dials(ada, line, customer)

    expect(await dial({ to: customer })).toBe(405)
  })
})
