import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { hour, minute } from '../../src/lib/clock.ts'
import { onAnyDatabase, testApp } from '../kit/app.ts'
import { customer, fileServer, openShop, png, type Shop } from '../kit/messages.ts'
import { type SmppPeer, smppPeer } from '../kit/smpp-peer.ts'
import { standIn } from '../kit/web-stand-in.ts'

// Carriers from the requests of the dashboard to the customer's webhooks.

async function useSmpp({ a, line }: Shop, peer: SmppPeer, settings: object = {}): Promise<number> {
  const smpp = { host: '127.0.0.1', port: peer.port, system_id: 'us', password: 'sesame', ...settings }
  const made = await a.own('POST', '/v1/carriers', { name: 'Main', kind: 'smpp', smpp })
  expect(made.status, made.text).toBe(201)
  const set = await a.own('PUT', `/v1/message_lines/${line.id}`, { carrier_id: made.json.carrier.id })
  expect(set.status, set.text).toBe(200)
  await peer.until(({ binds }) => binds > 0)
  return made.json.carrier.id
}

const carriersOf = async ({ a }: Shop) => (await a.own('GET', '/v1/carriers')).json.carriers

/** The carrier is gone, and our side has noticed. */
async function lose(shop: Shop, peer: SmppPeer): Promise<void> {
  await isSeen(shop, 'up')
  await peer.goOffline()
  await isSeen(shop, 'down')
}

const isSeen = (shop: Shop, state: string) => expect.poll(async () => (await carriersOf(shop))[0].state).toBe(state)

onAnyDatabase('text messages over an SMPP carrier', (open) => {
  test('are sent, delivered once despite duplicate reports, and replied to', async () => {
    const shop = await openShop(open)
    const peer = await smppPeer()
    await useSmpp(shop, peer)

    await shop.send({ to: customer, body: 'Your table is ready' })
    await shop.settle()
    await peer.receipt('1', 'DELIVRD')
    await peer.receipt('1', 'DELIVRD')
    await peer.deliver({
      source_addr: customer.slice(1),
      source_addr_ton: 1,
      destination_addr: shop.line.digits.slice(1),
      dest_addr_ton: 1,
      short_message: 'On my way',
    })

    expect(peer.submissions).toMatchObject([{ from: '33199000101', to: '33612345678', text: 'Your table is ready' }])
    expect(await shop.messageEvents()).toEqual([
      'message.sent sent',
      'message.status_updated sent',
      'message.status_updated delivered',
      'message.received received',
    ])
    const [carrier] = await carriersOf(shop)
    expect(carrier).toMatchObject({ state: 'up', trouble: null, waiting: 0, smpp: { has_password: true } })
    expect(JSON.stringify(carrier)).not.toContain('sesame')
  })

  test('of many parts are delivered when the last part is, and lost when one is', async () => {
    const shop = await openShop(open)
    const peer = await smppPeer()
    await useSmpp(shop, peer)

    await shop.send({ to: customer, body: 'x'.repeat(400) })
    await shop.settle()
    await peer.receipt('3', 'DELIVRD')
    await peer.receipt('1', 'DELIVRD')
    const before = await shop.messageEvents()
    await peer.receipt('2', 'UNDELIV')

    expect(peer.submissions).toHaveLength(3)
    expect(before).toEqual(['message.sent sent', 'message.status_updated sent'])
    expect((await shop.messageEvents()).at(-1)).toBe('message.status_updated undelivered 30003')
  })

  test('are queued while the carrier is unreachable for an hour, and sent in order afterwards', async () => {
    const shop = await openShop(open)
    const peer = await smppPeer()
    const id = await useSmpp(shop, peer)
    await lose(shop, peer)

    for (const body of ['one', 'two', 'three', 'four', 'five']) await shop.send({ to: customer, body })
    await shop.clock.advance(hour)
    const [away] = await carriersOf(shop)
    const before = await shop.messageEvents()
    await peer.goOnline()
    await shop.clock.advance(2 * minute)
    await peer.until(({ submissions }) => submissions.length === 5)
    await shop.settle()

    expect(away).toMatchObject({ id, state: 'down', waiting: 5, trouble: expect.stringContaining('') })
    expect(away.waiting_since).not.toBe(null)
    expect(before).toEqual([])
    expect(peer.submissions.map(({ text }) => text)).toEqual(['one', 'two', 'three', 'four', 'five'])
    expect((await shop.messageEvents()).filter((line) => line === 'message.sent sent')).toHaveLength(5)
  })

  test('with an unknown outcome after a broken connection are not sent twice, and later ones continue', async () => {
    const shop = await openShop(open)
    const peer = await smppPeer()
    await useSmpp(shop, peer)
    peer.react(({ text }, nth) => (text === 'broken' ? 'break' : { id: String(nth) }))

    for (const body of ['before', 'broken', 'after']) await shop.send({ to: customer, body })
    await shop.settle()
    await peer.until(({ binds }) => binds === 2)
    await shop.clock.advance(2 * minute)
    await peer.until(({ submissions }) => submissions.length === 3)
    await shop.settle()

    expect(peer.submissions.map(({ text }) => text)).toEqual(['before', 'broken', 'after'])
    expect(await shop.messageEvents()).toEqual([
      'message.sent sent',
      'message.status_updated sent',
      'message.status_updated failed 30008',
      'message.sent sent',
      'message.status_updated sent',
    ])
  })

  test('survive a restart of the server while the carrier is unreachable', async () => {
    const shop = await openShop(open)
    const peer = await smppPeer()
    await useSmpp(shop, peer)
    await lose(shop, peer)
    for (const body of ['one', 'two']) await shop.send({ to: customer, body })
    await shop.settle()

    await peer.goOnline()
    const again = await shop.restart()
    await peer.until(({ submissions }) => submissions.length === 2)
    await again.settle()

    expect(peer.submissions.map(({ text }) => text)).toEqual(['one', 'two'])
  })

  test('stop when it is disabled, and a test message returns the outcome', async () => {
    const shop = await openShop(open)
    const peer = await smppPeer()
    const id = await useSmpp(shop, peer)
    const input = { number_id: shop.line.id, to: customer, body: 'Is this on?' }

    const taken = await shop.a.own('POST', `/v1/carriers/${id}/test_message`, input)
    peer.react(() => ({ status: 0x0b }))
    const refused = await shop.a.own('POST', `/v1/carriers/${id}/test_message`, input)
    await shop.a.own('PUT', `/v1/carriers/${id}`, { enabled: false })
    await shop.send({ to: customer, body: 'waits' })
    await shop.settle()

    expect(taken.json).toMatchObject({ outcome: 'taken', code: null })
    expect(refused.json).toMatchObject({ outcome: 'refused', code: 30005 })
    expect(await carriersOf(shop)).toMatchObject([{ state: 'off', waiting: 1 }])
    expect(await shop.messageEvents()).toEqual([])
  })
})

const template = '{"to":"{{to}}","from":"{{from_digits}}","text":"{{body}}","reference":"{{id}}","files":"{{media}}"}'

async function useHttp({ a, line }: Shop, base: string, settings: object = {}) {
  const http = {
    url: `${base}/messages`,
    template,
    secret_headers: [{ name: 'Authorization', value: 'Bearer hush' }],
    inbound_secret: 'shh',
    message_id_path: 'data.0.id',
    error_path: 'error.code',
    error_codes: [{ theirs: 'E404', ours: 30005 }],
    received: { list: 'items', id: 'mid', from: 'sender', to: 'recipient', body: 'text', media: 'files' },
    statuses: [
      { theirs: 'DELIVERED', ours: 'delivered' },
      { theirs: 'failed', ours: 'undelivered' },
      { theirs: 'queued', ours: 'sent' },
    ],
    reported: { id: 'message', status: 'state', error: 'why' },
    ...settings,
  }
  const made = await a.own('POST', '/v1/carriers', { name: 'Provider', kind: 'http', http })
  expect(made.status, made.text).toBe(201)
  const { id, messages_url, reports_url } = made.json.carrier
  const set = await a.own('PUT', `/v1/message_lines/${line.id}`, { carrier_id: id })
  expect(set.status, set.text).toBe(200)
  return { id, messages: messages_url as string, reports: reports_url as string, made: made.json.carrier }
}

const signed = (body: unknown, secret = 'shh') => {
  const raw = typeof body === 'string' ? body : JSON.stringify(body)
  return [raw, { 'x-signature': createHmac('sha256', secret).update(raw).digest('hex') }] as const
}

onAnyDatabase('text messages over an HTTP provider', (open) => {
  test('are sent in the request format of the provider, and its reports are parsed', async () => {
    const shop = await openShop(open)
    const provider = await standIn(() => ({ status: 202, json: { data: [{ id: 'p-1' }] } }))
    const { reports, made } = await useHttp(shop, provider.base)
    const body = 'Say "hi"\n\\ {{to}}'

    const sent = await shop.send({ to: customer, body })
    await shop.settle()
    for (const state of ['queued', 'delivered', 'delivered', 'no idea']) {
      const answer = await shop.anonymous('POST', reports, ...signed({ message: 'p-1', state }))
      expect(answer.status, answer.text).toBe(200)
    }

    expect(provider.got).toMatchObject([
      {
        method: 'POST',
        path: '/messages',
        headers: { authorization: 'Bearer hush', 'content-type': 'application/json' },
        json: { to: customer, from: '33199000101', text: body, reference: sent.json.id, files: [] },
      },
    ])
    expect(await shop.messageEvents()).toEqual([
      'message.sent sent',
      'message.status_updated sent',
      'message.status_updated delivered',
    ])
    expect(made.http.secret_headers).toEqual(['Authorization'])
    expect(JSON.stringify(made)).not.toMatch(/hush|shh/)
  })

  test('contain attachments as URLs', async () => {
    const shop = await openShop(open)
    const provider = await standIn(() => ({ status: 202, json: { data: [{ id: 'p-1' }] } }))
    await useHttp(shop, provider.base)
    const base = await fileServer({ '/cat.png': { bytes: png } })

    await shop.send({ to: customer, body: 'Look', mediaUrl: [`${base}/cat.png`] })
    await shop.settle()

    const [link] = provider.got[0]?.json.files ?? []
    expect(provider.got.map(({ json }) => [json.text, json.files.length])).toEqual([['Look', 1]])
    expect(Buffer.from(await (await fetch(link)).arrayBuffer())).toEqual(png)
  })

  test('are rejected, delayed, or sent again with the same id if the outcome is unknown', async () => {
    const shop = await openShop(open)
    const provider = await standIn(() => ({ status: 422, json: { error: { code: 'E404' } } }))
    await useHttp(shop, provider.base, { idempotency_header: 'Idempotency-Key' })

    await shop.send({ to: customer, body: 'refused' })
    await shop.settle()
    provider.answer(() => ({ status: 429, headers: { 'retry-after': '90' } }))
    await shop.send({ to: customer, body: 'later' })
    await shop.settle()
    provider.answer(() => 'break')
    await shop.clock.advance(91_000)
    provider.answer(() => ({ status: 200, json: { data: [{ id: 'p-2' }] } }))
    await shop.clock.advance(minute)

    const keys = provider.got.slice(1).map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(1)
    expect(provider.got.slice(1).map(({ json }) => json.text)).toEqual(['later', 'later', 'later'])
    expect(await shop.messageEvents()).toEqual([
      'message.status_updated failed 30005',
      'message.sent sent',
      'message.status_updated sent',
    ])
  })

  test('arrive at an unguessable URL, signed, and are deduplicated', async () => {
    const shop = await openShop(open)
    const provider = await standIn(() => ({ status: 200, json: {} }))
    const { messages, id } = await useHttp(shop, provider.base)
    const item = { mid: 'in-1', sender: '0033 6 12 34 56 78', recipient: '33199000101', text: 'Bonjour' }
    const post = async (url: string, [raw, headers]: ReturnType<typeof signed>) =>
      (await shop.anonymous('POST', url, raw, headers)).status
    const good = signed({ items: [item] })

    const statuses = [
      await post(messages, good),
      await post(messages, good),
      await post(messages, signed({ items: [item] }, 'wrong')),
      (await shop.anonymous('POST', messages, good[0])).status,
      await post(messages, signed('{"items":[')),
      await post(messages, signed({ items: [{ ...item, sender: undefined }] })),
      await post(messages, signed({ items: 'none' })),
      await post(messages.replace(/-[0-9a-f]{4}/, '-0000'), good),
      await post(messages.replace(/carriers\/[^/]+/, 'carriers/x'), good),
      (await shop.anonymous('GET', messages)).status,
      (await shop.anonymous('DELETE', messages)).status,
    ]
    await shop.a.own('PUT', `/v1/carriers/${id}`, { enabled: false })
    const off = await post(messages, signed({ items: [{ ...item, mid: 'in-2' }] }))

    expect(statuses).toEqual([200, 200, 401, 401, 400, 400, 400, 404, 404, 405, 405])
    expect(off).toBe(404)
    expect(await shop.messageEvents()).toEqual(['message.received received'])
    const [event] = (await shop.events(shop.a)).filter(({ name }) => name === 'message.received')
    expect(event?.data).toMatchObject({ body: 'Bonjour', external_number: '+33 6 12 34 56 78' })
  })

  test('may be authenticated by a secret in a header, and be form-encoded', async () => {
    const shop = await openShop(open)
    const provider = await standIn(() => ({ status: 200, json: {} }))
    const received = { list: null, id: 'MessageSid', from: 'From', to: 'To', body: 'Body', media: null }
    const { messages } = await useHttp(shop, provider.base, {
      check: 'secret',
      check_header: 'X-Key',
      received,
      format: 'form',
    })
    const form = new URLSearchParams({
      MessageSid: 'SM1',
      From: customer,
      To: shop.line.digits,
      Body: 'A & b',
    }).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }

    const wrong = await shop.anonymous('POST', messages, form, { ...type, 'x-key': 'guess' })
    const right = await shop.anonymous('POST', messages, form, { ...type, 'x-key': 'shh' })
    await shop.send({ to: customer, body: 'c & d' })
    await shop.settle()

    expect([wrong.status, right.status]).toEqual([401, 200])
    expect(await shop.messageEvents()).toEqual([
      'message.received received',
      'message.sent sent',
      'message.status_updated sent',
    ])
    expect(new URLSearchParams(provider.got[0]?.raw).get('text')).toBe('c & d')
  })
})

describe('carrier settings', () => {
  test('are rejected with a reason if they cannot work', async () => {
    const { a } = await testApp()
    const create = async (body: object) => {
      const { status, json } = await a.own('POST', '/v1/carriers', { name: 'X', ...body })
      return `${status} ${json.troubleshoot}`
    }
    const url = 'https://provider.example/x'

    expect(await create({ kind: 'smpp', smpp: { host: 'smpp.example' } })).toMatch(/^422 .*system_id/)
    expect(await create({ kind: 'smpp', smpp: { host: 'http://x', system_id: 'a' } })).toMatch(/^400 .*host/)
    expect(await create({ kind: 'http', http: { url } })).toMatch(/^422 .*template/)
    expect(await create({ kind: 'http', http: { url: 'https://10.0.0.1/', template: '{}' } })).toMatch(/^400 .*url/)
    expect(await create({ kind: 'http', http: { url, template: '{"a":{{to}}}' } })).toMatch(/^400 .*inside quotes/)
    expect(await create({ kind: 'http', http: { url, template: '{"a":"{{two}}"}' } })).toMatch(/^400 .*\{\{two\}\}/)
    expect(await create({ kind: 'http', http: { url, template: '[]' } })).toMatch(/^400 .*object/)
    const headers = [{ name: 'Host', value: 'x' }]
    expect(await create({ kind: 'http', http: { url, template: '{}', headers } })).toMatch(/^400 .*Host/)
    const error_codes = [{ theirs: 'x', ours: 1 }]
    expect(await create({ kind: 'http', http: { url, template: '{}', error_codes } })).toMatch(
      /^400 .*not an error code/,
    )
    expect(await create({ kind: 'whatsapp', whatsapp: { base_url: 'https://127.0.0.2.example:1/#x' } })).toMatch(/^400/)
    expect(await create({ kind: 'pigeon' })).toMatch(/^400/)
  })

  test('keeps its secrets when other settings change, and is recorded in the audit log', async () => {
    const { a, db, app } = await testApp()
    const smpp = { host: '127.0.0.1', system_id: 'us', password: 'sesame' }
    const made = (await a.own('POST', '/v1/carriers', { name: 'Main', kind: 'smpp', enabled: false, smpp })).json
      .carrier
    const sealed = async () =>
      (await db.selectFrom('carrier').select('secrets_sealed').executeTakeFirstOrThrow()).secrets_sealed

    const kept = (await a.own('PUT', `/v1/carriers/${made.id}`, { smpp: { port: 2776 } })).json.carrier
    const before = app.services.vault.open((await sealed()) ?? '')
    const gone = (await a.own('PUT', `/v1/carriers/${made.id}`, { smpp: { password: null } })).json.carrier
    await a.own('DELETE', `/v1/carriers/${made.id}`)

    expect(kept.smpp).toMatchObject({ port: 2776, host: '127.0.0.1', has_password: true })
    expect(JSON.parse(before)).toEqual({ password: 'sesame' })
    expect(gone.smpp.has_password).toBe(false)
    const { json } = await a.own('GET', '/v1/audit_log')
    const actions = JSON.stringify(json)
    for (const action of ['carrier.created', 'carrier.changed', 'carrier.deleted']) expect(actions).toContain(action)
    expect(actions).not.toContain('sesame')
  })

  test('of numbers is consistent, and opted-out recipients can be opted back in', async () => {
    const shop = await openShop(testApp)
    const { a, b, line } = shop
    const change = async (body: object) => (await a.own('PUT', `/v1/message_lines/${line.id}`, body)).status
    const off = { name: 'W', kind: 'whatsapp', enabled: false }
    const whatsapp = (await a.own('POST', '/v1/carriers', off)).json.carrier.id
    const theirs = (await b.own('POST', '/v1/carriers', off)).json.carrier.id

    expect(await change({ carrier_id: whatsapp })).toBe(400)
    expect(await change({ whatsapp_carrier_id: theirs })).toBe(400)
    expect(await change({ whatsapp_carrier_id: whatsapp, phone_number_id: null })).toBe(422)
    expect(await change({ whatsapp_carrier_id: whatsapp, waba_id: '1', phone_number_id: '2', per_second: 3 })).toBe(200)
    await shop.writes(customer, 'STOP')
    const { opt_outs, total } = (await a.own('GET', '/v1/opt_outs')).json
    const path = `/v1/message_lines/${line.id}/opt_outs/${encodeURIComponent(customer)}`

    expect(opt_outs).toMatchObject([{ number_id: line.id, phone: customer }])
    expect(total).toBe(1)
    expect((await b.own('DELETE', path)).status).toBe(404)
    expect((await a.own('DELETE', path)).status).toBe(204)
    expect((await a.own('DELETE', path)).status).toBe(404)
    expect((await shop.send({ to: customer, body: 'Welcome back' })).status).toBe(200)
  })
})
