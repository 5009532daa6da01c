import { expect, test } from 'vitest'
import { onAnyDatabase, type TestApp } from '../../../../test/kit/app.ts'
import { transaction } from '../../../db/database.ts'
import { updateUser } from '../../accounts/users/store.ts'
import { markCalled } from './store.ts'

const first = '+33123456789'
const second = '+33123456780'
const third = '+33123456781'

/** The owner's campaign of company A, as the API shows it. */
function dialerOf({ a, db }: TestApp, user: number | string = a.ownerId) {
  const path = `/v1/users/${user}/dialer_campaign`
  return {
    get: () => a.api('GET', path),
    start: (phone_numbers?: unknown) => a.api('POST', path, { phone_numbers }),
    add: (phone_numbers?: unknown) => a.api('POST', `${path}/phone_numbers`, { phone_numbers }),
    list: () => a.api('GET', `${path}/phone_numbers`),
    remove: () => a.api('DELETE', path),
    removeNumber: (id: number | string) => a.api('DELETE', `${path}/phone_numbers/${id}`),
    async numbers(): Promise<{ id: number; number: string; called: boolean; created_at: string }[]> {
      return (await a.api('GET', `${path}/phone_numbers`)).json.numbers
    },
    call: (number: string) => transaction(db, (tx) => markCalled(tx, a.id, a.ownerId, number)),
  }
}

async function colleague({ a }: TestApp, name: string): Promise<number> {
  const person = { email: `${name}@example.test`, first_name: name, last_name: 'Test' }
  return (await a.api('POST', '/v2/users', person)).json.user.id
}

onAnyDatabase('dialer campaigns', (open) => {
  test('the first numbers start a campaign, further ones join it', async () => {
    const world = await open()
    const dialer = dialerOf(world)
    expect((await dialer.get()).status).toBe(404)

    const started = await dialer.start([first])
    const campaign = (await dialer.get()).json
    await world.clock.advance(60_400)
    const joined = await dialer.start([second])
    const added = await dialer.add([third])

    expect([started, joined, added].map(({ status, text }) => [status, text])).toEqual(Array(3).fill([204, '']))
    expect(campaign).toEqual({
      id: expect.any(Number),
      number_id: null,
      created_at: '2026-06-15T12:00:00.000Z',
    })
    expect((await dialer.get()).json).toEqual(campaign)
    expect((await dialer.list()).json).toEqual({
      numbers: [
        { id: expect.any(Number), number: first, called: false, created_at: '2026-06-15T12:00:00.000Z' },
        { id: expect.any(Number), number: second, called: false, created_at: '2026-06-15T12:01:00.000Z' },
        { id: expect.any(Number), number: third, called: false, created_at: '2026-06-15T12:01:00.000Z' },
      ],
    })
  })

  test('a campaign keeps the default Number its user had when it began', async () => {
    const world = await open()
    const { a, db } = world
    const dialer = dialerOf(world)
    const { number } = (await a.own('POST', '/v1/numbers', { digits: '+33180000001', name: 'Line' })).json
    await updateUser(db, a.id, a.ownerId, { default_number_id: number.id })

    await dialer.start([first])
    await updateUser(db, a.id, a.ownerId, { default_number_id: null })

    expect((await dialer.get()).json.number_id).toBe(String(number.id))
  })

  test('a user is identified by ID or e-mail address and sees only their own campaign', async () => {
    const world = await open()
    const id = await colleague(world, 'ada')
    await dialerOf(world).start([second])

    expect((await dialerOf(world, encodeURIComponent('ADA@example.test')).start([first])).status).toBe(204)

    expect(await dialerOf(world, id).numbers()).toMatchObject([{ number: first }])
    expect(await dialerOf(world).numbers()).toMatchObject([{ number: second }])
    expect((await dialerOf(world, 999_999).start([first])).status).toBe(404)
    expect((await dialerOf(world, 'ada').get()).status).toBe(404)
  })

  test('numbers are written in many ways, dropped when they are none, and queued once', async () => {
    const world = await open()
    const dialer = dialerOf(world)
    const invalid = [
      '0123456789',
      '33123456789',
      '+0123456789',
      '+123456',
      '+1234567890123456',
      '+33/123456',
      '',
      7,
      null,
    ]

    const same = ['+33 (1) 23.45-67-89', '+33123456789', ' +331 23456789 ']
    expect((await dialer.start([...invalid, ...same, [first], { number: first }, second])).status).toBe(204)

    expect((await dialer.numbers()).map(({ number }) => number)).toEqual([first, second])
  })

  test('what holds no number that can be added changes nothing', async () => {
    const world = await open()
    const dialer = dialerOf(world)
    const full = Array.from({ length: 2_001 }, (_, i) => `+3318${String(i).padStart(7, '0')}`)

    for (const missing of [undefined, null, [], '', '  ']) expect((await dialer.start(missing)).status).toBe(422)
    for (const invalid of [first, 7, true, { 0: first }]) expect((await dialer.start(invalid)).status).toBe(400)
    const none = await dialer.start(['nobody', '112'])
    expect([none.status, Object.keys(none.json)]).toEqual([422, ['error', 'troubleshoot', 'success']])
    expect((await dialer.start(full)).status).toBe(422)
    expect((await dialer.start(Array(10_001).fill(first))).status).toBe(422)
    expect((await dialer.get()).status).toBe(404)

    expect((await dialer.start(full.slice(1))).status).toBe(204)
    expect(await dialer.numbers()).toHaveLength(2_000)
  })

  test('a number that waits to be called is refused by name, beside others it is passed over', async () => {
    const world = await open()
    const dialer = dialerOf(world)
    await dialer.start([first, second])

    for (const again of [dialer.start, dialer.add]) {
      const refused = await again(['+33 123 456 789', 'nobody', second, first])
      expect(refused.status).toBe(422)
      expect(refused.json).toEqual({
        error: 'Unprocessable Entity',
        troubleshoot: expect.any(String),
        success: false,
        errors: {
          dialer_campaign: [
            '+33123456789 already imported, but not called',
            '+33123456780 already imported, but not called',
          ],
        },
      })
    }
    expect((await dialer.add([first, third])).status).toBe(204)

    expect((await dialer.numbers()).map(({ number }) => number)).toEqual([first, second, third])
  })

  test('without a campaign there is nothing to list, add to or delete, whatever is sent', async () => {
    const world = await open()
    const dialer = dialerOf(world)

    const answers = [
      await dialer.list(),
      await dialer.add([first]),
      await dialer.add('nonsense'),
      await dialer.remove(),
      await dialer.removeNumber(1),
    ]

    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(404))
  })

  test('a deleted campaign takes its numbers along, and the next one is new', async () => {
    const world = await open()
    const dialer = dialerOf(world)
    await dialer.start([first])
    const { id } = (await dialer.get()).json

    const answers = [await dialer.remove(), await dialer.get(), await dialer.list(), await dialer.remove()]
    await dialer.start([first, second])

    expect(answers.map(({ status }) => status)).toEqual([204, 404, 404, 404])
    expect((await dialer.get()).json.id).not.toBe(id)
    expect(await dialer.numbers()).toHaveLength(2)
    expect(await world.db.selectFrom('dialer_number').select('id').execute()).toHaveLength(2)
  })

  test('a number is deleted from its own campaign only', async () => {
    const world = await open()
    const dialer = dialerOf(world)
    const others = dialerOf(world, await colleague(world, 'ada'))
    await dialer.start([first, second])
    await others.start([first])
    const [mine, theirs] = [(await dialer.numbers())[0]?.id ?? 0, (await others.numbers())[0]?.id ?? 0]

    expect((await dialer.removeNumber(theirs)).status).toBe(404)
    expect((await dialer.removeNumber('x')).status).toBe(404)
    expect((await dialer.removeNumber(mine)).status).toBe(204)
    expect((await dialer.removeNumber(mine)).status).toBe(404)

    expect(await dialer.numbers()).toMatchObject([{ number: second }])
    expect(await others.numbers()).toHaveLength(1)
    await dialer.removeNumber((await dialer.numbers())[0]?.id ?? 0)
    expect((await dialer.list()).json).toEqual({ numbers: [] })
    expect((await dialer.add([first])).status).toBe(204)
  })

  test('a called number is marked and may be queued again', async () => {
    const world = await open()
    const dialer = dialerOf(world)
    await dialer.start([first, second])

    expect(await dialer.call(first)).toBe(true)
    expect(await dialer.call(first)).toBe(false)
    expect(await dialer.call(third)).toBe(false)
    expect((await dialer.add([first])).status).toBe(204)

    expect((await dialer.numbers()).map(({ number, called }) => [number, called])).toEqual([
      [first, true],
      [second, false],
      [first, false],
    ])
  })

  test('a campaign is finished when every number in it was called, and stays readable until the next one', async () => {
    const world = await open()
    const dialer = dialerOf(world)
    await dialer.start([first, second])
    const { id } = (await dialer.get()).json

    await dialer.call(first)
    expect((await dialer.get()).status).toBe(200)
    await dialer.call(second)

    expect((await dialer.get()).json.id).toBe(id)
    expect((await dialer.numbers()).map(({ number, called }) => [number, called])).toEqual([
      [first, true],
      [second, true],
    ])
    expect((await dialer.add([third])).status).toBe(404)
    expect(await dialer.call(first)).toBe(false)
    expect((await dialer.start([first])).status).toBe(204)
    expect((await dialer.get()).json.id).not.toBe(id)
    expect(await dialer.numbers()).toMatchObject([{ number: first, called: false }])
    expect(await world.db.selectFrom('dialer_campaign').select('id').execute()).toHaveLength(1)
  })

  test('a finished campaign can be deleted, once', async () => {
    const world = await open()
    const dialer = dialerOf(world)
    await dialer.start([first])
    await dialer.call(first)

    const answers = [await dialer.remove(), await dialer.remove(), await dialer.get(), await dialer.list()]

    expect(answers.map(({ status }) => status)).toEqual([204, 404, 404, 404])
  })

  test('deleting the only number that was still waiting ends the campaign as well', async () => {
    const world = await open()
    const dialer = dialerOf(world)
    await dialer.start([first, second])
    await dialer.call(first)

    expect((await dialer.removeNumber((await dialer.numbers())[1]?.id ?? 0)).status).toBe(204)

    expect((await dialer.add([third])).status).toBe(404)
    expect(await dialer.numbers()).toMatchObject([{ number: first, called: true }])
  })

  test('ten requests at once make one campaign with each number once', async () => {
    const world = await open()
    const dialer = dialerOf(world)

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => dialer.start([first, `+3318000000${i % 5}`])),
    )

    const numbers = (await dialer.numbers()).map(({ number }) => number)
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(5)
    expect(numbers.sort()).toEqual([first, ...Array.from({ length: 5 }, (_, i) => `+3318000000${i}`)])
    expect(await world.db.selectFrom('dialer_campaign').select('id').execute()).toHaveLength(1)
  })

  test('a number added while the last one is called is never lost', async () => {
    const world = await open()
    const dialer = dialerOf(world)

    for (let round = 0; round < 10; round++) {
      await dialer.start([first])
      const [, added] = await Promise.all([dialer.call(first), dialer.add([second])])

      const queued = added.status === 204 ? (await dialer.numbers()).filter(({ called }) => !called) : []
      expect([404, 204]).toContain(added.status)
      expect(queued.map(({ number }) => number)).toEqual(added.status === 204 ? [second] : [])
      await dialer.remove()
    }
  })

  test('a deleted user leaves no campaign behind', async () => {
    const world = await open()
    const id = await colleague(world, 'ada')
    await dialerOf(world, id).start([first])
    await dialerOf(world).start([second])

    await world.a.api('DELETE', `/v1/users/${id}`)
    await world.settle()

    expect((await dialerOf(world, id).get()).status).toBe(404)
    const left = await world.db.selectFrom('dialer_number').select('number').execute()
    expect(left).toEqual([{ number: second }])
    expect(await world.db.selectFrom('dialer_campaign').select('user_id').execute()).toEqual([
      { user_id: world.a.ownerId },
    ])
  })
})
