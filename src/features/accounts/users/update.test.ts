import { expect, test } from 'vitest'
import { onAnyDatabase, type TestCompany, testApp } from '../../../../test/kit/app.ts'

const invite = async ({ api }: TestCompany, name: string, more: object = {}) =>
  (await api('POST', '/v2/users', { email: `${name}@example.test`, first_name: name, last_name: 'Test', ...more })).json
    .user

onAnyDatabase('changing users', (open) => {
  test('a name is changed in part or whole, by id or address, and nothing else moves', async () => {
    const { a, base, events } = await open()
    const before = await invite(a, 'ada')

    const first = await a.api('PUT', `/v2/users/${before.id}`, { first_name: 'Augusta' })
    const last = await a.api('PUT', `/v1/users/${encodeURIComponent('ADA@example.test')}`, { last_name: 'King' })
    const nothing = await a.api('PUT', `/v2/users/${before.id}`, {})

    expect([first.status, last.status, nothing.status]).toEqual([200, 200, 200])
    expect(first.json.user).toEqual({ ...before, name: 'Augusta Test' })
    expect(nothing.json.user).toEqual({ ...before, name: 'Augusta King' })
    const link = `${base}/v1/users/${before.id}`
    expect(last.json.user).toEqual({ ...nothing.json.user, direct_link: link, numbers: [] })
    expect((await events(a)).filter(({ data }) => data.id === before.id)).toHaveLength(2)
  })

  test('wrap-up time is for agents: for others it is ignored', async () => {
    const { a } = await open()
    const { id } = await invite(a, 'ada')
    const change = async (body: object) => (await a.api('PUT', `/v2/users/${id}`, body)).json.user.wrap_up_time

    expect(await change({ wrap_up_time: 30 })).toBe(30)
    expect(await change({ wrap_up_time: 0 })).toBe(0)
    expect(await change({ role_ids: ['admin'], wrap_up_time: 40 })).toBe(0)
    expect(await change({ wrap_up_time: 50 })).toBe(0)
    expect(await change({ role_ids: ['admin', 'agent'], wrap_up_time: 60 })).toBe(60)
  })

  test('any mix of the four roles can be given, and isAdmin means nothing', async () => {
    const { a, db } = await open()
    const { id } = await invite(a, 'ada')
    const roles = async () =>
      (await db.selectFrom('user_role').select('role').where('user_id', '=', id).orderBy('role').execute()).map(
        ({ role }) => role,
      )

    for (const mix of [['owner'], ['supervisor'], ['admin', 'agent'], ['admin', 'agent', 'owner', 'supervisor']]) {
      expect((await a.api('PUT', `/v1/users/${id}`, { role_ids: mix })).status).toBe(200)
      expect(await roles()).toEqual(mix)
    }
    await a.api('PUT', `/v2/users/${id}`, { role_ids: ['agent', 'agent'], isAdmin: true })
    expect(await roles()).toEqual(['agent'])
  })

  test('the last owner stays owner and stays; with a second one the first may go', async () => {
    const { a } = await open()
    const owner = `/v1/users/${a.ownerId}`

    const demoted = await a.api('PUT', owner, { role_ids: ['admin', 'agent'], first_name: 'Changed' })
    const deleted = await a.api('DELETE', owner)
    const widened = await a.api('PUT', owner, { role_ids: ['agent', 'owner'] })
    const second = await invite(a, 'second', { role_ids: ['owner'] })
    const stepsBack = await a.api('PUT', owner, { role_ids: ['agent'] })
    const alone = await a.api('PUT', `/v2/users/${second.id}`, { role_ids: ['admin'] })
    const leaves = await a.api('DELETE', owner)

    expect([demoted.status, deleted.status, widened.status]).toEqual([422, 422, 200])
    expect(widened.json.user.name).toBe('Company A')
    expect([stepsBack.status, alone.status, leaves.status]).toEqual([200, 422, 204])
    expect((await a.api('DELETE', `/v1/users/${second.id}`)).status).toBe(422)
  })

  test('an owner who was deleted does not count as an owner', async () => {
    const { a } = await open()
    const second = await invite(a, 'second', { role_ids: ['owner'] })

    expect((await a.api('DELETE', `/v1/users/${second.id}`)).status).toBe(204)
    expect((await a.api('PUT', `/v1/users/${a.ownerId}`, { role_ids: ['agent'] })).status).toBe(422)
  })
})

test('a blank name is unprocessable, any other wrong value a bad request, and neither changes anything', async () => {
  const { a } = await testApp()
  const before = await invite(a, 'ada')
  const wrong: [status: number, body: object][] = [
    [422, { first_name: '' }],
    [422, { last_name: ' \t' }],
    [400, { first_name: 7 }],
    [400, { last_name: ['Test'] }],
    [400, { first_name: 'x'.repeat(256) }],
    [400, { availability_status: 'busy' }],
    [400, { availability_status: '' }],
    [400, { availability_status: null }],
    [400, { availability_status: 'unavailable', substatus: 'always_closed' }],
    [400, { availability_status: 'unavailable', substatus: 'asleep' }],
    [400, { availability_status: 'unavailable', substatus: null }],
    [400, { role_ids: [] }],
    [400, { role_ids: ['king'] }],
    [400, { role_ids: 'agent' }],
    [400, { wrap_up_time: -1 }],
    [400, { wrap_up_time: 2.5 }],
    [400, { wrap_up_time: '5' }],
    [400, { wrap_up_time: null }],
  ]

  for (const version of ['v1', 'v2']) {
    for (const [status, body] of wrong) {
      const answer = await a.api('PUT', `/${version}/users/${before.id}`, { last_name: 'Changed', ...body })
      expect([answer.status, answer.json.success], JSON.stringify(body)).toEqual([status, false])
    }
  }
  expect((await a.api('GET', `/v2/users/${before.id}`)).json.user).toEqual(before)
})

onAnyDatabase('a user read and sent back', (open) => {
  test('changes nothing and publishes nothing', async () => {
    const { a, events } = await open()
    const { user } = (await a.api('GET', `/v2/users/${a.ownerId}`)).json
    const before = await events(a)

    const answer = await a.api('PUT', `/v2/users/${a.ownerId}`, user)

    expect(answer.status).toBe(200)
    expect(answer.json.user).toEqual(user)
    expect(await events(a)).toEqual(before)
  })
})
