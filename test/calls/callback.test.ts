import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { caller, type Line, type Nodes, type Office, openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'

const nodesFor = (user: number, more: object = {}): Nodes => ({
  wait: { type: 'waiting', media: null, callback: true, branches: { next: 'ring', callback: 'later' } },
  ring: ringTo([toUser(user)], { max_wait_seconds: 300 }),
  later: { type: 'callback', media: null, attempts: 2, retry_seconds: 60, ...more },
  box: voicemail,
})

const request = (office: Office, line: Line, from = caller) =>
  office.call(line, { from, script: [{ request_callback: true }] })

/** The calls back, oldest first. */
async function callsBack(office: Office): Promise<{ id: number; user: { id: number }; status: string }[]> {
  return (await office.a.api('GET', '/v1/calls/search?direction=outbound')).json.calls
}

// The confirmation takes three seconds.
onAnyDatabase('a callback', (open) => {
  test('is requested with a key, rings the agent first and then calls the customer', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    const line = await office.line(nodesFor(ada))

    const asked = await request(office, line)
    await pass(40)
    expect(await office.timeline(asked)).toEqual(['created 0', 'tagged 3', 'hungup 3', 'ended 33'])
    const [tagged] = await office.payloads(asked, 'tagged')
    expect(tagged.tags).toMatchObject([{ name: 'Callback Request', tagged_by: null }])
    expect(await office.show(asked)).toMatchObject({ archived: false, missed_call_reason: 'no_available_agent' })
    await office.connect(ada)
    await pass(5)
    // It rings, but there is no call yet.
    expect(await callsBack(office)).toEqual([])
    expect(await office.availability(ada)).toBe('available')
    expect(await office.does(ada, { kind: 'answer' })).toEqual({ ok: true })
    await pass(10)
    const [back] = await callsBack(office)
    expect(back).toMatchObject({ user: { id: ada }, status: 'answered', raw_digits: '+33 6 12 34 56 78' })
    expect(await office.show(asked)).toMatchObject({ archived: true })
    await office.does(ada, { kind: 'hang_up' })
    await pass(30)

    const id = back?.id ?? 0
    expect(await office.timeline(id)).toEqual(['created 0', 'answered 3', 'hungup 10', 'ended 40'])
    for (const data of await office.payloads(id)) {
      expect(data).toMatchObject({ direction: 'outbound', automatic_callback_call_id: asked, user: { id: ada } })
      expect(Object.keys(data).at(-1)).toBe('automatic_callback_call_id')
    }
    expect(await office.timeline(asked)).toEqual(['created 0', 'tagged 3', 'hungup 3', 'ended 33', 'archived 48'])
    expect((await office.payloads(asked, 'archived'))[0]).not.toHaveProperty('automatic_callback_call_id')
    await pass(600)
    expect(await callsBack(office)).toHaveLength(1)
  })

  test('is retried when the customer does not answer, until the attempts are used up', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    const line = await office.line(nodesFor(ada))
    await office.callees({ [caller]: { busy: true } })
    const asked = await request(office, line)
    await pass(3)
    await office.connect(ada)

    await office.does(ada, { kind: 'answer' })
    await pass(1)
    expect(await office.show(asked)).toMatchObject({ archived: false })
    expect(await office.does(ada, { kind: 'answer' })).toMatchObject({ ok: false })
    await pass(59)
    expect(await office.does(ada, { kind: 'answer' })).toMatchObject({ ok: false })
    await pass(1)
    expect(await office.does(ada, { kind: 'answer' })).toEqual({ ok: true })
    await pass(1)
    expect(await office.show(asked)).toMatchObject({ archived: true })
    await pass(600)

    const calls = await callsBack(office)
    expect(calls).toHaveLength(2)
    for (const { id } of calls) expect(await office.eventNames(id)).toEqual(['created', 'hungup', 'ended'])
    expect(await office.eventNames(asked)).toEqual(['created', 'tagged', 'hungup', 'ended', 'archived'])
  })

  test('that no agent accepts costs an attempt; one agent after the other is rung', async () => {
    const office = await openOffice(open)
    const { ada, bea, pass } = office
    const line = await office.line(nodesFor(ada, { targets: [toUser(ada), toUser(bea)] }))
    const asked = await request(office, line)
    await pass(3)
    await office.connect(ada)
    await pass(1)
    await office.connect(bea)

    expect(await office.does(ada, { kind: 'decline' })).toEqual({ ok: true })
    expect(await office.does(ada, { kind: 'answer' })).toMatchObject({ ok: false })
    await pass(20)
    expect(await office.does(bea, { kind: 'answer' })).toMatchObject({ ok: false })
    await pass(60)
    await pass(20)
    expect(await office.show(asked)).toMatchObject({ archived: false })
    await pass(20)

    expect(await office.show(asked)).toMatchObject({ archived: true })
    expect(await callsBack(office)).toEqual([])
    const rings = await office.db.selectFrom('ring_attempt').select(['user_id', 'outcome']).orderBy('id').execute()
    expect(rings).toEqual([
      { user_id: ada, outcome: 'declined' },
      { user_id: bea, outcome: 'no_answer' },
      { user_id: ada, outcome: 'no_answer' },
      { user_id: bea, outcome: 'no_answer' },
    ])
  })

  test('keeps the position of the caller and is not served while the confirmation plays', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    const line = await office.line(nodesFor(ada))
    await office.connect(ada)
    const talk = await office.call(line)
    await office.does(ada, { kind: 'answer' })
    const asked = await request(office, line, '+33612000001')
    await pass(1)
    const later = await office.call(line, { from: '+33612000002' })
    await pass(1)

    await office.does(ada, { kind: 'hang_up' })
    expect(await office.eventNames(later)).toEqual(['created', 'ringing_on_agent'])
    await office.does(ada, { kind: 'decline' })
    await pass(1)
    expect(await office.does(ada, { kind: 'answer' })).toEqual({ ok: true })
    await pass(3)

    expect(await callsBack(office)).toMatchObject([{ raw_digits: '+33 6 12 00 00 01', status: 'answered' }])
    expect(await office.eventNames(asked)).toEqual(['created', 'tagged', 'hungup', 'archived'])
    expect(await office.eventNames(talk)).toContain('hungup')
  })

  test('waits while the Number is closed, and expires', async () => {
    // Noon in UTC is two in the afternoon in Paris.
    const office = await openOffice(open)
    const { ada, pass } = office
    const hours = {
      type: 'time_rule',
      mode: 'custom',
      hours: { mon: [['09:00', '14:01']], tue: [['09:00', '18:00']] },
      closed_dates: [],
      branches: { open: 'wait', otherwise: 'box' },
    }
    const patient = await office.line({ hours, ...nodesFor(ada) })
    const impatient = await office.line({ hours, ...nodesFor(ada, { expires_seconds: 3_600 }) })
    const asked = await request(office, patient)
    const expiring = await request(office, impatient, '+33612000001')
    await pass(120)
    await office.connect(ada)
    await pass(1)
    expect(await office.does(ada, { kind: 'answer' })).toMatchObject({ ok: false })
    await pass(3_600)
    expect(await office.show(expiring)).toMatchObject({ archived: true })
    expect(await office.does(ada, { kind: 'answer' })).toMatchObject({ ok: false })

    await pass(17 * 3_600)
    await pass(10)
    const [back] = await callsBack(office)
    expect(back).toBeUndefined()
    const untilNine = 19 * 3_600 - (120 + 1 + 3_600 + 17 * 3_600 + 10)
    await pass(untilNine)
    expect(await office.does(ada, { kind: 'answer' })).toEqual({ ok: true })
    await pass(5)
    expect(await callsBack(office)).toMatchObject([{ raw_digits: '+33 6 12 34 56 78', status: 'answered' }])
    expect(await office.show(asked)).toMatchObject({ archived: true })
  })

  test('for which no agent becomes available expires', async () => {
    const office = await openOffice(open)
    const line = await office.line(nodesFor(office.ada, { expires_seconds: 600 }))

    const asked = await request(office, line)
    await office.pass(610)

    expect(await office.show(asked)).toMatchObject({ archived: true })
    await office.connect(office.ada)
    expect(await office.does(office.ada, { kind: 'answer' })).toMatchObject({ ok: false })
  })

  test('is not offered to anonymous callers, and uses the ring step the caller was waiting for', async () => {
    const office = await openOffice(open)
    const { ada, bea, pass } = office
    const line = await office.line({
      menu: {
        type: 'ivr',
        media: null,
        options: [
          { key: '1', title: 'Sales' },
          { key: '2', title: 'Support' },
        ],
        branches: { 1: 'sales', 2: 'wait', fallback: 'box' },
      },
      sales: ringTo([toUser(ada)]),
      wait: {
        type: 'waiting',
        media: null,
        callback: true,
        seconds: 30,
        branches: { next: 'support', callback: 'later' },
      },
      support: ringTo([toUser(bea)]),
      later: { type: 'callback', media: null },
      box: voicemail,
    })
    await office.connect(ada, bea)

    const hidden = await office.call(line, { from: 'anonymous', script: [{ press: '2' }, { request_callback: true }] })
    await pass(20)
    expect(await office.eventNames(hidden)).toEqual(['created', 'ivr_option_selected'])
    const asked = await office.call(line, { script: [{ press: '2' }, { request_callback: true }] })
    await pass(5)

    expect(await office.eventNames(asked)).toEqual(['created', 'ivr_option_selected', 'tagged', 'hungup'])
    expect(await office.does(ada, { kind: 'answer' })).toMatchObject({ ok: false })
    expect(await office.does(bea, { kind: 'answer' })).toEqual({ ok: true })
  })
})
