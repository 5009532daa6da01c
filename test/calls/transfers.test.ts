import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { callTakenBy, hangUp, openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'
import { openPhone } from '../live/phone-app.ts'

const mobile = '+33699887766'

onAnyDatabase('a transfer', (open) => {
  test('to a user who answers: published at once, assigned on answer, answered only once', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, pass } = office
    const { id } = await callTakenBy(office, ada, 5)
    const path = `/v1/calls/${id}/transfers`
    await office.connect(bea)
    await pass(5)

    expect((await a.api('POST', path, { user_id: bea, comment: 'ignored', number_id: 1 })).status).toBe(204)
    await pass(0)
    expect(await office.availability(ada)).toBe('available')
    await pass(6)
    await office.does(bea, { kind: 'answer' })
    await pass(10)
    await office.does(bea, { kind: 'hang_up' })
    await pass(30)

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'answered 5',
      'transferred 10',
      'ringing_on_agent 10',
      'assigned 16',
      'hungup 26',
      'ended 56',
    ])
    const [, , answered, transferred, ringing, assigned, hungup] = await office.payloads(id)
    expect(answered).toMatchObject({ transferred_by: null, transferred_to: null })
    for (const data of [transferred, ringing, assigned, hungup]) {
      expect(data).toMatchObject({ transferred_by: { id: ada }, transferred_to: { id: bea } })
    }
    expect(transferred).toMatchObject({ status: 'answered', user: { id: ada }, assigned_to: null })
    expect(ringing).toMatchObject({ status: 'answered', user: { id: bea } })
    expect(assigned).toMatchObject({ user: { id: bea }, assigned_to: { id: bea } })
    expect(await office.show(id)).toMatchObject({
      user: { id: bea },
      transferred_by: { id: ada },
      transferred_to: { id: bea },
      assigned_to: { id: bea },
      missed_call_reason: null,
      conference_participants: [
        { phone_number: '+33 6 12 34 56 78', type: 'external' },
        { id: ada, type: 'user' },
        { id: bea, type: 'user' },
      ],
    })
    const found = async (user: number) => (await a.api('GET', `/v1/calls/search?user_id=${user}`)).json.meta.total
    expect([await found(ada), await found(bea)]).toEqual([0, 1])
  })

  test('that is not answered follows the branch "no one answers" and stays with the transferring agent', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, pass } = office
    const { id } = await callTakenBy(office, ada, 5)
    const path = `/v1/calls/${id}/transfers`
    await office.connect(bea)

    await a.api('POST', path, { user_id: bea })
    await pass(30)
    await pass(30)

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'answered 5',
      'transferred 5',
      'ringing_on_agent 5',
      'unsuccessful_transfer 35',
      'hungup 35',
      'ended 65',
    ])
    for (const data of (await office.payloads(id)).slice(-3)) {
      expect(data).toMatchObject({
        user: { id: ada },
        transferred_by: { id: ada },
        transferred_to: { id: bea },
        assigned_to: null,
        missed_call_reason: null,
      })
    }
    expect((await office.payloads(id, 'unsuccessful_transfer'))[0].status).toBe('answered')
    expect(await office.show(id)).toMatchObject({ user: { id: ada }, transferred_to: { id: bea } })
    const trace = await office.trace(id)
    expect(trace).toContainEqual(expect.objectContaining({ kind: 'no_answer', node: 'ring', goes_to: 'bye' }))
  })

  test('to an unavailable user does not ring, and an outbound call is hung up', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, pass } = office
    await office.connect(ada)
    const line = await office.line()
    const started = await office.dials(ada, line, mobile)
    await pass(10)
    const id = (started.ok && started.callId) || 0

    expect((await a.api('POST', `/v1/calls/${id}/transfers`, { user_id: bea })).status).toBe(204)
    await pass(30)

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'answered 3',
      'transferred 10',
      'unsuccessful_transfer 10',
      'hungup 10',
      'ended 40',
    ])
    expect(await office.show(id)).toMatchObject({ user: { id: ada }, transferred_to: { id: bea }, teams: [] })
  })

  test('to a team rings its members by the strategy; the first of them stands for it', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, cem, team, pass } = office
    await office.connect(cem, bea)
    await pass(10)
    await office.connect(ada)
    const line = await office.line({ ring: ringTo([toUser(cem)]), box: voicemail })
    const story = async (command: object) => {
      const id = await office.call(line)
      await office.does(cem, { kind: 'answer' })
      expect((await a.api('POST', `/v1/calls/${id}/transfers`, { team_id: team, ...command })).status).toBe(204)
      await pass(25)
      await office.does(ada, { kind: 'answer' })
      await pass(5)
      await office.does(ada, { kind: 'hang_up' })
      await pass(40)
      const rung = (await office.payloads(id, 'ringing_on_agent')).slice(1).map(({ user }) => user.id)
      return { id, rung, timeline: await office.timeline(id) }
    }

    const together = await story({})
    const idle = await story({ dispatching_strategy: 'longest_idle' })
    const random = await story({ dispatching_strategy: 'random' })

    expect(together.rung).toEqual([ada, bea])
    expect(together.timeline).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'answered 0',
      'transferred 0',
      'ringing_on_agent 0',
      'ringing_on_agent 0',
      'assigned 25',
      'hungup 30',
      'ended 60',
    ])
    // Bea has been idle longer than Ada, who has just been on the phone.
    expect(idle.rung).toEqual([bea, ada])
    expect(idle.timeline.filter((line) => line.startsWith('ringing'))).toEqual([
      'ringing_on_agent 0',
      'ringing_on_agent 0',
      'ringing_on_agent 20',
    ])
    expect(random.rung.toSorted()).toEqual([ada, bea])
    expect(await office.show(together.id)).toMatchObject({
      user: { id: ada },
      transferred_by: { id: cem },
      transferred_to: { id: ada },
      assigned_to: { id: ada },
      teams: [{ id: team }],
    })
  })

  test('to the team of the agent rings the others, never the agent who transferred', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, team, pass } = office
    const { id } = await callTakenBy(office, ada, 5)
    await office.connect(bea)
    await pass(5)

    await a.api('POST', `/v1/calls/${id}/transfers`, { team_id: team })
    await pass(1)

    const rung = (await office.payloads(id, 'ringing_on_agent')).slice(1)
    expect(rung.map(({ user }) => user.id)).toEqual([bea])
    expect(await office.availability(ada)).toBe('available')
  })

  test('to a team without another available agent is unsuccessful at once', async () => {
    const office = await openOffice(open)
    const { a, ada, team, pass } = office
    const { id } = await callTakenBy(office, ada, 5)
    await pass(5)

    await a.api('POST', `/v1/calls/${id}/transfers`, { team_id: team })
    await pass(1)

    expect((await office.eventNames(id)).slice(2)).toEqual([
      'answered',
      'transferred',
      'unsuccessful_transfer',
      'hungup',
    ])
  })

  test('that replaces one that still rings keeps the agent who made it, and ends the ring of the first target', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, cem, pass } = office
    const { id } = await callTakenBy(office, ada, 5)
    await office.connect(bea, cem)
    const phone = await openPhone(office, { userId: bea })
    await pass(5)
    await a.api('POST', `/v1/calls/${id}/transfers`, { user_id: bea })
    await phone.first('ring')
    await pass(3)

    await a.api('POST', `/v1/calls/${id}/transfers`, { user_id: cem })
    expect((await phone.first('ring_stop')).why).toBe('cancelled')
    await pass(2)
    await office.does(cem, { kind: 'answer' })
    await pass(1)

    expect((await office.timeline(id)).slice(2)).toEqual([
      'answered 5',
      'transferred 10',
      'ringing_on_agent 10',
      'unsuccessful_transfer 13',
      'transferred 13',
      'ringing_on_agent 13',
      'assigned 15',
    ])
    const [failed] = await office.payloads(id, 'unsuccessful_transfer')
    expect(failed).toMatchObject({ transferred_by: { id: ada }, transferred_to: { id: bea } })
    expect(await office.show(id)).toMatchObject({ transferred_by: { id: ada }, transferred_to: { id: cem } })
    const made = await office.db.selectFrom('call_party').select('gave_at').where('user_id', '=', ada).execute()
    expect(made.filter(({ gave_at }) => gave_at !== null)).toHaveLength(1)
  })

  test('before an answer has no transferring agent and is answered by the agent who takes it', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, pass } = office
    await office.connect(ada, bea)
    const line = await office.line({ ring: ringTo([toUser(ada)], { branches: { no_answer: 'bye' } }), bye: hangUp })

    const taken = await office.call(line)
    await pass(5)
    await a.api('POST', `/v1/calls/${taken}/transfers`, { user_id: bea })
    await pass(5)
    await office.does(bea, { kind: 'answer' })
    await office.does(bea, { kind: 'hang_up' })
    await pass(30)
    const untaken = await office.call(line)
    await a.api('POST', `/v1/calls/${untaken}/transfers`, { user_id: bea })
    await pass(60)

    expect(await office.timeline(taken)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'transferred 5',
      'ringing_on_agent 5',
      'answered 10',
      'assigned 10',
      'hungup 10',
      'ended 40',
    ])
    const [transferred] = await office.payloads(taken, 'transferred')
    expect(transferred).toMatchObject({
      status: 'initial',
      user: null,
      transferred_by: null,
      transferred_to: { id: bea },
    })
    expect((await office.payloads(taken, 'answered'))[0]).toMatchObject({ user: { id: bea } })
    expect((await office.timeline(untaken)).slice(-3)).toEqual(['unsuccessful_transfer 30', 'hungup 30', 'ended 60'])
    expect(await office.show(untaken)).toMatchObject({
      user: null,
      transferred_by: null,
      transferred_to: { id: bea },
      missed_call_reason: 'agents_did_not_answer',
    })
  })
})
