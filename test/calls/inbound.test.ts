import { expect, test } from 'vitest'
import { monday, onAnyDatabase } from '../kit/app.ts'
import { caller, hangUp, openOffice, ringTo, toTeam } from '../kit/phone.ts'

const keysInOrder = [
  'id',
  'direct_link',
  'direction',
  'call_uuid',
  'status',
  'missed_call_reason',
  'started_at',
  'answered_at',
  'ended_at',
  'duration',
  'cost',
  'hangup_cause',
  'voicemail',
  'recording',
  'asset',
  'raw_digits',
  'participants',
  'user',
  'contact',
  'number',
  'archived',
  'assigned_to',
  'teams',
  'comments',
  'tags',
  'transferred_to',
  'transferred_by',
]

onAnyDatabase('an inbound call', (open) => {
  test('rings on all available agents, is answered by the first, and publishes each step', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, team, pass } = office
    await office.connect(ada, bea)
    const line = await office.line(undefined, { recording: false })
    const contact = { first_name: 'Ines', last_name: 'Roux', phone_numbers: [{ label: 'Work', value: caller }] }
    const { json } = await a.api('POST', '/v1/contacts', contact)

    const id = await office.call(line)
    expect(await office.show(id)).toMatchObject({ status: 'initial', ended_at: null, duration: 0, user: null })
    await pass(5)
    expect(await office.does(bea, { kind: 'answer' })).toEqual({ ok: true })
    expect(await office.does(ada, { kind: 'answer' })).toMatchObject({ ok: false })
    expect([await office.availability(ada), await office.availability(bea)]).toEqual(['available', 'in_call'])
    await pass(10)
    await office.does(bea, { kind: 'hold' })
    expect(await office.does(bea, { kind: 'hold' })).toMatchObject({ ok: false })
    await pass(10)
    await office.does(bea, { kind: 'unhold' })
    expect(await office.does(bea, { kind: 'unhold' })).toMatchObject({ ok: false })
    await pass(35)
    await office.does(bea, { kind: 'hang_up' })
    expect(await office.show(id)).toMatchObject({ status: 'done', duration: 60 })
    await pass(29)
    expect(await office.eventNames(id)).not.toContain('ended')
    await pass(1)

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'ringing_on_agent 0',
      'answered 5',
      'hold 15',
      'unhold 25',
      'hungup 60',
      'ended 90',
    ])
    const payloads = await office.payloads(id)
    for (const data of payloads) expect(Object.keys(data)).toEqual(keysInOrder)
    expect(payloads.map(({ status }) => status)).toEqual([
      ...['initial', 'initial', 'initial'],
      ...['answered', 'answered', 'answered'],
      ...['done', 'done'],
    ])
    expect(payloads.map(({ user }) => user?.id ?? null)).toEqual([null, ada, bea, bea, bea, bea, bea, bea])
    expect(payloads.map(({ hangup_cause }) => hangup_cause)).toEqual([
      ...Array.from({ length: 6 }, () => null),
      'normal_clearing',
      'normal_clearing',
    ])
    const customer = { id: json.contact.id, name: 'Ines Roux', phone_number: '+33 6 12 34 56 78', type: 'contact' }
    const agent = { id: bea, name: 'bea Agent', type: 'user' }
    expect(payloads.at(0)).toMatchObject({ participants: [customer], teams: [], contact: { id: json.contact.id } })
    expect(payloads.at(1)).toMatchObject({ teams: [{ id: team }], number: { id: line.id, e164_digits: line.digits } })
    expect(payloads.at(-1)).toMatchObject({
      direction: 'inbound',
      raw_digits: '+33 6 12 34 56 78',
      started_at: monday / 1_000,
      answered_at: monday / 1_000 + 5,
      ended_at: monday / 1_000 + 60,
      duration: 60,
      participants: [customer, agent],
      assigned_to: null,
      transferred_to: null,
      transferred_by: null,
    })
    expect(await office.show(id)).toMatchObject({
      status: 'done',
      duration: 60,
      missed_call_reason: null,
      user: { id: bea },
      conference_participants: [customer, agent],
    })
  })

  test('that all agents decline or do not answer is missed; the event names the agent who declined', async () => {
    const office = await openOffice(open)
    const { ada, bea, team, pass } = office
    await office.connect(ada, bea)
    const line = await office.line({ ring: ringTo([toTeam(team)], { branches: { no_answer: 'bye' } }), bye: hangUp })

    const ignored = await office.call(line)
    await pass(4)
    await office.does(ada, { kind: 'decline' })
    await pass(60)
    const declined = await office.call(line)
    await pass(12)
    await office.does(ada, { kind: 'decline' })
    await office.does(bea, { kind: 'decline' })
    await pass(60)

    expect(await office.timeline(ignored)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'ringing_on_agent 0',
      'agent_declined 4',
      'hungup 30',
      'ended 60',
    ])
    const [refusal] = await office.payloads(ignored, 'agent_declined')
    expect(refusal).toMatchObject({ status: 'initial', user: { id: ada } })
    const [hungup] = await office.payloads(ignored, 'hungup')
    expect(hungup).toMatchObject({ user: null, answered_at: null, missed_call_reason: 'agents_did_not_answer' })
    expect(await office.timeline(declined)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'ringing_on_agent 0',
      'agent_declined 12',
      'agent_declined 12',
      'hungup 12',
      'ended 42',
    ])
    expect(await office.show(declined)).toMatchObject({
      status: 'done',
      duration: 12,
      user: null,
      missed_call_reason: 'agents_did_not_answer',
      teams: [{ id: team }],
    })
  })

  test('without available agents still publishes its three events', async () => {
    const office = await openOffice(open)
    const line = await office.line({
      ring: ringTo([toTeam(office.team)], { branches: { no_answer: 'bye' } }),
      bye: hangUp,
    })

    const id = await office.call(line, { from: 'anonymous' })
    await office.pass(60)

    expect(await office.timeline(id)).toEqual(['created 0', 'hungup 0', 'ended 30'])
    expect(await office.show(id)).toMatchObject({
      raw_digits: 'anonymous',
      duration: 0,
      missed_call_reason: 'no_available_agent',
    })
  })

  test('ends when the caller hangs up or the agent disconnects; call.ended follows after the configured delay', async () => {
    const office = await openOffice(open, { env: { CALL_ENDED_DELAY_SECONDS: '0' } })
    const { ada, pass } = office
    await office.connect(ada)
    const line = await office.line()

    const short = await office.call(line, { script: [{ hear: 20 }, { hang_up: true }] })
    await office.does(ada, { kind: 'answer' })
    await pass(20)
    const lost = await office.call(line)
    await office.does(ada, { kind: 'answer' })
    await pass(7)
    await office.disconnect(ada)
    await pass(0)

    expect(await office.timeline(short)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'answered 0',
      'hungup 20',
      'ended 20',
    ])
    expect((await office.timeline(lost)).slice(-2)).toEqual(['hungup 7', 'ended 7'])
    expect((await office.payloads(lost, 'hungup'))[0]).toMatchObject({ hangup_cause: 'failure', user: { id: ada } })
    expect(await office.availability(ada)).toBe('offline')
  })

  test('is assigned at once while it is active; an agent’s notes are published after its end', async () => {
    const office = await openOffice(open)
    const { a, ada, cem, pass } = office
    await office.connect(ada)
    const line = await office.line()

    const id = await office.call(line)
    await office.does(ada, { kind: 'answer' })
    await office.does(ada, { kind: 'comment', content: 'wants a new invoice' })
    expect((await office.show(id)).comments).toEqual([])
    const assigned = await a.own('POST', `/v1/calls/${id}/assign`, { user_id: cem })
    expect(assigned.json.call).toMatchObject({ assigned_to: { id: cem }, user: { id: ada }, status: 'answered' })
    await pass(10)
    await office.does(ada, { kind: 'hang_up' })
    await pass(30)

    expect((await office.timeline(id)).slice(2)).toEqual([
      'answered 0',
      'assigned 0',
      'hungup 10',
      'ended 40',
      'commented 40',
    ])
    expect((await office.payloads(id, 'assigned'))[0]).toMatchObject({ assigned_to: { id: cem }, user: { id: ada } })
    expect((await office.payloads(id, 'commented'))[0].comments).toMatchObject([
      { content: 'wants a new invoice', posted_by: { id: ada } },
    ])
  })
})
