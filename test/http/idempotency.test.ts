import { expect, test } from 'vitest'
import { hour, minute } from '../../src/lib/clock.ts'
import { type Answer, type Client, onBothDatabases } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'
import { startServer } from '../kit/server-process.ts'

const green = '#00B388'
const contact = { first_name: 'Once', phone_numbers: [{ label: 'Work', value: '+33755990011' }] }
const keyed = (key: string) => ({ 'idempotency-key': key })
const isReplayed = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'

/** Ends the process when it is about to send a response, after the commit, if the request asks for it. */
const killBeforeResponse = `data:text/javascript,${encodeURIComponent(`
  import { ServerResponse } from 'node:http'
  const { writeHead } = ServerResponse.prototype
  ServerResponse.prototype.writeHead = function (...given) {
    if (this.req.headers['x-kill']) process.kill(process.pid, 'SIGKILL')
    return writeHead.apply(this, given)
  }
`)}`

onBothDatabases('Idempotency-Key', (open) => {
  test('the same request gets the same response, and the change happens once', async () => {
    const { a, events } = await open()
    const create = (key: string) => a.api('POST', '/v1/contacts', contact, keyed(key))

    const first = await create('order-4711')
    const again = await create('order-4711')
    const other = await create('order-4712')

    expect([first.status, again.status, other.status]).toEqual([201, 201, 201])
    expect([isReplayed(first), isReplayed(again), isReplayed(other)]).toEqual([false, true, false])
    expect(again.text).toBe(first.text)
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(other.json.contact.id).not.toBe(first.json.contact.id)
    expect((await a.api('GET', '/v1/contacts')).json.meta.total).toBe(2)
    expect((await events(a)).filter(({ name }) => name === 'contact.created')).toHaveLength(2)
  })

  test('PUT and DELETE can be repeated, also when the object is gone', async () => {
    const { a } = await open()
    const { tag } = (await a.api('POST', '/v1/tags', { name: 'Sales', color: green })).json
    const rename = () => a.api('PUT', `/v1/tags/${tag.id}`, { name: 'Leads' }, keyed('rename'))
    const remove = (key: string) => a.api('DELETE', `/v1/tags/${tag.id}`, undefined, keyed(key))

    const renamed = [await rename(), await rename()]
    const removed = [await remove('remove'), await remove('remove'), await remove('another'), await rename()]

    expect(renamed.map(({ status, json }) => [status, json.tag.name])).toEqual([
      [200, 'Leads'],
      [200, 'Leads'],
    ])
    expect(removed.map(({ status }) => status)).toEqual([204, 204, 404, 200])
    expect(removed.map(isReplayed)).toEqual([false, true, false, true])
  })

  test('a key identifies one request: another body, path or method is refused', async () => {
    const { a } = await open()
    const key = keyed('one-request')
    const created = await a.api('POST', '/v1/contacts', contact, key)
    const { id } = created.json.contact

    const others = [
      await a.api('POST', '/v1/contacts', { ...contact, first_name: 'Twice' }, key),
      await a.api('POST', '/v1/tags', contact, key),
      await a.api('POST', `/v1/contacts/${id}`, contact, key),
      await a.api('POST', '/v1/contacts?x=1', contact, key),
      await a.api('DELETE', `/v1/contacts/${id}`, undefined, key),
    ]
    const sameFields = await a.api(
      'POST',
      '/v1/contacts',
      '{ "phone_numbers": [{"value": "+33755990011", "label": "Work"}],\n "first_name": "Once" }',
      key,
    )

    expect(others.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422])
    expect(others[0]?.json).toMatchObject({ error: 'Unprocessable Entity', success: false })
    expect(others[0]?.json.troubleshoot).toContain('Use a new key')
    expect([sameFields.status, isReplayed(sameFields)]).toEqual([201, true])
    expect((await a.api('GET', '/v1/contacts')).json.meta.total).toBe(1)
  })

  test('an invalid key is refused before anything happens', async () => {
    const { a } = await open()
    const post = async (key: string) => (await a.api('POST', '/v1/contacts', contact, keyed(key))).status

    for (const key of ['', ' ', 'a b', 'ä', 'x'.repeat(256)]) expect([key, await post(key)]).toEqual([key, 400])
    expect(await post('x'.repeat(255))).toBe(201)
    expect((await a.api('GET', '/v1/contacts')).json.meta.total).toBe(1)
    expect((await a.api('GET', '/v1/contacts', undefined, keyed('a b'))).status).toBe(200)
  })

  test('a request that failed can be corrected and repeated with its key', async () => {
    const { a } = await open()
    const key = keyed('corrected')
    const post = (body: object) => a.api('POST', '/v1/tags', body, key)
    await a.api('POST', '/v1/tags', { name: 'Taken', color: green })

    expect((await post({ color: green })).status).toBe(422)
    expect((await post({ name: 'Sales', color: 'red' })).status).toBe(400)
    expect((await post({ name: 'Taken', color: green })).status).toBe(400)
    expect((await post({ name: 'Sales', color: green })).status).toBe(201)
    expect(isReplayed(await post({ name: 'Sales', color: green }))).toBe(true)
    expect((await a.api('DELETE', '/v1/tags/99999999', undefined, keyed('unknown'))).status).toBe(404)
  })

  test('429 and 5xx are not stored', async () => {
    const { a, db } = await open({ env: { RATE_LIMIT_PER_MINUTE: '2' } })
    const key = keyed('limited')
    const post = () => a.api('POST', '/v1/tags', { name: 'Sales', color: green }, key)
    for (let i = 0; i < 2; i++) await a.api('GET', '/v1/ping')
    for (let i = 0; i < 2; i++) await a.api('GET', '/v1/users')

    expect((await post()).status).toBe(429)
    expect(await db.selectFrom('idempotency_key').select('key_hash').execute()).toEqual([])
  })

  test('20 concurrent requests with one key make one change', async () => {
    const { a } = await open()
    const post = () => a.api('POST', '/v1/tags', { name: 'Race', color: green }, keyed('race'))

    const answers = await Promise.all(Array.from({ length: 20 }, post))

    const created = answers.filter(({ status }) => status === 201)
    expect(created.length).toBeGreaterThan(0)
    expect(new Set(created.map(({ json }) => json.tag.id)).size).toBe(1)
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
    expect((await a.api('GET', '/v1/tags')).json.meta.total).toBe(1)
    expect((await post()).status).toBe(201)
  })

  test('companies do not share keys, and a key belongs to the credentials that used it', async () => {
    const { a, b, as } = await open()
    const post = (api: Client) => api('POST', '/v1/tags', { name: 'Sales', color: green }, keyed('shared-name'))
    const second = (await a.own('POST', '/v1/api_keys', { name: 'Second' })).json.api_key
    const colleague = as(`Basic ${Buffer.from(`${second.api_id}:${second.api_token}`).toString('base64')}`)

    const [first, other] = [await post(a.api), await post(b.api)]

    expect([first.status, other.status, isReplayed(other)]).toEqual([201, 201, false])
    expect(first.json.tag.id).not.toBe(other.json.tag.id)
    expect((await post(colleague)).status).toBe(422)
  })

  test('a key is free again after 24 hours, and expired keys are deleted', async () => {
    const { a, clock, db } = await open()
    const post = () => a.api('POST', '/v1/contacts', contact, keyed('daily'))
    const first = await post()

    clock.shiftMachine(24 * hour - minute)
    const stored = await post()
    clock.shiftMachine(minute)
    const renewed = await post()
    clock.shiftMachine(24 * hour)
    await clock.advance(2 * hour)

    expect([isReplayed(stored), isReplayed(renewed)]).toEqual([true, false])
    expect(renewed.json.contact.id).not.toBe(first.json.contact.id)
    expect(await db.selectFrom('idempotency_key').select('key_hash').execute()).toEqual([])
  })

  test('a response with secrets is encrypted in the database', async () => {
    const { a, db } = await open()
    const post = () => a.api('POST', '/v1/webhooks', { url: 'https://receiver.example/hook' }, keyed('secret'))
    const first = await post()

    const [row] = await db.selectFrom('idempotency_key').selectAll().execute()

    expect(first.status).toBe(201)
    expect(JSON.stringify(row)).not.toContain(first.json.webhook.token)
    expect(JSON.stringify(row)).not.toContain('receiver.example')
    expect((await post()).text).toBe(first.text)
  })

  test('a call is started once, although its request is repeated', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    await office.connect(ada)
    const line = await office.line()
    const start = () =>
      a.api('POST', `/v1/users/${ada}/calls`, { number_id: line.id, to: '+33199000001' }, keyed('start-call'))

    const answers = [await start(), await start(), await start()]
    await office.settle()

    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204])
    expect(answers.map(isReplayed)).toEqual([false, true, true])
    expect((await a.api('GET', '/v1/calls')).json.meta.total).toBe(1)
    expect((await office.story()).filter((name) => name === 'call.created')).toHaveLength(1)
  })

  test('a refused call can be repeated with the same key', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    const line = await office.line()
    const start = () =>
      a.api('POST', `/v1/users/${ada}/calls`, { number_id: line.id, to: '+33199000001' }, keyed('later'))

    const absent = await start()
    await office.connect(ada)
    const present = await start()

    expect([absent.status, present.status, isReplayed(present)]).toEqual([405, 204, false])
  })
})

onBothDatabases('a process that is killed between commit and response', (open) => {
  test('leaves its responses to the retries: of a contact and of a call', async () => {
    const office = await openOffice(open)
    const { ada } = office
    const line = await office.line()
    await office.stop()
    const launch = () => startServer({ app: office, env: { NODE_OPTIONS: `--import ${killBeforeResponse}` } })
    const requests = [
      (api: Client, more: Record<string, string>) =>
        api('POST', '/v1/contacts', contact, { ...keyed('contact'), ...more }),
      (api: Client, more: Record<string, string>) =>
        api(
          'POST',
          `/v1/users/${ada}/calls`,
          { number_id: line.id, to: '+33199000001' },
          { ...keyed('call'), ...more },
        ),
    ]
    const retried: Answer[] = []
    let server = await launch()
    for (const request of requests) {
      await server.a.api('POST', `/sandbox/v1/users/${ada}/actions`, { action: 'connect' })
      await expect(request(server.a.api, { 'x-kill': 'now' })).rejects.toThrow()
      await server.end('SIGKILL')
      server = await launch()
      retried.push(await request(server.a.api, {}))
    }
    const { a } = server

    expect(retried.map(({ status }) => status)).toEqual([201, 204])
    expect(retried.map(isReplayed)).toEqual([true, true])
    expect((await a.api('GET', '/v1/contacts')).json.contacts).toMatchObject([{ id: retried[0]?.json.contact.id }])
    expect((await a.api('GET', '/v1/calls')).json.meta.total).toBe(1)
  })
})

onBothDatabases('two processes on one database', (open) => {
  test('make one change for one key', async ({ skip }) => {
    const { a, app, beside } = await open()
    if (!app.database.shared) return skip('only one process uses the embedded store')
    const other = await beside()
    const post = (api: Client, n: number) =>
      api('POST', '/v1/tags', { name: `Race ${n}`, color: green }, keyed(`race-${n}`))

    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => post(i % 2 === 0 ? a.api : other.a.api, i % 4)),
    )
    const again = await Promise.all([0, 1, 2, 3].map((n) => post(other.a.api, n)))

    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
    expect((await a.api('GET', '/v1/tags')).json.meta.total).toBe(4)
    expect(again.map(isReplayed)).toEqual([true, true, true, true])
    const created = [...answers, ...again].filter(({ status }) => status === 201)
    expect(new Set(created.map(({ json }) => json.tag.id)).size).toBe(4)
  })
})
