import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { addTemplate, customer, fileServer, openShop, png, type Shop } from '../kit/messages.ts'
import { type WhatsappStandIn, whatsappStandIn } from '../kit/whatsapp-stand-in.ts'

// WhatsApp by its own API, against a stand-in that refuses what its operator would refuse.

interface Setting {
  shop: Shop
  there: WhatsappStandIn
  id: number
  url: string
  /** The webhook is called; the status that we answer. */
  notify(value: object, field?: string): Promise<number>
  /** The customer writes: the text begins the 24 hours. */
  inboundMessage(message: object): Promise<number>
}

async function setUp(open: Parameters<typeof openShop>[0]): Promise<Setting> {
  const shop = await openShop(open)
  const { a, line } = shop
  const there = await whatsappStandIn()
  const whatsapp = {
    base_url: there.base,
    version: 'v23.0',
    access_token: there.token,
    app_secret: there.appSecret,
    verify_token: 'verify me',
  }
  const made = await a.own('POST', '/v1/carriers', { name: 'WhatsApp', kind: 'whatsapp', whatsapp })
  expect(made.status, made.text).toBe(201)
  const { id, messages_url: url } = made.json.carrier
  const ids = { whatsapp_carrier_id: id, waba_id: '123456789', phone_number_id: '106540352242922' }
  const set = await a.own('PUT', `/v1/message_lines/${line.id}`, ids)
  expect(set.status, set.text).toBe(200)
  const notify = async (value: object, field = 'messages') => {
    const { raw, headers } = there.signed({
      object: 'whatsapp_business_account',
      entry: [{ id: '123456789', changes: [{ field, value }] }],
    })
    return (await shop.anonymous('POST', url, raw, headers)).status
  }
  const metadata = { display_phone_number: '33199000101', phone_number_id: '106540352242922' }
  const inboundMessage = (message: object) =>
    notify({
      messaging_product: 'whatsapp',
      metadata,
      contacts: [{ profile: { name: 'Ada' }, wa_id: customer.slice(1) }],
      messages: [{ from: customer.slice(1), timestamp: '1763200000', ...message }],
    })
  return { shop, there, id, url, notify, inboundMessage }
}

const inbound = async ({ events, a }: Shop) =>
  (await events(a)).filter(({ name }) => name === 'message.received').map(({ data }) => data)

onAnyDatabase('WhatsApp Cloud API', (open) => {
  test('the webhook is verified, and only signed requests are accepted', async () => {
    const { shop, url, there, inboundMessage } = await setUp(open)
    const ask = (token: string) =>
      shop.anonymous('GET', `${url}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=4711`)

    const [right, wrong] = [await ask('verify%20me'), await ask('guess')]
    const { raw } = there.signed({ object: 'whatsapp_business_account', entry: [] })
    const unsigned = await shop.anonymous('POST', url, raw)
    const forged = await shop.anonymous('POST', url, raw, { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` })
    const other = there.signed({ object: 'page', entry: [] })
    const strange = await shop.anonymous('POST', url, other.raw, other.headers)
    const statuses = [
      await inboundMessage({ id: 'wamid.a', type: 'text', text: { body: 'Hello' } }),
      await inboundMessage({ id: 'wamid.a', type: 'text', text: { body: 'Hello' } }),
    ]

    expect([right.status, right.text, wrong.status]).toEqual([200, '4711', 403])
    expect([unsigned.status, forged.status, strange.status]).toEqual([401, 401, 400])
    expect(statuses).toEqual([200, 200])
    expect(await inbound(shop)).toMatchObject([{ body: 'Hello', channel: 'whatsapp', type: 'text' }])
  })

  test('text and templates are sent as documented, and every status is reported', async () => {
    const { shop, there, inboundMessage, notify } = await setUp(open)
    const { a, line } = shop
    const template = await addTemplate(shop)
    await inboundMessage({ id: 'wamid.in', type: 'text', text: { body: 'Hello' } })
    const native = '/v1/messages/send/whatsapp/native'

    const text = await a.api('POST', native, { lineId: line.id, externalNumber: customer, text: 'Hi "Ada" 😀' })
    expect(text.status, text.text).toBe(200)
    const templateParams = {
      id: template,
      header: { type: 'text', text: '4711' },
      body: [
        { key: '{{2}}', value: 'X-2' },
        { key: '{{1}}', value: 'Ada' },
      ],
      buttons: [{ index: 0, type: 'url', value: 'x2' }],
    }
    const sent = await a.api('POST', native, { lineId: line.id, externalNumber: customer, templateParams })
    expect(sent.status, sent.text).toBe(200)
    await shop.settle()
    for (const status of ['sent', 'read', 'delivered', 'read']) {
      await notify({ messaging_product: 'whatsapp', statuses: [{ id: 'wamid.00000001', status }] })
    }
    const errors = [{ code: 131026, title: 'Message undeliverable' }]
    await notify({ messaging_product: 'whatsapp', statuses: [{ id: 'wamid.00000002', status: 'failed', errors }] })

    const parameter = (text: string) => ({ type: 'text', text })
    expect(there.messages).toMatchObject([
      { to: '33612345678', type: 'text', text: { preview_url: false, body: 'Hi "Ada" 😀' } },
      {
        type: 'template',
        template: {
          name: 'order_confirmation',
          language: { code: 'en' },
          components: [
            { type: 'header', parameters: [parameter('4711')] },
            { type: 'body', parameters: [parameter('Ada'), parameter('X-2')] },
            { type: 'button', sub_type: 'url', index: '0', parameters: [parameter('x2')] },
          ],
        },
      },
    ])
    expect((await shop.messageEvents()).filter((line) => !line.includes('received'))).toEqual([
      'message.sent sent',
      'message.status_updated sent',
      'message.sent sent',
      'message.status_updated sent',
      'message.status_updated delivered',
      'message.status_updated read',
      'message.status_updated failed 30003',
    ])
  })

  test('a message that WhatsApp rejects fails with an error code, and a temporary error is retried', async () => {
    const { shop, there, inboundMessage, id } = await setUp(open)
    const { a, line, clock } = shop
    await inboundMessage({ id: 'wamid.in', type: 'text', text: { body: 'Hello' } })
    const write = (text: string) =>
      a.api('POST', '/v1/messages/send/whatsapp/native', { lineId: line.id, externalNumber: customer, text })

    for (const [code, status] of [
      [131047, 400],
      [131051, 400],
      [132000, 404],
    ] as const) {
      there.failWith({ code, message: 'no', status })
      await write(String(code))
      await shop.settle()
    }
    there.failWith({ code: 190, message: 'Error validating access token: Session has expired', status: 401 })
    await write('waits')
    await shop.settle()
    const [down] = (await a.own('GET', '/v1/carriers')).json.carriers
    there.failWith({ code: 130429, message: 'Rate limit hit', status: 429 })
    await clock.advance(61_000)
    there.failWith(undefined)
    await clock.advance(10_000)

    const events = await shop.messageEvents()
    expect(events.filter((line) => line.includes('failed'))).toEqual([
      'message.status_updated failed 63016',
      'message.status_updated failed 63021',
      'message.status_updated failed 30008',
    ])
    expect(down).toMatchObject({ id, state: 'down', waiting: 1, trouble: expect.stringContaining('access token') })
    expect(there.messages).toMatchObject([{ text: { body: 'waits' } }])
    expect(events.at(-1)).toBe('message.status_updated sent')
  })

  test('every message type of customers is supported', async () => {
    const { shop, there, inboundMessage } = await setUp(open)
    there.files.set('111', { bytes: png, mime: 'image/png' })
    const context = { from: '33199000101', id: 'wamid.unknown' }

    const answers = [
      await inboundMessage({ id: 'w1', type: 'image', image: { id: '111', caption: 'Look', mime_type: 'image/png' } }),
      await inboundMessage({ id: 'w2', type: 'button', button: { text: 'Yes', payload: 'YES-1' }, context }),
      await inboundMessage({
        id: 'w3',
        type: 'interactive',
        interactive: { type: 'list_reply', list_reply: { id: 'l', title: 'Two' } },
      }),
      await inboundMessage({
        id: 'w4',
        type: 'location',
        location: { latitude: 48.85, longitude: 2.35, name: 'Paris' },
      }),
      await inboundMessage({ id: 'w5', type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '👍' } }),
      await inboundMessage({
        id: 'w6',
        type: 'contacts',
        contacts: [{ name: { formatted_name: 'Bo' }, phones: [{ phone: '+1 415' }] }],
      }),
      await inboundMessage({ id: 'w7', type: 'sticker', sticker: { id: 'gone' } }),
      await inboundMessage({ id: 'w8', type: 'order', order: {} }),
      await inboundMessage({
        id: 'w9',
        type: 'text',
        text: { body: 'Ad' },
        referral: { source_url: 'https://ad.example', headline: 'Sale' },
      }),
    ]
    const got = await inbound(shop)

    expect(answers).toEqual(Array(9).fill(200))
    expect(got).toMatchObject([
      {
        type: 'image',
        body: 'Look',
        media_details: [{ file_type: 'image/png' }],
        metadata: { provider_message_id: 'w1' },
      },
      { type: 'button', body: 'Yes', metadata: { button: { text: 'Yes', payload: 'YES-1' } } },
      { type: 'button', body: 'Two', metadata: { button: { text: 'Two', payload: 'l' } } },
      { type: 'location', metadata: { location: { latitude: 48.85, longitude: 2.35, name: 'Paris' } } },
      { type: 'reaction', metadata: { reaction: { emoji: '👍' } } },
      { type: 'contacts', body: 'Bo +1 415' },
      { type: 'sticker', media_details: [{ presigned_url: '', error_code: 63019 }] },
      { type: 'unsupported' },
      { type: 'text', metadata: { referral: { source_url: 'https://ad.example', headline: 'Sale' } } },
    ])
  })

  test('attachments are sent as URLs with captions, and a reaction names its message', async () => {
    const { shop, there, inboundMessage } = await setUp(open)
    await inboundMessage({ id: 'wamid.in', type: 'text', text: { body: 'Hello' } })
    const mediaUrl = [`${await fileServer({ '/cat.png': { bytes: png } })}/cat.png`]
    const { api } = shop.a
    const configuration = { callbackUrl: 'https://crm.example.com/', type: 'whatsapp' }
    await api('POST', `/v1/numbers/${shop.line.id}/messages/configuration`, configuration)

    const input = { lineId: shop.line.id, to: customer, text: 'Look', mediaUrl }
    const sent = await api('POST', '/v1/messages/whatsapp/send', input)
    expect(sent.status, sent.text).toBe(200)
    await shop.settle()
    await api('DELETE', `/v1/numbers/${shop.line.id}/messages/configuration`)
    await inboundMessage({ id: 'w5', type: 'reaction', reaction: { message_id: 'wamid.00000001', emoji: '👍' } })

    expect(there.messages).toMatchObject([{ type: 'image', image: { caption: 'Look', link: expect.any(String) } }])
    const [{ image }] = there.messages as [{ image: { link: string } }]
    expect(Buffer.from(await (await fetch(image.link)).arrayBuffer())).toEqual(png)
    expect((await inbound(shop)).at(-1)).toMatchObject({
      type: 'reaction',
      metadata: { reaction: { emoji: '👍', message_id: sent.json.id } },
    })
  })

  test('a webhook whose file cannot be fetched is answered with 503 and accepted later', async () => {
    const { shop, there, inboundMessage } = await setUp(open)
    const image = { id: 'w1', type: 'image', image: { id: '111' } }
    await there.goOffline()

    const first = await inboundMessage(image)
    await there.goOnline()
    there.files.set('111', { bytes: png, mime: 'image/png' })
    const second = await inboundMessage(image)

    expect([first, second]).toEqual([503, 200])
    expect(await inbound(shop)).toMatchObject([{ media_details: [{ file_type: 'image/png' }] }])
  })

  test('templates and limits are read from WhatsApp, page by page', async () => {
    const { shop, there, id } = await setUp(open)
    const { a, line } = shop
    const body = { type: 'BODY', text: 'Hello {{1}}', example: {} }
    const usual = { language: 'en', category: 'UTILITY', status: 'APPROVED', components: [body] }
    there.templates = [
      { ...usual, name: 'one' },
      { ...usual, name: 'two', components: [body, { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'x' }] }] },
      { ...usual, name: 'three', status: 'IN_APPEAL' },
      { ...usual, name: 'named', parameter_format: 'NAMED' },
      { ...usual, name: 'five' },
    ]
    there.line = {
      status: 'CONNECTED',
      quality_rating: 'YELLOW',
      messaging_limit_tier: 'TIER_10K',
      business_verification_status: 'verified',
    }
    const names = async (status = 'APPROVED') =>
      (await a.api('GET', `/v1/numbers/${line.id}/templates?status=${status}`)).json.templates

    const synced = await a.own('POST', `/v1/carriers/${id}/sync`)
    const first = await names()
    there.templates = there.templates.slice(4)
    await a.own('POST', `/v1/carriers/${id}/sync`)
    const second = await names()

    expect(synced.json).toEqual({ lines: 1, templates: 3, left_out: 2, trouble: null })
    expect(first.map(({ name }: { name: string }) => name)).toEqual(['five', 'one'])
    expect(first[0].components).toEqual([{ type: 'BODY', text: 'Hello {{1}}' }])
    expect(second).toMatchObject([{ name: 'five', id: first[0].id }])
    expect((await a.api('GET', `/v1/numbers/${line.id}/whatsapp_status`)).json).toMatchObject({
      status: 'ONLINE',
      qualityRating: 'YELLOW',
      messagingLimitTier: 'TIER_10K',
      businessVerificationStatus: 'VERIFIED',
    })
  })
})
