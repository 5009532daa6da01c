import { expect, test } from 'vitest'
import { onAnyDatabase, testApp } from '../../../../test/kit/app.ts'

const ada = { email: 'Ada@example.test', first_name: 'Ada', last_name: 'Lovelace' }

onAnyDatabase('inviting users', (open) => {
  test('a new user is announced in both versions, whichever was called', async () => {
    const { a, b, events, base } = await open()

    const v1 = await a.api('POST', '/v1/users', ada)
    const v2 = await a.api('POST', '/v2/users', { ...ada, email: 'bea@example.test' })

    expect([v1.status, v2.status]).toEqual([201, 201])
    expect(v1.json.user).toMatchObject({ email: 'Ada@example.test', numbers: [], available: false, extension: '002' })
    expect(v2.json.user).not.toHaveProperty('numbers')
    const published = (await events(a)).slice(2)
    expect(published).toEqual([
      { name: 'user.created', data: v1.json.user },
      { name: 'user.created.v2', data: asV2(v1.json.user, base) },
      { name: 'user.created', data: { ...v2.json.user, direct_link: v1Link(v2.json.user, base), numbers: [] } },
      { name: 'user.created.v2', data: v2.json.user },
    ])
    expect((await events(b)).map(({ name }) => name)).toEqual(['user.created', 'user.created.v2'])
  })

  test('availability, roles and wrap-up time can be given; wrap-up time is for agents', async () => {
    const { a, db } = await open()
    const invite = async (name: string, more: object) =>
      (await a.api('POST', '/v2/users', { ...ada, email: `${name}@example.test`, ...more })).json.user
    const roles = async (id: number) =>
      (await db.selectFrom('user_role').select('role').where('user_id', '=', id).orderBy('role').execute()).map(
        ({ role }) => role,
      )

    const plain = await invite('plain', {})
    const away = await invite('away', { availability_status: 'unavailable', wrap_up_time: 15 })
    const boss = await invite('boss', { role_ids: ['owner', 'admin', 'supervisor', 'owner'], wrap_up_time: 15 })
    const both = await invite('both', { role_ids: ['admin', 'agent'], wrap_up_time: 15, availability_status: 'custom' })

    expect(plain).toMatchObject({ availability_status: 'available', wrap_up_time: 0 })
    expect(away).toMatchObject({ availability_status: 'unavailable', substatus: 'always_closed', wrap_up_time: 15 })
    expect(boss).toMatchObject({ wrap_up_time: 0 })
    expect(both).toMatchObject({ availability_status: 'custom', substatus: 'always_open', wrap_up_time: 15 })
    expect(await roles(plain.id)).toEqual(['agent'])
    expect(await roles(boss.id)).toEqual(['admin', 'owner', 'supervisor'])
  })

  test('what is missing, malformed or taken is unprocessable', async () => {
    const { a, b } = await open()
    await a.api('POST', '/v2/users', ada)
    const wrong = [
      {},
      { ...ada, email: undefined },
      { ...ada, email: ' ' },
      { ...ada, email: null },
      { ...ada, email: 'ada' },
      { ...ada, email: 'ada@localhost' },
      { ...ada, email: 'ada@ex ample.test' },
      { ...ada, email: 'a@example.test, b@example.test' },
      { ...ada, email: 'ada@example.test' },
      { ...ada, email: 'new@example.test', first_name: undefined },
      { ...ada, email: 'new@example.test', first_name: '  ' },
      { ...ada, email: 'new@example.test', last_name: null },
      { ...ada, email: 'new@example.test', last_name: '', wrap_up_time: 'both missing and invalid' },
    ]

    for (const path of ['/v1/users', '/v2/users']) {
      for (const body of wrong) expect((await a.api('POST', path, body)).status, JSON.stringify(body)).toBe(422)
    }
    expect((await b.api('POST', '/v2/users', ada)).status).toBe(201)
    expect((await a.api('GET', '/v2/users')).json.meta.total).toBe(2)
  })

  test('V1 wants an inviter who is an admin of the company, V2 does not mind', async () => {
    const { a, b } = await open()
    const agent = (await a.api('POST', '/v2/users', ada)).json.user
    let n = 0
    const invite = async (version: string, inviter: unknown) => {
      n += 1
      const body = { ...ada, email: `n${n}@example.test`, inviter_user_id: inviter }
      return (await a.api('POST', `/${version}/users`, body)).status
    }

    for (const nobody of [agent.id, b.ownerId, 99_999_999, 'ada@example.test', -1, null, [a.ownerId]]) {
      expect(await invite('v1', nobody), String(nobody)).toBe(400)
      expect(await invite('v2', nobody), String(nobody)).toBe(201)
    }
    for (const admin of [a.ownerId, String(a.ownerId)]) {
      expect(await invite('v1', admin)).toBe(201)
      expect(await invite('v2', admin)).toBe(201)
    }
  })

  test('extra fields in a request grant no role beyond the invitation', async () => {
    const { a, b, db, clock } = await open()
    const greedy = {
      id: 7_777,
      company_id: b.id,
      companyId: b.id,
      created_at: '2001-01-01T00:00:00.000Z',
      direct_link: 'https://elsewhere.test',
      email_confirmed: true,
      confirmed_at: clock.now(),
      password_hash: 'x',
      available: true,
      extension: '999',
      state: 'in_call',
      isAdmin: true,
      role: 'owner',
      default_number_id: 1,
      substatus: 'other',
    }
    const body = `{"__proto__":{"role_ids":["owner"]},"constructor":{},${JSON.stringify({ ...ada, ...greedy }).slice(1)}`

    const made = (await a.api('POST', '/v2/users', body)).json.user
    const plain = (await a.api('POST', '/v2/users', { ...ada, email: 'bea@example.test' })).json.user
    const changed = (await a.api('PUT', `/v2/users/${made.id}`, body)).json.user

    const { id, direct_link, email, extension, ...rest } = made
    expect(plain).toMatchObject(rest)
    expect(extension).toBe('002')
    expect(changed).toEqual(made)
    const row = await db.selectFrom('user').selectAll().where('id', '=', made.id).executeTakeFirst()
    expect(row).toMatchObject({ company_id: a.id, confirmed_at: null, default_number_id: null })
    const roles = await db.selectFrom('user_role').select('role').where('user_id', '=', made.id).execute()
    expect(roles).toEqual([{ role: 'agent' }])
  })

  test('names come back as they were written; NUL and half characters are refused', async () => {
    const { a } = await open()
    const names = [
      'Zoë 🎧',
      '\u202eecila',
      `z${'\u0301'.repeat(200)}`,
      '<b>Bob</b>',
      "'; drop table user; --",
      '👩‍👩‍👧‍👦'.repeat(36),
    ]

    for (const [index, name] of names.entries()) {
      const body = { email: `n${index}@example.test`, first_name: name, last_name: 'X' }
      const { user } = (await a.api('POST', '/v2/users', body)).json
      expect(user.name).toBe(`${name} X`)
      expect((await a.api('GET', `/v2/users/${user.id}`)).json.user.name).toBe(`${name} X`)
    }
    for (const bad of ['"nul\\u0000"', '"half \\ud83d"']) {
      const body = `{"email":"x@example.test","first_name":${bad},"last_name":"X"}`
      expect((await a.api('POST', '/v2/users', body)).status).toBe(400)
    }
  })
})

interface Linked {
  id: number
  numbers?: unknown
}

const v1Link = (user: Linked, base: string) => `${base}/v1/users/${user.id}`

function asV2({ numbers: _numbers, ...user }: Linked, base: string) {
  return { ...user, direct_link: `${base}/v2/users/${user.id}` }
}

test('a value of a wrong type or outside its list is a bad request', async () => {
  const { a } = await testApp()
  const wrong = [
    { availability_status: 'busy' },
    { availability_status: null },
    { role_ids: 'agent' },
    { role_ids: [] },
    { role_ids: ['agent', 'king'] },
    { role_ids: [7] },
    { wrap_up_time: -1 },
    { wrap_up_time: 1.5 },
    { wrap_up_time: '10' },
    { first_name: 7 },
    { last_name: ['Lovelace'] },
    { first_name: 'x'.repeat(256) },
  ]

  for (const path of ['/v1/users', '/v2/users']) {
    for (const body of wrong) {
      expect((await a.api('POST', path, { ...ada, ...body })).status, JSON.stringify(body)).toBe(400)
    }
  }
  expect((await a.api('GET', '/v2/users')).json.meta.total).toBe(1)
})
