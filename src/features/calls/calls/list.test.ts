import { expect, test } from 'vitest'
import { type Client, onBothDatabases, type TestApp, testApp } from '../../../../test/kit/app.ts'
import { addCall, caller, recordOf } from '../../../../test/kit/calls.ts'
import { addNumber, addUser } from '../../../../test/kit/flows.ts'
import { transaction } from '../../../db/database.ts'
import { day, hour, minute } from '../../../lib/clock.ts'
import { insertCall } from './store.ts'

const ids = async (api: Client, query: string) => {
  const { status, json, text } = await api('GET', `/v1/calls${query}`)
  if (status !== 200) throw new Error(text)
  expect(json.meta.count).toBe(json.calls.length)
  return { ids: json.calls.map(({ id }: { id: number }) => id), total: json.meta.total, meta: json.meta }
}
const seconds = (ms: number) => Math.floor(ms / 1_000)

/** Many calls at once, on days of very different size. */
async function addMany(app: TestApp, count: number): Promise<number[]> {
  const { id } = await addNumber(app.a)
  const made: number[] = []
  await transaction(app.db, async (tx) => {
    for (let i = 0; i < count; i++) {
      const startedAt = app.clock.now() - 150 * day + Math.floor((i * i) / count / 60) * 3 * day + i * minute
      const record = recordOf(id, startedAt, { direction: i % 3 === 0 ? 'outbound' : 'inbound' })
      made.push(await insertCall(tx, app.a.id, { uuid: `many-${i}`, record }))
    }
  })
  return made
}

onBothDatabases('lists of calls', (open) => {
  test('calls are listed oldest first by default, page by page, within a time range', async () => {
    const app = await open()
    const { a, b, clock } = app
    const number = await addNumber(a)
    const now = clock.now()
    const made: number[] = []
    for (const ago of [3 * day, 2 * day, day, 0]) {
      made.push((await addCall(app, a, { numberId: number.id, startedAt: now - ago })).id)
    }
    const [first, second, third, fourth] = made
    await addCall(app, b, { numberId: (await addNumber(b)).id })

    expect(await ids(a.api, '')).toMatchObject({ ids: made, total: 4 })
    expect((await ids(a.api, '?order=desc')).ids).toEqual([...made].reverse())
    const page = await ids(a.api, '?per_page=3&page=2&fetch_contact=true')
    expect(page).toMatchObject({ ids: [fourth], total: 4 })
    expect(page.meta.previous_page_link).toBe(`${app.base}/v1/calls?fetch_contact=true&page=1&per_page=3`)
    expect(page.meta.next_page_link).toBeNull()
    const [from, to] = [seconds(now - 2 * day), seconds(now - day)]
    expect(await ids(a.api, `?from=${from}&to=${to}`)).toMatchObject({ ids: [second, third], total: 2 })
    expect(await ids(a.api, `?from=${from}.5`)).toMatchObject({ ids: [second, third, fourth], total: 3 })
    expect(await ids(a.api, `?to=${from}`)).toMatchObject({ ids: [first, second], total: 2 })
    expect(await ids(a.api, `?from=${to + 1}&to=${to + 2}`)).toMatchObject({ ids: [], total: 0 })
    expect(await ids(a.api, '?to=5')).toMatchObject({ ids: [], total: 0 })
    expect(await ids(a.api, '?page=9')).toMatchObject({ ids: [], total: 4 })
    for (const bad of ['from=abc', `from=${to}&to=${from}`, 'order=up', 'per_page=51', 'page=0']) {
      expect((await a.api('GET', `/v1/calls?${bad}`)).status, bad).toBe(400)
    }
  })

  test('a page far behind holds what follows the page before it, and totals are exact', async () => {
    const app = await open()
    const { a } = app
    const made = await addMany(app, 1_100)
    const read = async (query: string, pages: number) => {
      const found: number[] = []
      const totals = new Set<number>()
      for (let page = 1; page <= pages; page++) {
        const answer = await ids(a.api, `${query}&per_page=50&page=${page}`)
        found.push(...answer.ids)
        totals.add(answer.total)
      }
      return { found, totals: [...totals] }
    }

    const oldest = await read('?order=asc', 23)
    const newest = await read('?order=desc', 23)
    const inbound = await read('/search?direction=inbound', 15)
    const cut = await read(`/search?to=${seconds(app.clock.now() - 40 * day)}`, 23)

    expect(oldest).toEqual({ found: made, totals: [1_100] })
    expect(newest).toEqual({ found: [...made].reverse(), totals: [1_100] })
    expect(inbound).toEqual({ found: made.filter((_, i) => i % 3 !== 0), totals: [733] })
    expect(cut.totals).toEqual([cut.found.length])
    expect(cut.found.length).toBeGreaterThan(1_000)
    expect(cut.found).toEqual(made.slice(0, cut.found.length))
  })
})

test('pages end at the 10,000th call', async () => {
  const app = await testApp()
  const { a } = app
  const made = await addMany(app, 10_050)

  const last = await ids(a.api, '?per_page=30&page=334')
  const beyond = await a.api('GET', '/v1/calls?per_page=50&page=201')
  const search = await a.api('GET', '/v1/calls/search?direction=inbound&per_page=50&page=201')

  expect(last).toMatchObject({ ids: made.slice(9_990, 10_000), total: 10_050 })
  expect(last.meta.next_page_link).toBeNull()
  expect([beyond.status, search.status]).toEqual([400, 400])
  expect(beyond.json.troubleshoot).toContain('`from`')
})

onBothDatabases('search of calls', (open) => {
  async function office(app: TestApp) {
    const { a } = app
    const [east, west] = [await addNumber(a), await addNumber(a)]
    const [grace, hugo] = [await addUser(a, 'Grace'), await addUser(a, 'Hugo')]
    const at = app.clock.now() - day
    const call = async (hours: number, input: object) =>
      (await addCall(app, a, { numberId: east.id, startedAt: at + hours * hour, ...input })).id
    return {
      east,
      west,
      grace,
      hugo,
      taken: await call(0, { userId: grace.id }),
      missed: await call(1, {}),
      made: await call(2, { direction: 'outbound', userId: hugo.id, external: '+14155550123' }),
      // Passed from the east to the west: it is on the west now.
      passed: await call(3, { userId: hugo.id, numberId: west.id }),
      hidden: await call(4, { external: 'anonymous' }),
    }
  }

  test('by direction, person and moment; all of what is asked for', async () => {
    const app = await open()
    const { a } = app
    const { grace, hugo, taken, missed, made, passed, hidden } = await office(app)
    const from = seconds(app.clock.now() - day + hour)

    expect(await ids(a.api, '/search')).toMatchObject({ ids: [taken, missed, made, passed, hidden], total: 5 })
    expect(await ids(a.api, '/search?direction=outbound')).toMatchObject({ ids: [made], total: 1 })
    expect(await ids(a.api, `/search?user_id=${hugo.id}`)).toMatchObject({ ids: [made, passed], total: 2 })
    expect((await ids(a.api, `/search?user_id=${hugo.id}&order=desc`)).ids).toEqual([passed, made])
    expect((await ids(a.api, `/search?user_id=${hugo.id}&direction=inbound`)).ids).toEqual([passed])
    expect((await ids(a.api, `/search?user_id=${grace.id}&from=${from}`)).ids).toEqual([])
    expect(await ids(a.api, `/search?user_id=${hugo.id}&per_page=1&page=2`)).toMatchObject({ ids: [passed], total: 2 })
    expect(await ids(a.api, '/search?user_id=999999')).toMatchObject({ ids: [], total: 0 })
    expect((await a.api('GET', '/v1/calls/search?direction=internal')).status).toBe(400)
    expect((await a.api('GET', '/v1/calls/search?user_id=me')).status).toBe(400)
  })

  test('by phone number: the outside party, or the Number the call is on now', async () => {
    const app = await open()
    const { a, b } = app
    const { east, west, hugo, taken, missed, made, passed, hidden } = await office(app)
    const search = (phone: string, more = '') => ids(a.api, `/search?phone_number=${encodeURIComponent(phone)}${more}`)

    for (const form of [caller, caller.slice(1), '+33 (0)1 99 00 07 77', '0033199000777']) {
      expect(await search(form), form).toMatchObject({ ids: [taken, missed, passed], total: 3 })
    }
    expect((await search('+1 415-555-0123')).ids).toEqual([made])
    expect(await search(west.digits)).toMatchObject({ ids: [passed], total: 1 })
    expect(await search(east.digits)).toMatchObject({ ids: [taken, missed, made, hidden], total: 4 })
    expect((await search(east.digits, '&order=desc&per_page=2&page=2')).ids).toEqual([missed, taken])
    expect((await search(caller, `&user_id=${hugo.id}`)).ids).toEqual([passed])
    expect((await search(east.digits, '&direction=outbound')).ids).toEqual([made])
    for (const nobody of ['33199', 'anonymous', '+33199000778']) expect((await search(nobody)).total, nobody).toBe(0)
    expect((await ids(b.api, `/search?phone_number=${caller.slice(1)}`)).total).toBe(0)

    // Somebody who calls from one of the company's own Numbers is found once.
    const own = await addCall(app, a, { numberId: west.id, external: west.digits.replaceAll(' ', '') })
    expect(await search(west.digits)).toMatchObject({ ids: [passed, own.id], total: 2 })
  })

  test('by tags: those that have all of them', async () => {
    const app = await open()
    const { a } = app
    const { hugo, taken, missed, made, passed } = await office(app)
    const add = async (name: string) => (await a.api('POST', '/v1/tags', { name, color: '#0a7' })).json.tag.id
    const [order, urgent] = [await add('Order'), await add('Urgent')]
    const put = (id: number, ...tags: number[]) => a.api('POST', `/v1/calls/${id}/tags`, { tags })
    for (const id of [taken, missed, passed]) await put(id, order)
    for (const id of [missed, made, passed]) await put(id, urgent)

    expect(await ids(a.api, `/search?tags[]=${order}`)).toMatchObject({ ids: [taken, missed, passed], total: 3 })
    const indexed = await ids(a.api, `/search?tags[1]=${urgent}&tags[0]=${order}`)
    const both = await ids(a.api, `/search?tags[]=${order}&tags[]=${urgent}&per_page=1`)
    expect(both).toMatchObject({ ids: [missed], total: 2 })
    expect(indexed).toMatchObject({ ids: [missed, passed], total: 2 })
    expect(both.meta.next_page_link).toContain(`tags%5B%5D=${order}&tags%5B%5D=${urgent}`)
    expect((await ids(a.api, `/search?tags=${order}&tags=${urgent}&order=desc`)).ids).toEqual([passed, missed])
    expect((await ids(a.api, `/search?tags=${urgent}&direction=outbound`)).ids).toEqual([made])
    expect((await ids(a.api, `/search?tags=${urgent}&tags=${urgent}&user_id=${hugo.id}`)).ids).toEqual([made, passed])
    const all = `/search?tags=${order}&tags=${urgent}&user_id=${hugo.id}&phone_number=${caller.slice(1)}&direction=inbound`
    expect(await ids(a.api, all)).toMatchObject({ ids: [passed], total: 1 })
    for (const none of [`tags=${order},${urgent}`, 'tags=999999', `tags=${order}&tags=999999`, 'tags=Order']) {
      expect(await ids(a.api, `/search?${none}`), none).toMatchObject({ ids: [], total: 0 })
    }

    await a.api('DELETE', `/v1/tags/${urgent}`)
    expect((await ids(a.api, `/search?tags=${urgent}`)).total).toBe(0)
    expect((await a.api('GET', `/v1/calls/${missed}`)).json.call.tags).toMatchObject([{ id: order, name: 'Order' }])
  })
})
