import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { caller, callTakenBy, hangUp, openOffice } from '../kit/phone.ts'

const mobile = '+33699887766'

onAnyDatabase('a call to an external number', (open) => {
  test('is published as a transfer, before and after the answer, inbound and outbound', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    const { id, line } = await callTakenBy(office, ada, 5)
    const path = `/v1/calls/${id}/transfers`

    await a.api('POST', path, { number: mobile })
    await pass(60)
    expect(await office.availability(ada)).toBe('available')
    expect((await a.api('POST', path, { user_id: ada })).status).toBe(400)
    const early = await office.call(line, { script: [{ hear: 10 }, { hang_up: true }] })
    await pass(5)
    await a.api('POST', `/v1/calls/${early}/transfers`, { number: mobile })
    await pass(60)
    const started = await office.dials(ada, line, '+33699000001')
    await pass(5)
    const outbound = (started.ok && started.callId) || 0
    await office.callees({ [mobile]: { talk_seconds: 7 } })
    await a.api('POST', `/v1/calls/${outbound}/transfers`, { number: mobile })
    await pass(60)

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'answered 5',
      'transferred 5',
      'external_transferred 5',
    ])
    const [external] = await office.payloads(id, 'external_transferred')
    expect(external).toMatchObject({
      status: 'answered',
      user: { id: ada },
      transferred_by: { id: ada },
      external_transferred_to: mobile,
      external_caller_number: caller,
    })
    expect(external).not.toHaveProperty('transferred_to')
    expect(await office.timeline(early)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'transferred 5',
      'external_transferred 5',
      'hungup 18',
      'ended 48',
    ])
    expect((await office.payloads(early, 'transferred'))[0]).toMatchObject({ status: 'initial', transferred_by: null })
    expect(await office.timeline(outbound)).toEqual([
      'created 0',
      'answered 3',
      'transferred 5',
      'external_transferred 5',
      'hungup 15',
      'ended 45',
    ])
    expect((await office.payloads(outbound, 'external_transferred'))[0]).toMatchObject({
      external_transferred_to: mobile,
      external_caller_number: '+33699000001',
    })
    expect(await office.show(outbound)).not.toHaveProperty('transferred_to')
  })

  test('by a widget continues with the flow without an answer', async () => {
    const office = await openOffice(open)
    const { pass } = office
    const nodes = (more: object) => ({
      out: { type: 'forward', number: mobile, ring_seconds: 12, ...more },
      bye: { ...hangUp, name: 'No answer' },
    })
    const line = await office.line(nodes({ branches: { no_answer: 'bye' } }))

    const taken = await office.call(line, { script: [{ hear: 30 }, { hang_up: true }] })
    await pass(120)
    await office.callees({ [mobile]: { no_answer: true } })
    const missed = await office.call(line)
    await pass(120)
    await office.callees({ [mobile]: { busy: true } })
    const busy = await office.call(line)
    await pass(120)

    expect(await office.timeline(taken)).toEqual([
      'created 0',
      'transferred 0',
      'external_transferred 0',
      'hungup 33',
      'ended 63',
    ])
    const [transferred, external] = [
      (await office.payloads(taken, 'transferred'))[0],
      (await office.payloads(taken, 'external_transferred'))[0],
    ]
    expect(transferred).toMatchObject({ status: 'initial', transferred_by: null, user: null })
    for (const data of [transferred, external]) expect(data).not.toHaveProperty('transferred_to')
    expect(transferred).not.toHaveProperty('external_transferred_to')
    expect(external).toMatchObject({ external_transferred_to: mobile, external_caller_number: caller })
    expect(Object.keys(external).slice(-2)).toEqual(['external_transferred_to', 'external_caller_number'])
    const shown = await office.show(taken)
    expect(shown).not.toHaveProperty('transferred_to')
    // Answered outside 3 s after its start: no agent has it, but it was not missed.
    expect(shown).toMatchObject({ answered_at: shown.started_at + 3, missed_call_reason: null, user: null })
    expect(shown.conference_participants).toEqual([
      { phone_number: '+33 6 12 34 56 78', type: 'external' },
      { phone_number: '+33 6 99 88 77 66', type: 'external' },
    ])
    expect(await office.timeline(missed)).toEqual([
      'created 0',
      'transferred 0',
      'external_transferred 0',
      'unsuccessful_transfer 12',
      'hungup 12',
      'ended 42',
    ])
    for (const id of [missed, busy]) {
      expect(await office.show(id)).toMatchObject({
        answered_at: null,
        missed_call_reason: expect.stringMatching(/abandoned/),
      })
    }
    expect(await office.timeline(busy)).toContain('unsuccessful_transfer 1')
    expect((await office.trace(busy)).at(-2)).toMatchObject({ kind: 'widget', node: 'bye' })
  })
})

onAnyDatabase('a transfer', (open) => {
  test('that is invalid is rejected, and the call continues unchanged', async () => {
    const office = await openOffice(open)
    const { a, b, ada, bea, team } = office
    const { id } = await callTakenBy(office, ada, 5)
    const path = `/v1/calls/${id}/transfers`
    const foreign = (await b.api('POST', '/v1/teams', { name: 'Theirs' })).json.team.id
    const code = async (body: object, at = path) => (await a.api('POST', at, body)).status
    const before = await office.eventNames(id)

    expect(await code({})).toBe(422)
    expect(await code({ user_id: null })).toBe(422)
    expect(await code({ user_id: bea, team_id: team })).toBe(400)
    expect(await code({ user_id: bea, number: mobile })).toBe(400)
    expect(await code({ number: '0699887766' })).toBe(400)
    expect(await code({ number: '+0699887766' })).toBe(400)
    expect(await code({ user_id: bea, dispatching_strategy: 'random' })).toBe(400)
    expect(await code({ number: mobile, dispatching_strategy: 'random' })).toBe(400)
    expect(await code({ team_id: team, dispatching_strategy: 'one_by_one' })).toBe(400)
    expect(await code({ user_id: 999_999 })).toBe(404)
    expect(await code({ team_id: foreign })).toBe(404)
    expect(await code({ user_id: bea }, '/v1/calls/999999/transfers')).toBe(404)
    expect(await code({ user_id: bea }, '/v1/calls/99999999999999999999999/transfers')).toBe(404)
    expect(await code({ user_id: ada })).toBe(400)
    expect(await office.eventNames(id)).toEqual(before)
    expect(await office.show(id)).toMatchObject({ status: 'answered', user: { id: ada }, transferred_to: null })
    await office.does(ada, { kind: 'hang_up' })

    expect(await code({ user_id: bea })).toBe(400)
    expect(await code({ number: mobile })).toBe(400)
  })
})
