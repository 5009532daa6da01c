import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { caller, callTakenBy, type Office, openOffice, toTeam, toUser } from '../kit/phone.ts'

const mobile = '+33699887766'

/** Ada is on an inbound call; the other users are available. */
async function talk(office: Office): Promise<number> {
  await office.connect(office.bea, office.cem)
  return (await callTakenBy(office, office.ada)).id
}

const consult = (office: Office, user: number) =>
  office.does(office.ada, { kind: 'consult', to: toUser(user), firstUserId: null })

onAnyDatabase('a consultation', (open) => {
  test('a colleague who accepts takes over the call; the consultation itself publishes nothing', async () => {
    const office = await openOffice(open)
    const { ada, bea, pass } = office
    const id = await talk(office)
    await pass(5)

    await consult(office, bea)
    expect(await office.does(ada, { kind: 'complete_transfer' })).toMatchObject({ ok: false })
    await pass(3)
    await office.does(bea, { kind: 'answer' })
    expect(await office.availability(bea)).toBe('in_call')
    expect((await office.show(id)).conference_participants).toHaveLength(2)
    await pass(10)
    expect(await office.does(ada, { kind: 'complete_transfer' })).toEqual({ ok: true })
    expect([await office.availability(ada), await office.availability(bea)]).toEqual(['available', 'in_call'])
    await pass(10)
    await office.does(bea, { kind: 'hang_up' })
    await pass(30)

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'answered 0',
      'hold 5',
      'transferred 18',
      'assigned 18',
      'hungup 28',
      'ended 58',
    ])
    const [transferred] = await office.payloads(id, 'transferred')
    expect(transferred).toMatchObject({
      status: 'answered',
      user: { id: ada },
      transferred_by: { id: ada },
      transferred_to: { id: bea },
    })
    expect(await office.show(id)).toMatchObject({
      user: { id: bea },
      assigned_to: { id: bea },
      transferred_by: { id: ada },
      transferred_to: { id: bea },
      conference_participants: [{ phone_number: '+33 6 12 34 56 78' }, { id: ada }, { id: bea }],
    })
    expect((await office.trace(id)).slice(-5)).toMatchObject([
      { kind: 'ring', purpose: 'consult', targets: [{ type: 'user', id: bea }] },
      { kind: 'rang', user_id: bea, outcome: 'answered', seconds: 3 },
      { kind: 'transfer', by: ada, to: 'user', id: bea },
      { kind: 'answered', user_id: bea },
      { kind: 'ended' },
    ])
  })

  test('a colleague who does not answer, or hangs up, leaves the call with the first agent', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, cem, pass } = office
    await a.api('PUT', `/v2/users/${cem}`, { wrap_up_time: 20 })
    const id = await talk(office)

    await consult(office, bea)
    await pass(4)
    await office.does(bea, { kind: 'decline' })
    expect(await office.eventNames(id)).toEqual(['created', 'ringing_on_agent', 'answered', 'hold'])
    await pass(1)
    await office.does(ada, { kind: 'unhold' })
    await pass(5)
    await consult(office, cem)
    await office.does(cem, { kind: 'answer' })
    await pass(5)
    await office.does(cem, { kind: 'hang_up' })
    // Only a consultation: there is nothing to wrap up.
    expect(await office.availability(cem)).toBe('available')
    await pass(1)
    await office.does(ada, { kind: 'unhold' })
    await pass(10)
    await office.does(ada, { kind: 'hang_up' })
    await pass(30)

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'answered 0',
      'hold 0',
      'unhold 5',
      'unsuccessful_transfer 5',
      'hold 10',
      'unhold 16',
      'unsuccessful_transfer 16',
      'hungup 26',
      'ended 56',
    ])
    const [first, second] = await office.payloads(id, 'unsuccessful_transfer')
    expect(first).toMatchObject({ user: { id: ada }, transferred_by: { id: ada }, transferred_to: { id: bea } })
    expect(second).toMatchObject({ user: { id: ada }, transferred_by: { id: ada }, transferred_to: { id: cem } })
    expect(await office.show(id)).toMatchObject({ user: { id: ada }, transferred_to: { id: cem }, assigned_to: null })
    expect(await office.story()).not.toContain('user.wut_start')
  })

  test('consultations in sequence: a refusal is reported before the next one starts', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, cem, pass } = office
    const id = await talk(office)

    await office.callees({ [mobile]: { no_answer: true } })
    await office.does(ada, { kind: 'consult', to: { type: 'number', number: mobile }, firstUserId: null })
    expect(await consult(office, bea)).toMatchObject({ ok: false })
    await pass(30)
    await consult(office, cem)
    await office.does(cem, { kind: 'answer' })
    await office.does(ada, { kind: 'complete_transfer' })

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'answered 0',
      'hold 0',
      'unsuccessful_transfer 30',
      'transferred 30',
      'assigned 30',
    ])
    expect((await office.payloads(id, 'unsuccessful_transfer'))[0]).not.toHaveProperty('transferred_to')
    expect(await office.show(id)).toMatchObject({ transferred_to: { id: cem }, user: { id: cem } })
    expect((await a.api('GET', `/v1/calls/${id}/participants`)).json.participants).toMatchObject([
      { phone_number: '+33 6 12 34 56 78' },
      { id: ada },
      { id: cem },
    ])
  })

  test('a team or an external number can be consulted', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, cem, team, pass } = office
    await a.api('POST', `/v1/teams/${team}/users/${cem}`)
    const first = await talk(office)

    await office.does(ada, { kind: 'consult', to: toTeam(team), firstUserId: ada })
    await pass(2)
    await office.does(cem, { kind: 'answer' })
    expect(await office.does(bea, { kind: 'answer' })).toMatchObject({ ok: false })
    await office.does(ada, { kind: 'complete_transfer' })
    await office.does(cem, { kind: 'hang_up' })
    await pass(40)
    const second = await talk(office)
    await office.does(ada, { kind: 'consult', to: { type: 'number', number: mobile }, firstUserId: null })
    await pass(8)
    await office.does(ada, { kind: 'complete_transfer' })
    expect(await office.availability(ada)).toBe('available')
    await office.callees({ [mobile]: {} })
    await pass(8)

    expect(await office.show(first)).toMatchObject({ user: { id: cem }, transferred_to: { id: ada } })
    expect(await office.timeline(second)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'answered 0',
      'hold 0',
      'transferred 8',
      'external_transferred 8',
    ])
    expect((await office.payloads(second, 'external_transferred'))[0]).toMatchObject({
      external_transferred_to: mobile,
      external_caller_number: caller,
      transferred_by: { id: ada },
    })
    expect((await office.show(second)).conference_participants.at(-1)).toEqual({
      phone_number: '+33 6 99 88 77 66',
      type: 'external',
    })
  })

  test('when the customer hangs up meanwhile the colleague is available again, and the transfer has failed', async () => {
    const office = await openOffice(open)
    const { ada, bea, pass } = office
    await office.connect(ada, bea)
    const line = await office.line()
    const id = await office.call(line, { script: [{ hear: 9 }, { hang_up: true }] })
    await office.does(ada, { kind: 'answer' })

    await consult(office, bea)
    await office.does(bea, { kind: 'answer' })
    await pass(9)

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'ringing_on_agent 0',
      'answered 0',
      'hold 0',
      'unsuccessful_transfer 9',
      'hungup 9',
    ])
    expect([await office.availability(ada), await office.availability(bea)]).toEqual(['available', 'available'])
  })
})

onAnyDatabase('a conference', (open) => {
  test('adds agents and external numbers without an event of its own', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, cem, pass } = office
    const id = await talk(office)

    await office.does(ada, { kind: 'add_participant', to: toUser(bea) })
    await pass(2)
    await office.does(bea, { kind: 'answer' })
    await office.does(ada, { kind: 'add_participant', to: toUser(cem) })
    await office.does(cem, { kind: 'decline' })
    await office.does(bea, { kind: 'add_participant', to: { type: 'number', number: mobile } })
    await pass(5)
    await office.does(ada, { kind: 'hold' })
    await office.does(ada, { kind: 'unhold' })
    // The user who added the others may leave.
    await office.does(ada, { kind: 'hang_up' })
    expect([await office.availability(ada), await office.availability(bea)]).toEqual(['available', 'in_call'])
    await pass(5)
    await office.does(bea, { kind: 'hang_up' })
    await pass(30)

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'answered 0',
      'hold 7',
      'unhold 7',
      'hungup 12',
      'ended 42',
    ])
    const parties = [
      { phone_number: '+33 6 12 34 56 78', type: 'external' },
      { id: ada, name: 'ada Agent', type: 'user' },
      { id: bea, name: 'bea Agent', type: 'user' },
      { phone_number: '+33 6 99 88 77 66', type: 'external' },
    ]
    const payloads = await office.payloads(id)
    expect(payloads.map(({ participants }) => participants.length)).toEqual([1, 1, 2, 4, 4, 4, 4])
    expect(payloads.at(-1).participants).toEqual(parties)
    expect((await a.api('GET', `/v1/calls/${id}/participants`)).json).toEqual({ participants: parties })
    // The contract has no origin for an invitation to a conference: like a transfer, an agent asks a colleague.
    const rings = await office.db
      .selectFrom('ring_attempt')
      .select(['user_id', 'origin', 'outcome'])
      .where('call_id', '=', id)
      .orderBy('id')
      .execute()
    expect(rings.map(({ user_id, origin, outcome }) => [user_id, origin, outcome])).toEqual([
      [ada, 'RING_TO', 'answered'],
      [bea, 'TRANSFER', 'answered'],
      [cem, 'TRANSFER', 'declined'],
    ])
    expect(await office.show(id)).toMatchObject({ user: { id: ada }, transferred_to: null, assigned_to: null })
  })

  test('the ring attempt of an invited agent has the origin TRANSFER, answered or not', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, cem, db } = office
    const id = await talk(office)

    await office.does(ada, { kind: 'add_participant', to: toUser(bea) })
    await office.does(bea, { kind: 'answer' })
    await office.does(ada, { kind: 'add_participant', to: toUser(cem) })
    await office.does(cem, { kind: 'decline' })

    const attempts = await db
      .selectFrom('ring_attempt')
      .select(['user_id', 'origin', 'outcome'])
      .where('company_id', '=', a.id)
      .where('call_id', '=', id)
      .orderBy('id')
      .execute()
    expect(attempts).toEqual([
      { user_id: ada, origin: 'RING_TO', outcome: 'answered' },
      { user_id: bea, origin: 'TRANSFER', outcome: 'answered' },
      { user_id: cem, origin: 'TRANSFER', outcome: 'declined' },
    ])
  })
})
