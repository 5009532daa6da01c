import { expect, test } from 'vitest'
import { monday, onAnyDatabase, type TestApp, testApp } from '../../../../test/kit/app.ts'

/** The owner and five more people of company A, a second apart, the last two in the same moment; their ids. */
async function six({ a, clock }: TestApp): Promise<number[]> {
  const ids = [a.ownerId]
  for (const name of ['ada', 'bea', 'cem', 'dan', 'eva']) {
    if (name !== 'eva') await clock.advance(1_000)
    const person = { email: `${name}@example.test`, first_name: name, last_name: 'Test' }
    ids.push((await a.api('POST', '/v2/users', person)).json.user.id)
  }
  return ids
}

const at = (seconds: number) => monday / 1_000 + seconds
const idsIn = (answer: { json: { users: { id: number }[] } }) => answer.json.users.map(({ id }) => id)

onAnyDatabase('lists of users', (open) => {
  test('users come oldest first, or newest first when asked, and only those of the company', async () => {
    const world = await open()
    const ids = await six(world)

    for (const path of ['/v1/users', '/v2/users', '/v1/users/availabilities']) {
      const all = await world.a.api('GET', path)

      expect(idsIn(all), path).toEqual(ids)
      expect(idsIn(await world.a.api('GET', `${path}?order=desc`)), path).toEqual(ids.toReversed())
      expect(idsIn(await world.b.api('GET', path)), path).toEqual([world.b.ownerId])
      expect(all.json.meta).toEqual({
        count: 6,
        total: 6,
        current_page: 1,
        per_page: 20,
        next_page_link: null,
        previous_page_link: null,
      })
    }
  })

  test('pages follow each other by their links and hold every user once', async () => {
    const world = await open()
    const ids = await six(world)

    const first = await world.a.api('GET', '/v2/users?per_page=4&order=desc&from=0&colour=red')
    const { next_page_link: next, previous_page_link: none } = first.json.meta
    const second = await world.a.api('GET', next)
    const beyond = await world.a.api('GET', '/v2/users?page=9&per_page=4')

    expect([...idsIn(first), ...idsIn(second)]).toEqual(ids.toReversed())
    expect(none).toBeNull()
    expect(next).toBe(`${world.base}/v2/users?order=desc&from=0&colour=red&page=2&per_page=4`)
    expect(second.json.meta).toMatchObject({ count: 2, total: 6, current_page: 2, per_page: 4, next_page_link: null })
    expect(idsIn(await world.a.api('GET', second.json.meta.previous_page_link))).toEqual(idsIn(first))
    expect(beyond.json).toMatchObject({ users: [], meta: { count: 0, total: 6, next_page_link: null } })
  })

  test('from and to are the first and the last second of creation, fractions dropped', async () => {
    const world = await open()
    const [owner, ada, bea, cem] = await six(world)
    const between = async (query: string) => idsIn(await world.a.api('GET', `/v1/users?${query}`))

    expect(await between(`from=${at(1)}&to=${at(2)}`)).toEqual([ada, bea])
    expect(await between(`from=${at(1)}.9&to=${at(1)}.0`)).toEqual([ada])
    expect(await between(`to=${at(0)}`)).toEqual([owner])
    expect(await between(`from=${at(3)}&to=${at(3)}`)).toEqual([cem])
    expect(await between(`from=${at(99)}`)).toEqual([])
  })
})

onAnyDatabase('one user', (open) => {
  test('a user is found by id and by e-mail address in any case, in both versions', async () => {
    const { a, base } = await open()
    const email = 'ada+sales@example.test'
    const { id } = (await a.api('POST', '/v2/users', { email, first_name: 'Ada', last_name: 'Lovelace' })).json.user
    const expected = {
      id,
      name: 'Ada Lovelace',
      email,
      direct_link: `${base}/v2/users/${id}`,
      language: 'en-US',
      time_zone: 'Etc/UTC',
      created_at: '2026-06-15T12:00:00.000Z',
      state: 'always_open',
      substatus: 'always_open',
      wrap_up_time: 0,
      extension: '002',
      availability_status: 'available',
      available: false,
      default_number_id: null,
    }

    for (const ref of [id, encodeURIComponent(email), encodeURIComponent('ADA+Sales@Example.TEST')]) {
      expect((await a.api('GET', `/v2/users/${ref}`)).json).toEqual({ user: expected })
      expect((await a.api('GET', `/v1/users/${ref}`)).json).toEqual({
        user: { ...expected, direct_link: `${base}/v1/users/${id}`, numbers: [] },
      })
      expect((await a.api('GET', `/v1/users/${ref}/availability`)).json).toEqual({ availability: 'offline' })
    }
  })

  test('a user of another company is not found, by ID and by e-mail address, for every method', async () => {
    const { a, b, events } = await open()
    const address = encodeURIComponent('company-a@example.test')

    for (const ref of [a.ownerId, address, 99_999_999, 'nobody%40example.test']) {
      const answers = [
        await b.api('GET', `/v1/users/${ref}`),
        await b.api('GET', `/v2/users/${ref}`),
        await b.api('GET', `/v1/users/${ref}/availability`),
        await b.api('GET', `/v2/users/${ref}/numbers`),
        await b.api('PUT', `/v1/users/${ref}`, { availability_status: 'unavailable' }),
        await b.api('PUT', `/v2/users/${ref}`, { role_ids: 'not looked at before the id' }),
        await b.api('DELETE', `/v1/users/${ref}`),
      ]
      for (const { status, json } of answers) {
        expect([status, json.troubleshoot]).toEqual([404, 'Check ID of the resource'])
      }
    }
    expect((await a.api('GET', `/v1/users/${a.ownerId}`)).json.user.availability_status).toBe('available')
    expect((await events(a)).map(({ name }) => name)).toEqual(['user.created', 'user.created.v2'])
  })

  test('an invalid ID is not found', async () => {
    const { a } = await open()

    for (const odd of [
      '0',
      '-1',
      '1.5',
      '1e0',
      '01',
      '+1',
      '%201',
      '1%20',
      '0x1',
      'me',
      '9007199254740993',
      '9'.repeat(30),
    ]) {
      expect((await a.api('GET', `/v2/users/${odd}`)).status, odd).toBe(404)
      expect((await a.api('DELETE', `/v1/users/${odd}`)).status, odd).toBe(404)
    }
  })
})

onAnyDatabase('the Numbers of a user', (open) => {
  test('V1 users carry the Numbers they are linked to, V2 users list them on a page of their own', async () => {
    const { a } = await open()
    const made = []
    for (const digits of ['+33180000001', '+33180000002']) {
      const input = { digits, name: digits, time_zone: 'Europe/Paris', flow_editor_enabled: digits.endsWith('1') }
      const { number } = (await a.own('POST', '/v1/numbers', input)).json
      await a.own('PUT', `/v1/numbers/${number.id}/users`, { user_ids: [a.ownerId] })
      made.push(number.id)
    }

    const v1 = (await a.api('GET', `/v1/users/${a.ownerId}`)).json.user
    const listed = (await a.api('GET', '/v1/users')).json.users[0]
    const page = (await a.api('GET', `/v2/users/${a.ownerId}/numbers?order=desc&per_page=1`)).json

    expect(v1.numbers.map(({ id }: { id: number }) => id)).toEqual(made)
    expect(v1.numbers[0]).not.toHaveProperty('users')
    expect(v1.numbers[0]).not.toHaveProperty('e164_digits')
    expect(v1.numbers[0]).not.toHaveProperty('flow_editor_enabled')
    expect(listed).toEqual(v1)
    expect((await a.api('GET', `/v2/users/${a.ownerId}`)).json.user).not.toHaveProperty('numbers')
    expect(page.numbers).toEqual([{ ...v1.numbers[1], flow_editor_enabled: false }])
    expect(page.meta).toMatchObject({ count: 1, total: 2 })
    expect((await a.api('GET', page.meta.next_page_link)).json.numbers[0].id).toBe(made[0])
  })
})

test('a page, an order or a range that makes no sense is a bad request', async () => {
  const { a } = await testApp()

  for (const query of [
    'page=0',
    'page=x',
    'per_page=0',
    'per_page=51',
    'order=up',
    'from=soon',
    'to=',
    `from=${at(2)}&to=${at(1)}`,
  ]) {
    for (const path of ['/v1/users', '/v2/users', '/v1/users/availabilities']) {
      expect((await a.api('GET', `${path}?${query}`)).status, `${path}?${query}`).toBe(400)
    }
  }
})
