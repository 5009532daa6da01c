import { createServer } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { day, hour, minute } from '../../src/lib/clock.ts'
import { type Client, monday, onAnyDatabase } from '../kit/app.ts'
import { freePort } from '../kit/databases.ts'
import { addNumber } from '../kit/flows.ts'
import { type Received, receiver } from '../kit/receiver.ts'
import { unresponsivePort } from '../kit/unresponsive-port.ts'
import { addContact, addHook, contactEvents, hookOf, must, partner, rename } from '../kit/webhooks.ts'

// The delivery log, and test events.

const verifies = (secret: string, { raw, headers }: Pick<Received, 'raw' | 'headers'>) => {
  try {
    new Webhook(secret).verify(raw, headers)
    return true
  } catch {
    return false
  }
}

/** A server that answers every connection with the same bytes. */
async function bannerServer(banner: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(banner))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return (server.address() as { port: number }).port
}

onAnyDatabase('the log of deliveries', (open) => {
  test('shows request and response of each delivery, and finds it by filter', async () => {
    const world = await open()
    const { a, clock } = world
    const customer = await receiver(({ body }, response) => {
      const isOk = body.data.first_name !== 'Bad'
      response.writeHead(isOk ? 202 : 500, { 'x-reply': 'hello' }).end(isOk ? 'thanks' : `no\0pe ${'é'.repeat(4_000)}`)
    })
    const hook = await addHook(a.api, customer, contactEvents)
    customer.verifyWith(hook.secret)
    const ada = await addContact(a.api, 'Ada')
    await clock.advance(10 * minute)
    const bad = await addContact(a.api, 'Bad')
    await clock.advance(1)
    await rename(a.api, ada, 'Augusta')
    await world.settle()
    await clock.advance(10 * minute)
    await a.api('POST', `${hook.path}/test`, { event: 'contact.deleted' })
    await world.settle()

    const logged = async (query: string) =>
      (await hook.log(query)).map(({ event, resource_id }) => `${event} ${resource_id}`.replace('contact.', ''))
    expect(Object.keys(customer.got[0]?.body)).toEqual(['resource', 'event', 'timestamp', 'token', 'data'])
    expect(customer.got[0]?.body).toMatchObject({
      resource: 'contact',
      event: 'contact.created',
      token: hook.token,
      timestamp: monday / 1_000,
      data: { id: ada, first_name: 'Ada' },
    })
    const all = await hook.log()
    expect(all).toHaveLength(4)
    expect(all[0]).toMatchObject({ resource: 'contact', kind: 'live', sequence: 1, state: 'delivered', status: 202 })
    expect(all[0]).toMatchObject({ error: null, created_at: new Date(monday).toISOString(), next_attempt_at: null })
    expect(all[1]).toMatchObject({ resource_id: String(bad), state: 'queued', attempts_made: 4, error: 'http_5xx' })
    expect(all[2]).toMatchObject({ event: 'contact.updated', sequence: 2 })
    expect(all[3]).toMatchObject({ event: 'contact.deleted', kind: 'test' })

    expect(await logged('state=delivered&event=contact.created')).toEqual([`created ${ada}`])
    expect(await logged('state=queued')).toEqual([`created ${bad}`])
    expect(await logged('status=500')).toEqual([`created ${bad}`])
    expect(await logged('status=404')).toEqual([])
    expect(await logged(`resource_id=${ada}`)).toEqual([`created ${ada}`, `updated ${ada}`])
    expect(await logged(`resource_id=${ada}0`)).toEqual([])
    expect(await logged('resource_id=%25')).toEqual([])
    const from = monday / 1_000 + 600
    expect(await logged(`from=${from}&to=${from}`)).toEqual([`created ${bad}`, `updated ${ada}`])
    expect(await logged(`to=${from - 1}`)).toEqual([`created ${ada}`])
    expect(await logged('order=desc&event=contact.created')).toEqual([`created ${bad}`, `created ${ada}`])
    const first = must(await a.own('GET', `${hook.path}/deliveries?per_page=3`), 200).json
    expect(first.meta).toMatchObject({ count: 3, total: 4, current_page: 1 })
    expect((await a.own('GET', first.meta.next_page_link)).json.deliveries).toMatchObject([{ kind: 'test' }])
    for (const invalid of [
      'state=sent',
      'event=contact.renamed',
      'status=99',
      'from=2&to=1',
      'order=up',
      'per_page=51',
    ]) {
      expect([invalid, (await a.api('GET', `${hook.path}/deliveries?${invalid}`)).status]).toEqual([invalid, 400])
    }

    const sent = await hook.detail(all[0].id)
    expect(sent.body).toBe(customer.got[0]?.raw.replace(hook.token, '*'.repeat(32)))
    expect(sent.attempts).toMatchObject([
      { number: 1, kind: 'live', status: 202, error: null, response_body: 'thanks' },
    ])
    expect(sent.attempts[0].response_headers).toMatchObject({ 'x-reply': 'hello' })
    expect(sent.attempts[0].request_headers).toEqual({
      ...Object.fromEntries(
        Object.entries(customer.got[0]?.headers ?? {}).filter(([name]) => /^webhook|^user/.test(name)),
      ),
      'content-type': 'application/json',
      'webhook-signature': 'v1,…',
    })
    const failed = await hook.detail(all[1].id)
    expect(failed.attempts.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3, 4])
    const [{ response_body: words }] = failed.attempts
    // 4 KiB of the response, cut between characters, without unstorable ones.
    expect(words).toMatch(/^nope é+$/)
    expect(Buffer.byteLength(words)).toBeGreaterThan(4_090)
    expect(Buffer.byteLength(words)).toBeLessThanOrEqual(4_096)
    for (const entry of [sent, failed]) {
      expect(JSON.stringify(entry)).not.toContain(hook.token)
      expect(JSON.stringify(entry)).not.toMatch(/v1,\w/)
    }
    expect(await hook.health()).toMatchObject({
      status: 'active',
      pending: 1,
      held: 0,
      last_success_at: expect.any(String),
    })
    console.log(`the log: ${all.length} deliveries, ${failed.attempts.length + 3} attempts`)
  })

  test('is filtered by event and by the status of the last answer, alone and together', async () => {
    const world = await open()
    const { a } = world
    const customer = await receiver(({ body }, response) => {
      response.writeHead(body.data.first_name === 'Bad' ? 503 : 204).end()
    })
    const hook = await addHook(a.api, customer, contactEvents)
    const ada = await addContact(a.api, 'Ada')
    await addContact(a.api, 'Bad')
    await world.settle()
    await rename(a.api, ada, 'Bad')
    await world.settle()

    const found = async (query: string) => (await hook.log(query)).map(({ event }) => event).sort()
    expect(await found('status=503')).toEqual(['contact.created', 'contact.updated'])
    expect(await found('status=204')).toEqual(['contact.created'])
    expect(await found('status=503&event=contact.updated')).toEqual(['contact.updated'])
    expect(await found('status=204&event=contact.updated')).toEqual([])
    expect(await found('event=contact.created')).toEqual(['contact.created', 'contact.created'])
    expect(await found('status=500')).toEqual([])
    const { json } = await a.api('GET', `${hook.path}/deliveries?status=503&per_page=1`)
    expect(json.meta).toMatchObject({ count: 1, total: 2 })
  })

  test('reveals nothing about the internal network: refused, unreachable, unresolved and forbidden look the same', async () => {
    const world = await open({ env: { WEBHOOK_TIMEOUT_MS: '1000' } })
    const { a, db } = world
    const plain = await receiver()
    const targets = {
      closed: `http://127.0.0.1:${await freePort()}/`,
      filtered: `http://127.0.0.1:${await unresponsivePort()}/`,
      unknown: 'https://nobody.example.com/hook',
      private: 'https://example.com/private',
      silent: (await receiver(() => {})).url,
      insecure: plain.url.replace('http:', 'https:'),
      notHttp: `http://127.0.0.1:${await bannerServer('SSH-2.0-OpenSSH_9.6\r\n')}/`,
    }
    const hooks = Object.entries(targets).map(async ([name, url]) => [
      name,
      await addHook(a.api, { url }, ['contact.created']),
    ])
    const known = Object.fromEntries(await Promise.all(hooks)) as Record<
      keyof typeof targets,
      Awaited<ReturnType<typeof addHook>>
    >
    // Registered successfully; its name resolves to a private address now.
    await db.updateTable('webhook').set({ url: 'https://10.0.0.1/hook' }).where('id', '=', known.private.id).execute()

    await addContact(a.api)
    await world.settle()

    const seen = async (name: keyof typeof targets) => {
      const [delivery] = await known[name].log()
      const [attempt] = (await known[name].detail(delivery.id)).attempts
      expect([name, delivery.error, delivery.status]).toEqual([name, attempt.error, null])
      const { started_at: _, request_headers: __, ...rest } = attempt
      return rest
    }
    const hidden = [await seen('closed'), await seen('filtered'), await seen('unknown'), await seen('private')]
    for (const { duration_ms, ...rest } of hidden) {
      expect(duration_ms % 1_000).toBe(0)
      expect(duration_ms).toBeGreaterThan(0)
      expect(rest).toEqual({
        number: 1,
        kind: 'live',
        status: null,
        error: 'unreachable',
        explanation: 'The destination could not be reached or is not allowed',
        response_headers: {},
        response_body: '',
      })
    }
    expect([await seen('silent'), await seen('insecure'), await seen('notHttp')]).toMatchObject([
      { error: 'timeout' },
      { error: 'tls' },
      { error: 'protocol' },
    ])
    expect(plain.got).toHaveLength(0)
    console.log(`${hidden.length} that read the same, ${Object.keys(targets).length - hidden.length} that do not`)
  })

  test('a test is one signed request with a sample, marked by a header only, and counts for nothing', async () => {
    const world = await open()
    const { a, b, clock } = world
    const customer = await receiver(500)
    const bystander = await receiver()
    const hook = await addHook(a.api, customer, ['contact.created'], 'CRM')
    const other = await addHook(a.api, bystander)
    customer.verifyWith(hook.secret)
    const tried = (body: object) => a.api('POST', `${hook.path}/test`, body)

    const asked = [must(await tried({}), 201), must(await tried({ event: 'contact.created' }), 201)]
    await world.settle()
    await clock.advance(2 * hour)

    expect(customer.got).toHaveLength(2)
    const byEvent = (name: string) => customer.got.find(({ body }) => body.event === name)
    const data = { webhook_id: hook.id, custom_name: 'CRM', sent_at: new Date(monday).toISOString() }
    expect(byEvent('webhook.test')?.body).toEqual({
      resource: 'webhook',
      event: 'webhook.test',
      timestamp: monday / 1_000,
      token: hook.token,
      data,
    })
    for (const { headers } of customer.got) {
      expect(headers).toMatchObject({ 'webhook-test': 'true', 'webhook-attempt': '1' })
      expect(headers).not.toHaveProperty('webhook-replay')
    }
    // Compared with a real one: the same keys in the same order, and nothing that identifies it.
    customer.behave(204)
    await addContact(a.api)
    await world.settle()
    const keys = (value: unknown): unknown =>
      value && typeof value === 'object' && !Array.isArray(value)
        ? Object.entries(value).map(([key, inner]) => [key, keys(inner)])
        : null
    expect(keys(byEvent('contact.created')?.body)).toEqual(keys(customer.got[2]?.body))
    expect(customer.got[2]?.headers).not.toHaveProperty('webhook-test')
    expect(JSON.stringify(byEvent('contact.created')?.body)).not.toMatch(/"test"/)

    expect(asked.map(({ json }) => json.delivery)).toMatchObject([
      { event: 'webhook.test', kind: 'test', state: 'queued' },
      { event: 'contact.created', kind: 'test', state: 'queued' },
    ])
    expect((await hook.log()).map(({ kind, state }) => [kind, state])).toEqual([
      ['test', 'exhausted'],
      ['test', 'exhausted'],
      ['live', 'delivered'],
    ])
    expect((await hook.log())[2].sequence).toBe(1)
    expect(await hook.health()).toMatchObject({ consecutive_failures: 0, failing_since: null, health: 'proven' })
    expect([bystander.got.length, (await other.log()).length]).toEqual([1, 1])

    for (const invalid of ['contact.renamed', '*', '']) {
      expect([invalid, (await tried({ event: invalid })).status]).toEqual([invalid, 400])
    }
    expect((await b.api('POST', `${hook.path}/test`, {})).status).toBe(404)
    clock.shiftMachine(minute)
    const many = await Promise.all(Array.from({ length: 12 }, () => tried({})))
    expect(many.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(201), 429, 429])
    const waits = many.map(({ headers }) => headers.get('retry-after')).filter((wait) => wait !== null)
    expect(waits).toHaveLength(2)
    expect((await a.api('POST', `${other.path}/test`, {})).status).toBe(201)
    clock.shiftMachine(minute)
    expect((await tried({})).status).toBe(201)
    await world.settle()
    expect(customer.got).toHaveLength(14)
  })

  test('a disabled webhook can be tested, which does not enable it', async () => {
    const world = await open()
    const { a } = world
    const customer = await receiver(410)
    const hook = await addHook(a.api, customer, contactEvents)
    await addContact(a.api)
    await world.settle()
    customer.behave(204)

    must(await a.api('POST', `${hook.path}/test`, {}), 201)
    await world.settle()

    expect(customer.got).toHaveLength(2)
    expect(customer.got[1]?.headers).toMatchObject({ 'webhook-test': 'true' })
    expect((await hook.log()).map(({ kind, state }) => [kind, state])).toEqual([
      ['live', 'held'],
      ['test', 'delivered'],
    ])
    expect(await hook.health()).toMatchObject({ status: 'disabled', disable_reason: 'gone', held: 1 })
  })

  test('a new secret signs at once and the old one for a day; neither is shown again', async () => {
    const world = await open()
    const { a, clock } = world
    const customer = await receiver()
    const hook = await addHook(a.api, customer, contactEvents)
    const rotated = async () => must(await a.api('POST', `${hook.path}/secret/rotations`), 201).json
    const next = async () => {
      await addContact(a.api)
      await world.settle()
      return customer.got.at(-1) as Received
    }
    const accepted = (request: Received, ...secrets: string[]) => secrets.map((secret) => verifies(secret, request))

    const before = await next()
    const first = await rotated()
    const during = await next()
    await clock.advance(day - 1)
    const lastMoment = await next()
    await clock.advance(1)
    const afterwards = await next()

    expect(first.previous_valid_until).toBe(new Date(monday + day).toISOString())
    expect([hook.secret, first.signing_secret]).toEqual(Array(2).fill(expect.stringMatching(/^whsec_[\w+/]{43}=$/)))
    expect(accepted(before, hook.secret, first.signing_secret)).toEqual([true, false])
    expect(accepted(during, hook.secret, first.signing_secret)).toEqual([true, true])
    expect(accepted(lastMoment, hook.secret, first.signing_secret)).toEqual([true, true])
    expect(accepted(afterwards, hook.secret, first.signing_secret)).toEqual([false, true])
    // The newest signature is first, for receivers that verify only one.
    const [newest = ''] = during.headers['webhook-signature']?.split(' ') ?? []
    expect(
      verifies(first.signing_secret, { ...during, headers: { ...during.headers, 'webhook-signature': newest } }),
    ).toBe(true)

    const second = await rotated()
    const third = await rotated()
    const twice = await next()
    expect(accepted(twice, first.signing_secret, second.signing_secret, third.signing_secret)).toEqual([
      false,
      true,
      true,
    ])
    // Under load: deliveries sent during the rotation verify with one of the two secrets.
    const count = customer.got.length
    const making = Array.from({ length: 12 }, () => addContact(a.api))
    const fourth = await rotated()
    await Promise.all(making)
    await world.settle()
    const traffic = customer.got.slice(count)
    expect(traffic).toHaveLength(12)
    expect(
      traffic.every((request) => accepted(request, third.signing_secret, fourth.signing_secret).includes(true)),
    ).toBe(true)

    // Any modification in transit invalidates the signature.
    const good = traffic[0] as Received
    expect(verifies(fourth.signing_secret, good) || verifies(third.signing_secret, good)).toBe(true)
    for (const [name, change] of [
      ['webhook-id', 'msg_01'],
      ['webhook-timestamp', String(Number(good.headers['webhook-timestamp']) - 1)],
    ] as const) {
      expect(
        accepted(
          { ...good, headers: { ...good.headers, [name]: change } },
          third.signing_secret,
          fourth.signing_secret,
        ),
      ).toEqual([false, false])
    }
    expect(
      accepted({ ...good, raw: good.raw.replace('Ada', 'Eve') }, third.signing_secret, fourth.signing_secret),
    ).toEqual([false, false])

    const [delivery] = await hook.log()
    const shown = [
      await a.api('GET', hook.path),
      await a.api('GET', '/v1/webhooks'),
      await hook.put({ custom_name: 'Other' }),
      await a.api('GET', `${hook.path}/deliveries`),
      await a.api('GET', `${hook.path}/deliveries/${delivery.id}`),
      await a.api('GET', `${hook.path}/health`),
    ]
    for (const { status, text } of shown) {
      expect(status).toBe(200)
      expect(text).not.toMatch(/whsec_|signing_secret/)
    }
    const rows = JSON.stringify(await world.db.selectFrom('webhook').selectAll().execute())
    const bytes = [hook.secret, first, second, third, fourth].map((one) =>
      (typeof one === 'string' ? one : one.signing_secret).slice(6),
    )
    expect(bytes.filter((secret) => rows.includes(secret) || world.logged().includes(secret))).toEqual([])
    console.log(`${customer.got.length} requests, ${bytes.length} secrets`)
  })

  test('is visible to users of the webhook; an integration restricted to some Numbers sees those only', async () => {
    const world = await open()
    const { a, b, clock } = world
    const officeLine = async () => {
      const { id } = await addNumber(a, { time_zone: 'Europe/Paris', flow_editor_enabled: false })
      must(
        await a.own('PUT', `/v1/numbers/${id}/opening_hours`, {
          hours: { mon: [['09:00', '18:00']] },
          closed_dates: [],
        }),
        200,
      )
      return id
    }
    const [mine, others] = [await officeLine(), await officeLine()]
    const [one, two] = [await partner(world, 'one'), await partner(world, 'two')]
    const narrow = await partner(world, 'narrow', [mine])
    const [basic, oauth, few] = [await receiver(), await receiver(), await receiver()]
    const hooks = {
      basic: await addHook(a.api, basic),
      oauth: await addHook(one, oauth),
      narrow: await addHook(narrow, few),
    }
    const made = await addNumber(a)
    await clock.advance(4 * hour)
    await addContact(a.api)
    await world.settle()

    const receivedBy = (of: Awaited<ReturnType<typeof receiver>>) =>
      of.got.map(({ body }) => `${body.event} ${body.resource === 'number' ? body.data.id : ''}`.trim()).toSorted()
    const everything = [
      'contact.created',
      `number.created ${made.id}`,
      `number.closed ${mine}`,
      `number.closed ${others}`,
    ]
    expect([receivedBy(basic), receivedBy(oauth)]).toEqual([everything.toSorted(), everything.toSorted()])
    expect(receivedBy(few)).toEqual(['contact.created', `number.closed ${mine}`])
    const listed = async (client: Client) =>
      must(await client('GET', '/v1/events?events=number.*,contact.*&per_page=50'), 200).json.events.map(
        ({ event, data }: { event: string; data: { id: number } }) =>
          `${event} ${event.startsWith('number') ? data.id : ''}`.trim(),
      )
    expect(await listed(narrow)).toEqual([`number.created ${mine}`, `number.closed ${mine}`, 'contact.created'])
    expect(await listed(one)).toEqual(await listed(a.api))
    expect(await listed(b.api)).toEqual([])

    const [delivery] = await hooks.oauth.log()
    const replay = must(await one('POST', `${hooks.oauth.path}/replays`, { delivery_ids: [delivery.id] }), 201).json
      .replay
    const requests: [string, string, object?][] = [
      ['GET', '/deliveries'],
      ['GET', `/deliveries/${delivery.id}`],
      ['POST', `/deliveries/${delivery.id}/redeliver`, {}],
      ['GET', '/health'],
      ['POST', '/test', {}],
      ['POST', '/secret/rotations', {}],
      ['POST', '/replays', { delivery_ids: [delivery.id] }],
      ['GET', `/replays/${replay.id}`],
      ['DELETE', `/replays/${replay.id}`],
    ]
    for (const [method, path, body] of requests) {
      for (const [who, client] of Object.entries({ a: a.api, own: a.own, b: b.api, two, narrow })) {
        const answer = await client(method, hooks.oauth.path + path, body)
        expect([method, path, who, answer.status, answer.json.troubleshoot]).toEqual([
          method,
          path,
          who,
          404,
          'Check ID of the resource',
        ])
      }
      expect([path, (await one(method, hooks.oauth.path + path, body)).status]).toEqual([
        path,
        expect.toSatisfy((status) => status < 300),
      ])
    }
    // A delivery of one webhook is not found under another one of the same owner.
    const second = await addHook(one, oauth)
    expect((await one('GET', `${second.path}/deliveries/${delivery.id}`)).status).toBe(404)
    expect((await hookOf(a.own, hooks.basic).log()).length).toBe(4)
  })

  test('an integration that reads the log receives the deletion of its Number, as its webhook does', async () => {
    const world = await open()
    const { a } = world
    const mine = await addNumber(a)
    const narrow = await partner(world, 'narrow', [mine.id])
    const few = await receiver()
    await addHook(narrow, few)

    must(await a.own('DELETE', `/v1/numbers/${mine.id}`), 204)
    await world.settle()

    const log = must(await narrow('GET', '/v1/events?events=number.*'), 200).json.events
    expect(few.got.map(({ body }) => body.event)).toEqual(['number.deleted'])
    expect(log.map(({ event }: { event: string }) => event)).toEqual(['number.created', 'number.deleted'])
  })
})
