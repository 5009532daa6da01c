import { expect, test } from 'vitest'
import { hour, minute, second } from '../../src/lib/clock.ts'
import { monday, onAnyDatabase } from '../kit/app.ts'
import { jumpingClock } from '../kit/clocks.ts'
import { receiver } from '../kit/receiver.ts'
import { addContact, addHook, contactEvents, hookOf, mailsAbout } from '../kit/webhooks.ts'

// When a delivery is retried. Jitter, a property of a pure function, is off.

const gaps = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  1 * hour,
  2 * hour,
  4 * hour,
  8 * hour,
  12 * hour,
  24 * hour,
  24 * hour,
]
const between = (times: readonly number[]) => times.slice(1).map((at, index) => at - (times[index] ?? 0))

onAnyDatabase('the schedule of a delivery', (open) => {
  test('13 attempts over three days with identical bytes, across restarts; then the delivery has failed', async () => {
    let world = await open()
    const { a, clock } = world
    const times: number[] = []
    const customer = await receiver((_request, response) => {
      times.push(clock.now())
      response.writeHead(500).end('no')
    })
    const elsewhere = await receiver(204)
    const mover = await receiver((_request, response) => response.writeHead(307, { location: elsewhere.url }).end())
    const made = await addHook(a.api, customer, ['contact.created'], 'Broken')
    const moved = await addHook(a.api, mover, ['contact.created'], 'Moved')
    customer.verifyWith(made.secret)
    await addContact(a.api)
    await world.settle()

    await clock.advance(20 * hour)
    const before = times.length
    world = await world.restart()
    await clock.advance(72 * hour)

    expect(times).toHaveLength(13)
    expect([before, between(times)]).toEqual([10, gaps])
    expect(gaps.reduce((sum, gap) => sum + gap)).toBe(75 * hour + 42 * minute + 35 * second)
    expect(customer.got.map(({ headers }) => headers['webhook-attempt'])).toEqual(times.map((_, i) => String(i + 1)))
    for (const fixed of ['webhook-id', 'webhook-event-id', 'webhook-sequence', 'content-type', 'user-agent']) {
      expect(new Set(customer.got.map(({ headers }) => headers[fixed])).size, fixed).toBe(1)
    }
    expect(new Set(customer.got.map(({ raw }) => raw)).size).toBe(1)
    const hook = hookOf(world.a.api, made)
    const [given] = await hook.log()
    expect(given).toMatchObject({ state: 'exhausted', attempts_made: 13, status: 500, error: 'http_5xx' })
    expect(given).toMatchObject({ next_attempt_at: null, finished_at: new Date(times.at(-1) ?? 0).toISOString() })
    expect((await hook.detail(given.id)).attempts).toHaveLength(13)

    // A redirect is a failure, and is not followed.
    expect([mover.got.length, elsewhere.got.length]).toEqual([13, 0])
    expect(await hookOf(world.a.api, moved).log()).toMatchObject([{ state: 'exhausted', error: 'http_3xx' }])

    expect(await mailsAbout(world.a, 'deliveries failed')).toEqual([])
    await clock.advance(24 * hour)
    const digests = await mailsAbout(world.a, 'deliveries failed')
    expect(digests).toMatchObject([{ to: 'company-a@example.test', subject: '2 webhook deliveries failed' }])
    expect(digests[0]?.text).toContain('“Broken”')
    expect(digests[0]?.text).toContain(`/v1/webhooks/${made.id}/replays`)
    expect(await mailsAbout(world.b, 'deliveries failed')).toEqual([])
    expect(times).toHaveLength(13)
    console.log(`${times.length} attempts, ${before} before the restart, ${mover.got.length} redirects`)
  })

  test('a delivery whose process ended five times during its last attempt is exhausted and in the digest', async () => {
    let world = await open()
    const { a, clock } = world
    const customer = await receiver(500)
    const made = await addHook(a.api, customer, ['contact.created'], 'Broken')
    await addContact(a.api)
    await world.settle()
    const lost = {
      state: 'leased',
      attempts: 12,
      lost_leases: 4,
      lease_token: 'lost',
      lease_until: 0,
      worker_id: 'wrk_lost',
    } as const
    await world.db.updateTable('delivery').set(lost).execute()

    world = await world.restart()

    const [given] = await hookOf(world.a.api, made).log()
    expect(given).toMatchObject({ state: 'exhausted', attempts_made: 13 })
    expect(given.finished_at).toBe(new Date(clock.now()).toISOString())
    await clock.advance(24 * hour)
    expect(await mailsAbout(world.a, 'delivery failed')).toMatchObject([{ subject: '1 webhook delivery failed' }])
    expect(customer.got).toHaveLength(1)
  })

  test('Retry-After delays the next attempt within bounds; 410 stops the attempts', async () => {
    const world = await open()
    const { a, clock } = world
    const times: number[] = []
    const inWords = () => new Date(clock.now() + 45 * minute).toUTCString()
    const asked = [
      () => '60',
      () => '7200',
      () => '1',
      () => 'soon',
      inWords,
      () => '99999999999',
      () => '-5',
      () => '3601',
    ]
    const customer = await receiver((_request, response) => {
      const retryAfter = asked[times.push(clock.now()) - 1]
      const status = [503, 429, 302][times.length % 3] ?? 503
      response.writeHead(retryAfter ? status : 204, retryAfter ? { 'retry-after': retryAfter() } : {}).end()
    })
    const leaver = await receiver(410)
    const hook = await addHook(a.api, customer, ['contact.created'])
    const left = await addHook(a.api, leaver, contactEvents, 'Left')
    await addContact(a.api)
    await world.settle()

    await clock.advance(24 * hour)

    expect(between(times)).toEqual([
      minute,
      // The gap is 30 s: an hour is the maximum.
      hour,
      2 * minute,
      10 * minute,
      45 * minute,
      // The gap is an hour: twice as much is the maximum.
      2 * hour,
      2 * hour,
      // The gap is four hours: it is never shortened.
      4 * hour,
    ])
    expect(await hook.log()).toMatchObject([{ state: 'delivered', attempts_made: 9 }])

    // For 24 hours no probe was sent.
    await addContact(a.api)
    await world.settle()
    await clock.advance(hour)
    expect(leaver.got).toHaveLength(1)
    expect(await left.health()).toMatchObject({ status: 'disabled', disable_reason: 'gone', held: 2, pending: 0 })
    expect((await left.log()).map(({ state }) => state)).toEqual(['held', 'held'])
    expect(await mailsAbout(a, 'Left was disabled')).toMatchObject([{ to: 'company-a@example.test' }])
  })

  test('after a day of downtime retries are spread over five minutes, first attempts are sent at once', async () => {
    const contacts = 12
    const world = await open({ env: { WEBHOOK_TIMEOUT_MS: '1000' } })
    const { a, clock } = world
    const failing = await receiver(500)
    const hanging = await receiver(() => {})
    await addHook(a.api, failing, ['contact.created'])
    await addHook(a.api, hanging, ['contact.created'])
    for (let i = 0; i < contacts; i++) await addContact(a.api)
    await failing.until((got) => got.length === contacts)
    await hanging.until((got) => got.length > 0)

    const times: { at: number; attempt: number }[] = []
    for (const one of [failing, hanging]) {
      one.behave(({ headers }, response) => {
        times.push({ at: clock.now(), attempt: Number(headers['webhook-attempt']) })
        response.writeHead(204).end()
      })
    }
    // Hanging attempts time out while the process stops; deliveries behind them have not been attempted.
    const after = await world.restart(24 * hour)
    const back = clock.now()
    await after.settle()
    const atOnce = times.splice(0)
    await clock.advance(5 * minute)

    expect(back).toBe(monday + 24 * hour)
    expect(atOnce.length).toBeGreaterThan(contacts / 2)
    expect(atOnce.every(({ at, attempt }) => at === back && attempt === 1)).toBe(true)
    expect(atOnce.length + times.length).toBe(2 * contacts)
    const spread = times.map((_, index) => back + Math.floor((5 * minute * (index + 1)) / times.length))
    expect(times.map(({ at }) => at)).toEqual(spread)
    expect(times.every(({ attempt }) => attempt > 1)).toBe(true)
    console.log(`after a day ${atOnce.length} first attempts at once, ${times.length} retries spread`)
  })

  test('a host whose clock was set back or forward neither loses nor repeats a retry', async () => {
    const clock = jumpingClock(monday)
    const world = await open({ clock })
    const { a } = world
    const customer = await receiver(500)
    const asking = await receiver((_request, response) => response.writeHead(503, { 'retry-after': '3000' }).end())
    const hook = await addHook(a.api, customer, ['contact.created'])
    const other = await addHook(a.api, asking, ['contact.created'])
    const counts = () => [customer.got.length, asking.got.length]
    await addContact(a.api)
    await world.settle()
    await clock.advance(13 * minute)
    expect(counts()).toEqual([5, 1])
    expect(world.logged()).not.toContain('system clock changed')

    // Ten hours back: retries half an hour away arrive within 1.2 of their gaps, requested ones within their own bound.
    clock.jump(-10 * hour)
    await world.settle()
    expect(world.logged()).toContain('system clock changed')
    await clock.advance(36 * minute - 1)
    expect(counts()).toEqual([5, 1])
    await clock.advance(1)
    expect(counts()).toEqual([6, 1])
    await clock.advance(24 * minute - 1)
    expect(counts()).toEqual([6, 1])
    await clock.advance(1)
    expect(counts()).toEqual([6, 2])
    expect(await hook.log()).toMatchObject([{ state: 'queued', attempts_made: 6 }])
    expect(await other.log()).toMatchObject([{ state: 'queued', attempts_made: 2 }])

    // Ten hours forward: due deliveries are sent once.
    clock.jump(10 * hour)
    await world.settle()
    expect(counts()).toEqual([7, 3])
  })
})
