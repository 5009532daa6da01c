import { expect, test } from 'vitest'
import { onBothDatabases } from '../../../../test/kit/app.ts'
import { hangUp, type Office, openOffice, ringTo, toTeam, toUser } from '../../../../test/kit/phone.ts'

// biome-ignore lint/suspicious/noExplicitAny: the API's answer
const live = async ({ a }: Office): Promise<any> => (await a.own('GET', '/v1/live')).json
const stateOf = async (office: Office, id: number) =>
  (await live(office)).calls.find((call: { id: number }) => call.id === id)?.state

onBothDatabases('the live view', (open) => {
  test('shows agents with what they do, since when, and on which calls', async () => {
    const office = await openOffice(open)
    const { ada, bea, clock, pass } = office
    const startedAt = Math.floor(clock.now() / 1_000)
    await office.connect(ada)
    await pass(10)
    const line = await office.line({ ring: ringTo([toUser(ada)], { branches: { no_answer: 'end' } }), end: hangUp })
    const id = await office.call(line)
    await office.does(ada, { kind: 'answer' })
    await pass(7)

    const { now, agents } = await live(office)
    const of = (userId: number) => agents.find((one: { id: number }) => one.id === userId)

    expect(now).toBe(startedAt + 17)
    expect(of(ada)).toEqual({
      id: ada,
      name: expect.stringMatching(/^ada /i),
      email: expect.stringContaining('@'),
      availability: 'in_call',
      since: startedAt + 10,
      teams: ['Support'],
      call_ids: [id],
    })
    expect(of(bea)).toMatchObject({ availability: 'offline', teams: ['Support'], call_ids: [] })
    expect(agents).toHaveLength(4)
  })

  test('lists agents in the order of their first names, with names, teams and calls as they are written', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    const named = async (first_name: string, last_name: string): Promise<number> =>
      (
        await a.api('POST', '/v2/users', {
          email: `u${first_name.length}${last_name.length}@example.test`,
          first_name,
          last_name,
        })
      ).json.user.id
    const quoted = await named('0 "Zoë" \\ \t', 'O’Brien\u2028🦊')
    const second = await named('1', "d'Arc")
    const first = await named('1', 'Y')
    const teams = ['Zebra', 'Apple "core"', 'Müller']
    for (const name of teams) {
      const { id } = (await a.api('POST', '/v1/teams', { name })).json.team
      await a.api('POST', `/v1/teams/${id}/users/${quoted}`)
    }
    await office.connect(ada)
    const line = await office.line({ ring: ringTo([toUser(ada)], { branches: { no_answer: 'end' } }), end: hangUp })
    const id = await office.call(line)
    await office.does(ada, { kind: 'answer' })

    const { agents } = await live(office)

    const ids = agents.map((one: { id: number }) => one.id)
    expect(ids.slice(0, 3)).toEqual([quoted, second, first])
    expect(agents).toHaveLength(7)
    expect(agents[0]).toMatchObject({ name: '0 "Zoë" \\ O’Brien\u2028🦊', call_ids: [] })
    expect([...agents[0].teams].sort()).toEqual([...teams].sort())
    expect(agents[2].teams).toEqual([])
    expect(agents.filter((one: { call_ids: number[] }) => one.call_ids.length > 0)).toMatchObject([
      { id: ada, call_ids: [id] },
    ])
    expect(
      agents.every((one: object) => Object.keys(one).join() === 'id,name,email,availability,since,teams,call_ids'),
    ).toBe(true)
  })

  test('shows the contact of the external party', async () => {
    const office = await openOffice(open)
    const line = await office.line({ ring: ringTo([toUser(office.ada)], { max_wait_seconds: 300 }), box: hangUp })
    const phone_numbers = [{ label: 'Work', value: '+33612345678' }]
    await office.a.api('POST', '/v1/contacts', { first_name: 'Nora', last_name: 'Petit', phone_numbers })
    await office.a.api('POST', '/v1/contacts', {
      company_name: 'Moreau SARL',
      phone_numbers: [{ label: 'Work', value: '06 12 34 00 00' }],
    })
    for (const from of ['+33612345678', '+33612340000', 'anonymous']) await office.call(line, { from })

    const { calls } = await live(office)

    expect(calls.map(({ contact }: { contact: string | null }) => contact)).toEqual(['Nora Petit', 'Moreau SARL', null])
  })

  test('shows a call in every state, and nothing once it is over', async () => {
    const office = await openOffice(open)
    const { ada, clock, pass } = office
    const startedAt = Math.floor(clock.now() / 1_000)
    const ring = ringTo([toUser(ada)], { max_wait_seconds: 300, branches: { no_answer: 'end' } })
    const line = await office.line({ ring, end: hangUp }, { start: 'ring' })
    const id = await office.call(line)
    const waiting = await live(office)
    await pass(20)
    await office.connect(ada)
    const ringing = (await live(office)).calls[0]
    await pass(2)
    await office.does(ada, { kind: 'answer' })
    const connected = (await live(office)).calls[0]
    await office.does(ada, { kind: 'hold' })
    const held = await stateOf(office, id)
    await office.does(ada, { kind: 'unhold' })
    await office.does(ada, { kind: 'hang_up' })
    await pass(1)

    expect(waiting.calls).toEqual([
      {
        id,
        key: expect.any(String),
        line: 'simulated',
        direction: 'inbound',
        state: 'waiting',
        from: '+33612345678',
        contact: null,
        number: { id: line.id, name: 'Line 1', digits: '+33 1 99 00 00 01' },
        started_at: startedAt,
        answered_at: null,
        waiting_since: startedAt,
        users: [],
      },
    ])
    expect(ringing).toMatchObject({ state: 'ringing', waiting_since: startedAt, users: [{ id: ada }] })
    expect(connected).toMatchObject({
      state: 'connected',
      answered_at: startedAt + 22,
      waiting_since: null,
      users: [{ id: ada }],
    })
    expect(held).toBe('on_hold')
    expect((await live(office)).calls).toEqual([])
  })

  test('counts who waits for each Number, and how long the first has waited', async () => {
    const office = await openOffice(open)
    const { team, clock, pass, ada } = office
    const startedAt = Math.floor(clock.now() / 1_000)
    const nodes = {
      ring: ringTo([toTeam(team)], { max_wait_seconds: 300, branches: { no_answer: 'end' } }),
      end: hangUp,
    }
    const one = await office.line(nodes)
    const two = await office.line(nodes)
    await office.line(nodes)
    await office.call(one)
    await pass(30)
    await office.call(one)
    await office.call(two)
    await pass(10)

    const { queues } = await live(office)
    await office.connect(ada)
    await office.does(ada, { kind: 'answer' })
    const after = (await live(office)).queues

    expect(queues).toEqual([
      { number: { id: one.id, name: 'Line 1' }, waiting: 2, longest_wait_seconds: 40, longest_since: startedAt },
      { number: { id: two.id, name: 'Line 2' }, waiting: 1, longest_wait_seconds: 10, longest_since: startedAt + 30 },
    ])
    expect(after.map(({ waiting }: { waiting: number }) => waiting)).toEqual([1, 1])
    expect((await office.b.own('GET', '/v1/live')).json).toMatchObject({ calls: [], queues: [] })
  })

  test('outbound calls are shown, internal calls are not', async () => {
    const office = await openOffice(open)
    const { ada, bea, cem, pass } = office
    await office.connect(ada, bea, cem)
    const line = await office.line()
    await office.dials(ada, line, '+33699000001')
    await office.dialsInside(bea, cem)
    await office.settle()
    const dialling = (await live(office)).calls
    await pass(5)

    const { calls, agents } = await live(office)

    expect(dialling).toMatchObject([{ direction: 'outbound', state: 'ringing', waiting_since: null }])
    expect(calls).toMatchObject([
      { direction: 'outbound', state: 'connected', from: '+33699000001', users: [{ id: ada }] },
    ])
    expect(agents.find((one: { id: number }) => one.id === bea).call_ids).toEqual([])
  })
})
