import { expect, test } from 'vitest'
import { onAnyDatabase, type TestApp, type TestCompany, testApp } from '../../../../test/kit/app.ts'
import { alwaysOpen } from '../../../domain/opening-hours.ts'
import { day, hour, minute } from '../../../lib/clock.ts'

const invite = async ({ api }: TestCompany, more: object = {}) =>
  (await api('POST', '/v2/users', { email: 'ada@example.test', first_name: 'Ada', last_name: 'L', ...more })).json.user

/** The V1 events of a user since the invitation, each followed by its V2 twin. */
async function eventsOf({ a, events }: TestApp, id: number): Promise<string[]> {
  const published = (await events(a)).filter(({ name, data }) => data.id === id && !name.startsWith('user.created'))
  const v1 = published.filter((_, index) => index % 2 === 0)
  const v2 = published.filter((_, index) => index % 2 === 1)
  expect(v2.map(({ name }) => name)).toEqual(v1.map(({ name }) => `${name}.v2`))
  for (const { data } of v2) expect(data).not.toHaveProperty('numbers')
  for (const { data } of v1) expect(data.numbers).toEqual([])
  return v1.map(({ name, data }) => `${name} ${data.availability_status} ${data.substatus}`)
}

const officeHours = {
  hours: {
    mon: [
      ['09:00', '12:30'],
      ['13:30', '18:00'],
    ],
    tue: [['09:00', '18:00']],
  },
}

onAnyDatabase('availability', (open) => {
  test('closing and opening again publishes one event each', async () => {
    const world = await open()
    const { id } = await invite(world.a)
    const set = (body: object) => world.a.api('PUT', `/v2/users/${id}`, body)

    await set({ availability_status: 'available' })
    await set({ availability_status: 'unavailable' })
    await set({ availability_status: 'unavailable', first_name: 'Augusta' })
    await set({ availability_status: 'custom' })
    await set({ availability_status: 'available' })

    expect(await eventsOf(world, id)).toEqual([
      'user.closed unavailable always_closed',
      'user.opened custom always_open',
    ])
  })

  test('with a substatus, user.closed is published before the substatus', async () => {
    const world = await open()
    const { id } = await invite(world.a)
    const set = async (body: object) => (await world.a.api('PUT', `/v1/users/${id}`, body)).json.user

    const lunch = await set({ availability_status: 'unavailable', substatus: 'out_for_lunch' })
    const training = await set({ substatus: 'in_training' })
    const silent = await set({ availability_status: 'unavailable' })
    const back = await set({ availability_status: 'available', substatus: 'other' })
    const ignored = await set({ substatus: 'on_a_break' })

    expect([lunch, training, silent, back, ignored].map(({ substatus }) => substatus)).toEqual([
      'out_for_lunch',
      'in_training',
      'always_closed',
      'always_open',
      'always_open',
    ])
    expect(lunch.state).toBe('out_for_lunch')
    expect(await eventsOf(world, id)).toEqual([
      'user.closed unavailable always_closed',
      'user.closed unavailable out_for_lunch',
      'user.closed unavailable in_training',
      'user.closed unavailable always_closed',
      'user.opened available always_open',
    ])
  })

  test('every reason of the list can be given, and a reason does not outlive the absence', async () => {
    const { a } = await open()
    const { id } = await invite(a)
    const set = async (body: object) => (await a.api('PUT', `/v2/users/${id}`, body)).json.user.substatus

    for (const reason of ['out_for_lunch', 'on_a_break', 'in_training', 'doing_back_office', 'other']) {
      expect(await set({ availability_status: 'unavailable', substatus: reason })).toBe(reason)
      expect(await set({ last_name: 'Still away' })).toBe(reason)
      expect(await set({ availability_status: 'custom' })).toBe('always_open')
      expect(await set({ availability_status: 'unavailable' })).toBe('always_closed')
    }
  })

  test('without a connected phone every user is offline, regardless of their setting', async () => {
    const { a } = await open()
    const ids = [a.ownerId]
    for (const status of ['available', 'custom', 'unavailable']) {
      ids.push((await invite(a, { email: `${status}@example.test`, availability_status: status })).id)
    }

    const listed = (await a.api('GET', '/v1/users/availabilities')).json

    expect(listed.users).toEqual(ids.map((id) => ({ id, availability: 'offline' })))
    expect(listed.meta).toMatchObject({ count: 4, total: 4 })
    expect((await a.api('GET', `/v1/users/${ids[1]}/availability`)).json).toEqual({ availability: 'offline' })
    expect((await a.api('GET', '/v2/users')).json.users.map((user: { available: boolean }) => user.available)).toEqual([
      false,
      false,
      false,
      false,
    ])
    for (const verb of ['PUT', 'POST', 'DELETE']) {
      expect((await a.api(verb, `/v1/users/${ids[1]}/availability`, { availability: 'available' })).status).toBe(405)
    }
  })
})

onAnyDatabase('working hours', (open) => {
  test('a user on working hours closes and opens by the clock', async () => {
    const world = await open()
    const { a, clock } = world
    const { id } = await invite(a, { availability_status: 'custom' })
    const saved = await a.own('PUT', `/v1/users/${id}/working_hours`, { ...officeHours, closed_dates: ['2026-06-16'] })

    await clock.advance(30 * minute - 1)
    const before = await eventsOf(world, id)
    await clock.advance(1)
    const lunch = await eventsOf(world, id)
    await clock.advance(6 * day)

    expect(saved.json).toEqual({ ...officeHours, closed_dates: ['2026-06-16'] })
    expect((await a.own('GET', `/v1/users/${id}/working_hours`)).json).toEqual(saved.json)
    expect(before).toEqual([])
    expect(lunch).toEqual(['user.closed custom always_open'])
    expect(await eventsOf(world, id)).toEqual([
      'user.closed custom always_open',
      'user.opened custom always_open',
      'user.closed custom always_open',
    ])
    await clock.advance(22 * hour)
    expect(await eventsOf(world, id)).toHaveLength(4)
  })

  test('a change of working hours during a restart is published afterwards, and the next ones on time', async () => {
    const world = await open()
    const { id } = await invite(world.a, { availability_status: 'custom' })
    await world.a.own('PUT', `/v1/users/${id}/working_hours`, officeHours)
    await world.app.settle()

    await world.app.stop()
    await world.clock.advance(40 * minute)
    const later = await world.restart()
    const afterRestart = await eventsOf(later, id)
    await later.clock.advance(50 * minute)

    expect(afterRestart).toEqual(['user.closed custom always_open'])
    expect(await eventsOf(later, id)).toEqual(['user.closed custom always_open', 'user.opened custom always_open'])
  })

  test('hours that were never set are shown as open day and night, and saving them unchanged changes nothing', async () => {
    const world = await open()
    const { a, clock, db } = world
    const { id } = await invite(a, { availability_status: 'custom' })
    const path = `/v1/users/${id}/working_hours`

    const shown = (await a.own('GET', path)).json
    const saved = await a.own('PUT', path, shown)
    await clock.advance(3 * day)
    const published = await eventsOf(world, id)
    const rows = await db.selectFrom('user').select('working_hours').where('id', '=', id).execute()
    const empty = await a.own('PUT', path, { hours: {} })
    const again = await a.own('PUT', path, (await a.own('GET', path)).json)

    expect(shown.hours.sun).toEqual([['00:00', '24:00']])
    expect([saved.status, saved.json, published, rows]).toEqual([200, shown, [], [{ working_hours: null }]])
    expect([empty.json.hours, again.json.hours]).toEqual([{}, {}])
    expect(await eventsOf(world, id)).toEqual(['user.closed custom always_open'])
  })

  test('new hours count at once, and only for a user who goes by them', async () => {
    const world = await open()
    const { a, clock } = world
    const { id } = await invite(a)
    const hours = (mon: string[][]) => a.own('PUT', `/v1/users/${id}/working_hours`, { hours: { mon } })

    await hours([['08:00', '09:00']])
    await a.api('PUT', `/v2/users/${id}`, { availability_status: 'custom' })
    await hours([['08:00', '20:00']])
    await a.api('PUT', `/v2/users/${id}`, { availability_status: 'available' })
    await clock.advance(2 * day)

    expect(await eventsOf(world, id)).toEqual(['user.closed custom always_open', 'user.opened custom always_open'])
    expect(await world.db.selectFrom('job').select('id').where('kind', '=', 'user.hours').execute()).toEqual([])
  })
})

test('hours that no clock shows are refused, and strangers cannot be given any', async () => {
  const { a, b } = await testApp()
  const path = `/v1/users/${a.ownerId}/working_hours`

  expect((await a.own('PUT', path, {})).status).toBe(422)
  for (const body of [
    { hours: 'always' },
    { hours: { monday: [] } },
    { hours: { mon: [['18:00', '09:00']] } },
    { hours: { mon: [['9:00', '10:00']] } },
    {
      hours: {
        mon: [
          ['09:00', '12:00'],
          ['11:00', '13:00'],
        ],
      },
    },
    { hours: {}, closed_dates: ['2026-02-30'] },
  ]) {
    expect((await a.own('PUT', path, body)).status, JSON.stringify(body)).toBe(400)
  }
  expect((await b.own('PUT', path, { hours: {} })).status).toBe(404)
  expect((await b.own('GET', path)).status).toBe(404)
  expect((await a.api('GET', path)).status).toBe(404)
  expect((await a.own('GET', path)).json).toEqual({ hours: alwaysOpen, closed_dates: [] })
})
