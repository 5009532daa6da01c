import { expect, test } from 'vitest'
import { monday, onAnyDatabase } from '../kit/app.ts'
import { type Office, openOffice } from '../kit/phone.ts'

const hour = 3_600

/** Events of one user, V1 and V2, since the invitation. */
async function userEvents({ a, events }: Office, user: number) {
  const all = await events(a)
  return all.filter(
    ({ name, data }) => name.startsWith('user.') && !name.startsWith('user.created') && data.id === user,
  )
}

onAnyDatabase('availability', (open) => {
  test('follows the phone, the status, the calls and the wrap-up', async () => {
    const office = await openOffice(open)
    const { a, db, ada, pass } = office
    const set = (command: object) => a.api('PUT', `/v2/users/${ada}`, command)
    const available = async () => (await a.api('GET', `/v2/users/${ada}`)).json.user.available
    const line = await office.line()
    const steps: string[] = []
    const look = async () => steps.push(`${await office.availability(ada)} ${await available()}`)

    await look()
    await office.connect(ada)
    await look()
    await set({ availability_status: 'unavailable', wrap_up_time: 5 })
    await look()
    await set({ availability_status: 'available' })
    const id = await office.call(line)
    await look()
    await office.does(ada, { kind: 'answer' })
    await look()
    await set({ availability_status: 'unavailable' })
    await look()
    await office.does(ada, { kind: 'hang_up' })
    await look()
    await pass(5)
    await look()
    await office.disconnect(ada)
    await look()

    expect(steps).toEqual([
      'offline false',
      'available true',
      'do_not_disturb false',
      'available true',
      'in_call true',
      'in_call false',
      'after_call_work false',
      'do_not_disturb false',
      'offline false',
    ])
    expect((await office.show(id)).user.id).toBe(ada)
    const facts = await db
      .selectFrom('user_status')
      .select(['granular', 'at'])
      .where('user_id', '=', ada)
      .orderBy('id')
      .execute()
    expect(facts.map(({ granular }) => granular)).toEqual([
      'available',
      'do_not_disturb',
      'available',
      'in_call',
      'after_call_work',
      'do_not_disturb',
      'offline',
    ])
    expect(facts.at(-1)?.at).toBe(monday + 5_000)
    const all = (await a.api('GET', '/v1/users/availabilities')).json
    expect(all.meta.total).toBe(4)
    expect(JSON.stringify(all)).toContain('offline')
  })

  test('follows the working hours of a user, who is rung by a waiting call when they begin', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    await a.api('PUT', `/v2/users/${ada}`, { availability_status: 'custom' })
    await a.own('PUT', `/v1/users/${ada}/working_hours`, { hours: { mon: [['13:00', '14:00']] } })
    const line = await office.line({
      ring: {
        type: 'ring_to',
        targets: [{ type: 'user', id: ada }],
        max_wait_seconds: 7_200,
        branches: { no_answer: 'bye' },
      },
      bye: { type: 'hang_up' },
    })

    await office.connect(ada)
    expect(await office.availability(ada)).toBe('do_not_disturb')
    const id = await office.call(line)
    await pass(hour)
    expect(await office.availability(ada)).toBe('available')
    expect(await office.timeline(id)).toEqual(['created 0', `ringing_on_agent ${hour}`])
    await office.does(ada, { kind: 'answer' })
    await pass(hour)
    expect(await office.availability(ada)).toBe('in_call')
    await office.does(ada, { kind: 'hang_up' })

    expect(await office.availability(ada)).toBe('do_not_disturb')
    const published = (await userEvents(office, ada)).map(({ name }) => name)
    expect(published).toEqual([
      ...['user.closed', 'user.closed.v2', 'user.connected', 'user.connected.v2'],
      ...['user.opened', 'user.opened.v2', 'user.closed', 'user.closed.v2'],
    ])
  })

  test('is published in both versions: once per session, twice with a substatus', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    await office.line()

    await office.opens(ada, 'desk')
    await office.opens(ada, 'laptop')
    await office.opens(ada, 'laptop')
    await office.closes(ada, 'desk')
    expect(await office.availability(ada)).toBe('available')
    await a.api('PUT', `/v1/users/${ada}`, { availability_status: 'unavailable', substatus: 'on_a_break' })
    await a.api('PUT', `/v1/users/${ada}`, { availability_status: 'available' })
    await a.api('PUT', `/v1/users/${ada}`, { first_name: 'Ada' })
    await office.closes(ada, 'laptop')

    const published = await userEvents(office, ada)
    const names = ['connected', 'connected', 'disconnected', 'closed', 'closed', 'opened', 'disconnected']
    expect(published.map(({ name }) => name)).toEqual(names.flatMap((name) => [`user.${name}`, `user.${name}.v2`]))
    expect(published.filter(({ name }) => name === 'user.closed').map(({ data }) => data.substatus)).toEqual([
      'always_closed',
      'on_a_break',
    ])
    for (const { name, data } of published) {
      const version = name.endsWith('.v2') ? 'v2' : 'v1'
      expect(data.direct_link).toBe(`${office.base}/${version}/users/${ada}`)
      expect('numbers' in data).toBe(version === 'v1')
      expect(data).not.toHaveProperty('last_call_id')
    }
    const available = published.filter(({ name }) => name.endsWith('connected')).map(({ data }) => data.available)
    expect(available).toEqual([true, true, true, false])
    expect(published[0]?.data.numbers[0]).toHaveProperty('e164_digits')
  })

  test('requires an accepted invitation', async () => {
    const office = await openOffice(open)
    const { a } = office
    const body = { email: 'new@example.test', first_name: 'New', last_name: 'Agent' }
    const { id } = (await a.api('POST', '/v2/users', body)).json.user

    await office.connect(id)

    expect(await office.availability(id)).toBe('offline')
    expect((await a.api('GET', `/v2/users/${id}`)).json.user.available).toBe(false)
  })
})
