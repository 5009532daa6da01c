import { expect, test } from 'vitest'
import { hour, minute } from '../../src/lib/clock.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { addTemplate, approved, customer, fileServer, openShop, png } from '../kit/messages.ts'
import { receiver } from '../kit/receiver.ts'

const native = '/v1/messages/send/whatsapp/native'
const skipping = '/v1/messages/whatsapp/send'

onAnyDatabase('WhatsApp', (open) => {
  test('free-form text within a day of the customer’s last message, and not after', async () => {
    const shop = await openShop(open)
    const { a, clock, line } = shop
    await a.api('PUT', '/sandbox/v1/callees', { numbers: { [customer]: { message_status: 'read' } } })
    const send = (text: string) => shop.send({ lineId: line.id, externalNumber: customer, text }, native)

    const early = await send('Too early')
    await clock.advance(minute)
    await shop.writes(customer, 'Where is my order?', { channel: 'whatsapp' })
    await send('In time')
    await clock.advance(23 * hour)
    await send('Still in time')
    await clock.advance(2 * hour)
    await send('Too late')
    await clock.advance(minute)

    expect(early.status).toBe(200)
    expect(early.json).toMatchObject({ channel: 'whatsapp', type: 'text', template_content: null, status: 'pending' })
    expect(early.json).toMatchObject({ whatsapp_message_type: 'free_customer_service', recipient_country: 'FR' })
    expect(await shop.messageEvents()).toEqual([
      'message.status_updated failed 63016',
      'message.received received',
      ...Array(2)
        .fill([
          'message.sent sent',
          'message.status_updated sent',
          'message.status_updated delivered',
          'message.status_updated read',
        ])
        .flat(),
      'message.status_updated failed 63016',
    ])
  })

  test('a template opens a conversation, filled in as the customer reads it', async () => {
    const shop = await openShop(open)
    const { clock, line } = shop
    const id = await addTemplate(shop)
    const templateParams = {
      id: String(id),
      header: { type: 'text', text: '4711' },
      body: [
        { key: '{{1}}', value: 'Jordan' },
        { key: '{{2}}', value: '4711' },
      ],
      buttons: [{ index: 0, type: 'url', value: '4711' }],
    }

    const sent = await shop.send({ lineId: line.id, externalNumber: customer, templateParams }, native)
    await clock.advance(minute)

    expect(sent.json).toMatchObject({
      body: 'Hello Jordan, your order 4711 is on its way.',
      type: 'template',
      whatsapp_message_category: 'utility',
      whatsapp_message_type: 'regular',
      template_content: {
        id,
        name: 'order_confirmation',
        language: 'en',
        header: { type: 'text', text: 'Order 4711' },
        footer: 'The shop',
        buttons: [{ type: 'url', text: 'Track', value: 'https://shop.example/track/4711' }],
      },
    })
    expect(await shop.messageEvents()).toContain('message.status_updated delivered')
  })

  test('past the inbox: every status to the callback and as an event, answers by the mode of the last message', async () => {
    const shop = await openShop(open)
    const { a, clock, line } = shop
    const crm = await receiver()
    const base = await fileServer({ '/cat.png': { bytes: png } })
    const body = { lineId: line.id, to: customer }
    const notConfigured = await shop.send({ ...body, text: 'x' }, skipping)
    await a.api('POST', `/v1/numbers/${line.id}/messages/configuration`, { callbackUrl: crm.url, type: 'whatsapp' })

    await shop.writes(customer, 'Hi', { channel: 'whatsapp' })
    await shop.send({ ...body, mediaUrl: [`${base}/cat.png`] }, skipping)
    await clock.advance(minute)
    await shop.writes(customer, 'A cat!', { channel: 'whatsapp' })
    await shop.send({ lineId: line.id, externalNumber: customer, text: 'Now an agent writes' }, native)
    await clock.advance(minute)
    await shop.writes(customer, 'Hello agent', { channel: 'whatsapp' })
    await clock.advance(minute)

    expect(notConfigured.status).toBe(400)
    expect(crm.got.map(({ body }) => [body.event_name, body.data.status, body.data.type])).toEqual([
      ['message.received', 'received', 'text'],
      ['message.updated', 'sent', 'image'],
      ['message.updated', 'delivered', 'image'],
      ['message.received', 'received', 'text'],
    ])
    const events = (await shop.events(a)).filter(({ name }) => name.startsWith('message.'))
    expect(events.map(({ name, data }) => [name, data.origin, data.status])).toEqual([
      ['message.status_updated', 'public_api', 'sent'],
      ['message.status_updated', 'public_api', 'delivered'],
      ['message.sent', 'native', 'sent'],
      ['message.status_updated', 'native', 'sent'],
      ['message.status_updated', 'native', 'delivered'],
      ['message.received', 'native', 'received'],
    ])
  })

  test('templates are listed by pages, and the number shows its state', async () => {
    const shop = await openShop(open)
    const { a, line } = shop
    for (const name of ['alpha', 'beta', 'gamma']) await addTemplate(shop, { ...approved, name })
    await addTemplate(shop, { ...approved, name: 'waits', status: 'PENDING' })
    await addTemplate(shop, { ...approved, name: 'advert', category: 'MARKETING' })
    const list = async (query: string) => (await a.api('GET', `/v1/numbers/${line.id}/templates${query}`)).json
    const names = (page: { templates: { name: string }[] }) => page.templates.map(({ name }) => name)

    const first = await list('?limit=2')
    const second = await list(`?limit=2&token=${first.pageInfo.nextToken}`)

    expect([names(first), names(second)]).toEqual([
      ['advert', 'alpha'],
      ['beta', 'gamma'],
    ])
    expect(first.pageInfo).toEqual({ currentToken: 0, nextToken: 2, totalCount: 4 })
    expect(second.pageInfo).toEqual({ currentToken: 2, nextToken: null, totalCount: 4 })
    expect(names(await list('?status=PENDING'))).toEqual(['waits'])
    expect(names(await list('?category=MARKETING&sort=-name'))).toEqual(['advert'])
    expect(first.templates[0]).toMatchObject({ wabaId: '123456789', status: 'APPROVED', components: expect.any(Array) })
    expect((await a.api('GET', `/v1/numbers/${line.id}/whatsapp_status`)).json).toEqual({
      wabaId: '123456789',
      status: 'ONLINE',
      canSendMessage: true,
      messagingLimitTier: 'TIER_250',
      qualityRating: 'UNKNOWN',
      businessVerificationStatus: 'VERIFIED',
    })
  })
})
