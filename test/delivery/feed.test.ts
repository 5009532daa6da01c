import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { basic, type Client, monday, onAnyDatabase, type TestApp } from '../kit/app.ts'
import { heldClock } from '../kit/clocks.ts'
import { listenTo } from '../kit/event-stream.ts'
import { addUser } from '../kit/flows.ts'
import { receiver } from '../kit/receiver.ts'
import { addContact, addHook, contactEvents, must, rename } from '../kit/webhooks.ts'

// The event log, by page and as a stream.

interface Frame {
  headers: Record<string, string>
  body: string
}

const frameOf = ({ data }: { data: string }) => JSON.parse(data) as Frame

/** Company A listens; frame ids are log positions. */
function listen({ base, a }: TestApp, query = '', headers: Record<string, string> = {}) {
  return listenTo(`${base}/v1/events/stream${query}`, { authorization: basic(a.apiId, a.apiToken), ...headers })
}

const page = async (client: Client, query: string) => must(await client('GET', `/v1/events${query}`), 200).json

onAnyDatabase('the event log', (open) => {
  test('is read page by page from any position, by name or by kind', async () => {
    const world = await open()
    const { a, b, base, clock } = world
    const ada = await addContact(a.api, 'Ada')
    await clock.advance(1_000)
    await rename(a.api, ada, 'Augusta')
    await addUser(a, 'Bea')
    await addContact(b.api, 'Eve')
    await world.settle()

    const all = await page(a.api, '')
    const names = (events: { event: string }[]) => events.map(({ event }) => event)
    // The first two are from the creation of the company.
    expect(names(all.events)).toEqual([
      'user.created',
      'user.created.v2',
      'contact.created',
      'contact.updated',
      'user.created',
      'user.created.v2',
    ])
    const positions = all.events.map(({ position }: { position: number }) => position)
    expect(positions).toEqual(positions.toSorted((x: number, y: number) => x - y))
    expect(all.meta).toEqual({ count: 6, per_page: 20, next_page_link: null })
    expect(all.events[2]).toEqual({
      position: positions[2],
      id: expect.stringMatching(/^evt_[0-9A-Z]{26}$/),
      event: 'contact.created',
      resource: 'contact',
      timestamp: clock.now() / 1_000 - 1,
      test: false,
      data: expect.objectContaining({ id: ada, first_name: 'Ada' }),
    })

    const read: string[] = []
    let pages = 0
    for (let next: string | null = `${base}/v1/events?per_page=2&events=user.*,contact.created`; next; pages++) {
      const { meta, events }: Awaited<ReturnType<typeof page>> = must(await a.api('GET', next), 200).json
      read.push(...names(events))
      next = meta.next_page_link
    }
    expect([pages, read]).toEqual([
      3,
      ['user.created', 'user.created.v2', 'contact.created', 'user.created', 'user.created.v2'],
    ])
    expect(names((await page(a.api, `?after=${positions[2]}&per_page=1`)).events)).toEqual(['contact.updated'])
    expect(names((await page(a.api, '?events=*')).events)).toHaveLength(6)
    expect((await page(a.api, `?after=${positions.at(-1)}`)).events).toEqual([])
    expect(names((await page(b.api, '?events=contact.*')).events)).toEqual(['contact.created'])
    for (const invalid of [
      'after=-1',
      'after=x',
      'after=1.5',
      'events=tag.*',
      'events=contact.renamed',
      'per_page=51',
      'per_page=0',
    ]) {
      expect([invalid, (await a.api('GET', `/v1/events?${invalid}`)).status]).toEqual([invalid, 400])
    }
    expect((await world.anonymous('GET', '/v1/events')).status).toBe(403)
  })

  test('streams the exact bytes of webhooks, signed for this connection, without loss after a reconnect', async () => {
    const world = await open()
    const { a, b } = world
    const customer = await receiver()
    await addHook(a.api, customer, contactEvents)
    await addContact(a.api, 'Before')
    await world.settle()

    const first = await listen(world, '?events=contact.*')
    await first.until((frames) => frames.length > 0)
    const [hello] = first.frames
    expect([first.status, hello?.event]).toEqual([200, 'listener'])
    const { token, signing_secret: secret, position } = JSON.parse(hello?.data ?? '{}')
    expect(token).toMatch(/^[0-9a-f]{32}$/)
    const ada = await addContact(a.api, 'Ada')
    await addContact(b.api, 'Eve')
    await addUser(a, 'Bea')
    await rename(a.api, ada, 'Augusta')
    await first.until((frames) => frames.length === 3)
    await first.close()
    await world.settle()

    const live = first.frames.slice(1)
    const sent = customer.got.slice(1)
    expect(live.map((frame) => frameOf(frame).body)).toEqual(
      sent.map(({ raw, body }) => raw.replace(body.token, token)),
    )
    for (const [index, frame] of live.entries()) {
      const { headers, body } = frameOf(frame)
      expect(() => new Webhook(secret).verify(body, headers)).not.toThrow()
      expect(Object.keys(headers).toSorted()).toEqual(
        Object.keys(sent[index]?.headers ?? {})
          .filter((name) => headers[name] !== undefined)
          .toSorted(),
      )
      expect(headers['webhook-event-id']).toBe(sent[index]?.headers['webhook-event-id'])
      expect(headers['webhook-sequence']).toBe(String(index + 1))
      expect(Number(frame.id)).toBeGreaterThan(position)
    }

    // Events happen without a listener; each new connection resumes after the last one, with a new secret.
    for (let i = 0; i < 5; i++) await rename(a.api, ada, `Name ${i}`)
    await world.settle()
    const second = await listen(world, '?events=contact.*', { 'last-event-id': live.at(-1)?.id ?? '' })
    for (let i = 5; i < 10; i++) await rename(a.api, ada, `Name ${i}`)
    await second.until((frames) => frames.length === 11)
    const caught = second.frames.slice(1).map((frame) => JSON.parse(frameOf(frame).body).data.first_name)
    expect(caught).toEqual(Array.from({ length: 10 }, (_, i) => `Name ${i}`))
    expect(JSON.parse(second.frames[0]?.data ?? '{}').signing_secret).not.toBe(secret)
    const all = (await page(a.api, '?events=contact.*')).events.map((event: { position: number }) =>
      String(event.position),
    )
    expect([...live, ...second.frames.slice(1)].map(({ id }) => id)).toEqual(all.slice(1))
    // From the beginning, on request.
    const third = await listen(world, '?events=contact.*&after=0')
    await third.until((frames) => frames.length === all.length + 1)
    expect(third.frames.slice(1).map(({ id }) => id)).toEqual(all)
    for (const id of ['x', '-1', '1e3', '9999999999999999']) {
      expect([id, (await a.api('GET', '/v1/events/stream', undefined, { 'last-event-id': id })).status]).toEqual([
        id,
        400,
      ])
    }
    expect((await a.api('GET', '/v1/events/stream?events=nothing')).status).toBe(400)
    console.log(`${live.length + caught.length} of ${all.length - 1} over two connections, none twice`)
  })

  test('has at most five followers per company, and disconnects them when the service stops', async () => {
    const world = await open()
    const { a, b } = world

    const five = []
    for (let i = 0; i < 5; i++) {
      const one = await listen(world)
      await one.until((frames) => frames.length > 0)
      five.push(one)
    }
    const sixth = await a.api('GET', '/v1/events/stream')
    expect([sixth.status, sixth.headers.get('retry-after')]).toEqual([429, '30'])
    const theirs = await listenTo(`${world.base}/v1/events/stream`, { authorization: basic(b.apiId, b.apiToken) })
    expect(theirs.status).toBe(200)
    await theirs.until((frames) => frames.length > 0)

    await world.stop()

    await Promise.all([...five, theirs].map(({ over }) => over))
    expect([...five, theirs].map(({ frames }) => frames.length)).toEqual(Array(6).fill(1))
  })

  test('frees a slot as soon as a follower disconnects, not at its next heartbeat', async () => {
    const world = await open({ clock: heldClock(monday) })
    for (let i = 0; i < 5; i++) {
      const one = await listen(world)
      await one.until((frames) => frames.length > 0)
      await one.close()
    }
    const { feed } = world.app.services
    while (feed.followers(world.a.id) > 0) await new Promise(setImmediate)

    const again = await listen(world)

    expect(again.status).toBe(200)
  })

  test('has at most five followers when ten connect at the same time', async () => {
    const world = await open()

    const all = await Promise.all(Array.from({ length: 10 }, () => listen(world)))

    expect(all.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(200), ...Array(5).fill(429)])
  })

  test('accepts samples in a sandbox, for followers and for every subscribed webhook', async () => {
    const world = await open()
    const { a, b } = world
    const [one, two, other, theirs] = [await receiver(500), await receiver(), await receiver(), await receiver()]
    const hook = await addHook(a.api, one, ['contact.created'])
    await addHook(a.api, two)
    await addHook(a.api, other, ['contact.deleted'])
    await addHook(b.api, theirs)
    one.verifyWith(hook.secret)
    const follower = await listen(world)
    await follower.until((frames) => frames.length > 0)

    const made = must(await a.api('POST', '/v1/events/test', { event: 'contact.created' }), 201).json
    await world.settle()
    await follower.until((frames) => frames.length === 2)

    expect(made.event).toMatchObject({ event: 'contact.created', test: true, resource: 'contact' })
    expect(made.deliveries).toHaveLength(2)
    expect([one, two, other, theirs].map(({ got }) => got.length)).toEqual([1, 1, 0, 0])
    expect(one.got[0]?.headers).toMatchObject({ 'webhook-test': 'true', 'webhook-event-id': made.event.id })
    expect(frameOf(follower.frames[1] ?? { data: '{}' }).headers['webhook-test']).toBe('true')
    const [logged] = (await page(a.api, '?events=contact.*')).events
    const { position: _position, ...rest } = logged
    expect(rest).toEqual(made.event)
    expect(await hook.log()).toMatchObject([{ kind: 'test', state: 'exhausted', attempts_made: 1 }])
    expect(await hook.health()).toMatchObject({ consecutive_failures: 0 })
    expect((await a.api('POST', '/v1/events/test', {})).status).toBe(422)
    for (const event of ['contact.renamed', 'contact.*']) {
      expect([event, (await a.api('POST', '/v1/events/test', { event })).status]).toEqual([event, 400])
    }
  })
})
