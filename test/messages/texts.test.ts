import { expect, test } from 'vitest'
import { minute, second } from '../../src/lib/clock.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { customer, fileServer, friend, openShop, png } from '../kit/messages.ts'
import { receiver } from '../kit/receiver.ts'

onAnyDatabase('text messages', (open) => {
  test('in the agents’ conversation: answered at once, sent, delivered, and answered by the customer', async () => {
    const shop = await openShop(open)
    const { a, clock, line } = shop
    await a.api('PUT', '/sandbox/v1/callees', { numbers: { [customer]: { reply: 'Thank you' } } })

    const sent = await shop.send({ to: customer, body: 'Your table is ready', user_id: a.ownerId })
    await clock.advance(minute)

    expect(sent.status).toBe(200)
    expect(sent.json).toMatchObject({
      id: expect.stringMatching(/^\d{13}[a-z0-9]{16}$/),
      status: 'pending',
      direction: 'outbound',
      external_number: customer,
      raw_digits: '+33 6 12 34 56 78',
      body: 'Your table is ready',
      media_url: [],
      channel: null,
      number: { id: line.id },
    })
    expect(sent.json.number).not.toHaveProperty('users')
    expect(sent.json.number).not.toHaveProperty('e164_digits')
    expect([sent.json.created_at, sent.json.sent_at, sent.json.updated_at]).toEqual(Array(3).fill(expect.any(Number)))
    expect(await shop.messageEvents()).toEqual([
      'message.sent sent',
      'message.status_updated sent',
      'message.status_updated delivered',
      'message.received received',
    ])
    const events = (await shop.events(a)).filter(({ name }) => name.startsWith('message.'))
    expect(events[0]?.data).toMatchObject({
      id: sent.json.id,
      origin: 'native',
      user: { id: a.ownerId },
      external_number: '+33 6 12 34 56 78',
      number: { e164_digits: line.digits },
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      media_details: [],
    })
    expect(events[3]?.data).toMatchObject({ body: 'Thank you', direction: 'inbound', user: null })
  })

  test('past the inbox: callbacks instead of events, with the token and in order', async () => {
    const shop = await openShop(open)
    const { a, clock, line } = shop
    const crm = await receiver()
    const path = `/v1/numbers/${line.id}/messages/send`
    const refused = await shop.send({ to: customer, body: 'x' }, path)
    const made = await a.api('POST', `/v1/numbers/${line.id}/messages/configuration`, { callbackUrl: crm.url })
    const again = await a.api('POST', `/v1/numbers/${line.id}/messages/configuration`, { callbackUrl: crm.url })
    await a.api('POST', '/v1/contacts', { first_name: 'Ada', phone_numbers: [{ label: 'Work', value: customer }] })

    const sent = await shop.send({ to: customer, body: 'Hello' }, path)
    await clock.advance(minute)
    await shop.writes(customer, 'Hi')
    await shop.settle()

    expect([refused.status, refused.json.troubleshoot]).toEqual([400, expect.stringContaining('/configuration')])
    expect(made.json).toEqual({ token: expect.any(String), callbackUrl: crm.url, type: 'Public Api' })
    expect(again.json.token).toBe(made.json.token)
    expect(sent.json.status).toBe('pending')
    expect(crm.got.map(({ body }) => [body.event_name, body.data.status, body.token])).toEqual([
      ['message.updated', 'sent', made.json.token],
      ['message.updated', 'delivered', made.json.token],
      ['message.received', 'received', made.json.token],
    ])
    expect(crm.got[0]?.body).toMatchObject({
      timestamp: expect.any(Number),
      data: {
        id: sent.json.id,
        external_number: customer,
        created_at: expect.any(Number),
        number: { e164_digits: line.digits },
        contact: { first_name: 'Ada' },
      },
    })
    expect(await shop.messageEvents()).toEqual([])
    expect((await a.api('DELETE', `/v1/numbers/${line.id}/messages/configuration`)).status).toBe(204)
    expect((await a.api('GET', `/v1/numbers/${line.id}/messages/configuration`)).status).toBe(404)
  })

  test('a failed callback is not retried, and delays no other', async () => {
    const shop = await openShop(open)
    const { a, clock, line } = shop
    const crm = await receiver(500)
    await a.api('POST', `/v1/numbers/${line.id}/messages/configuration`, { callbackUrl: crm.url })

    await shop.send({ to: customer, body: 'Hello' }, `/v1/numbers/${line.id}/messages/send`)
    await clock.advance(60 * minute)

    expect(crm.got.map(({ body }) => body.data.status)).toEqual(['sent', 'delivered'])
  })

  test('are sent to a group and received from one', async () => {
    const shop = await openShop(open)
    const { clock, line } = shop
    const path = `/v1/numbers/${line.id}/messages/group/native/send`

    const sent = await shop.send({ participants: [friend, customer], body: 'Dinner at eight' }, path)
    await clock.advance(minute)
    await shop.writes(customer, 'Yes', { participants: [customer, friend] })

    expect(sent.json).toMatchObject({
      group_message_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      group_conversation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      participants: [customer, friend],
      status: 'pending',
    })
    expect(sent.json).not.toHaveProperty('id')
    expect(await shop.messageEvents()).toEqual([
      'group_message.sent sent',
      'group_message.status_updated sent',
      'group_message.status_updated delivered',
      'group_message.received received',
    ])
    const events = (await shop.events(shop.a)).filter(({ name }) => name === 'group_message.received')
    expect(events[0]?.data.group_conversation_id).toBe(sent.json.group_conversation_id)
  })

  test('files are fetched after the response, stored, and available by URL', async () => {
    const shop = await openShop(open)
    const { a, clock } = shop
    const base = await fileServer({
      '/cat.png': { bytes: png },
      '/page.html': { bytes: Buffer.from('<html>') },
      '/big.png': { bytes: Buffer.concat([png, Buffer.alloc(5_242_881)]) },
    })
    const media = (name: string) => shop.send({ to: customer, body: 'Look', mediaUrl: [`${base}/${name}`] })

    const good = await media('cat.png')
    await media('page.html')
    await media('big.png')
    await media('nothing.png')
    await clock.advance(minute)

    expect(good.json.media_url).toEqual([`${base}/cat.png`])
    const events = await shop.messageEvents()
    expect(events.filter((line) => line.includes('failed')).sort()).toEqual([
      'message.status_updated failed 30019',
      'message.status_updated failed 63019',
      'message.status_updated failed 63021',
    ])
    const delivered = (await shop.events(a)).find(({ data }) => data.status === 'delivered')
    const feed = await a.api('GET', '/v1/events')
    const shown = feed.json.events.find(({ data }: { data: { status: string } }) => data.status === 'delivered')
    const [detail] = shown.data.media_details
    expect(detail).toMatchObject({ file_name: 'cat.png', file_type: 'image/png' })
    expect(delivered?.data.id).toBe(good.json.id)
    const file = await fetch(detail.presigned_url)
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Buffer.from(await file.arrayBuffer())).toEqual(png)
    await clock.advance(61 * minute)
    expect((await fetch(detail.presigned_url)).status).toBe(403)
  })

  test('files of a customer arrive with the message, and failed ones have a reason', async () => {
    const shop = await openShop(open)
    const base = await fileServer({
      '/cat.png': { bytes: png },
      '/page.html': { bytes: Buffer.from('<html>') },
      '/big.png': { bytes: Buffer.concat([png, Buffer.alloc(5_242_881)]) },
    })

    const files = ['gone.png', 'page.html', 'cat.png', 'big.png'].map((name) => `${base}/${name}`)
    await shop.writes(customer, 'My cat', { media: files })
    await shop.clock.advance(minute)

    const { json } = await shop.a.api('GET', '/v1/events?event=message.received')
    const { data } = json.events.find(({ event }: { event: string }) => event === 'message.received')
    expect(data).toMatchObject({ body: 'My cat', status: 'received' })
    expect(data).not.toHaveProperty('error_code')
    const unknown = { file_type: 'application/octet-stream', presigned_url: '' }
    expect(data.media_details).toEqual([
      { file_name: 'gone.png', ...unknown, error_code: 63019, error_message: 'The file could not be fetched' },
      { file_name: 'page.html', ...unknown, error_code: 63021, error_message: 'The type of the file is not supported' },
      { file_name: 'cat.png', file_type: 'image/png', presigned_url: expect.stringMatching(/^http/) },
      { file_name: 'big.png', ...unknown, error_code: 30019, error_message: 'The file is larger than 5 MB' },
    ])
    expect((await fetch(data.media_details[2].presigned_url)).status).toBe(200)
  })

  test('recipients who reply STOP get no messages until they reply START', async () => {
    const shop = await openShop(open)
    const { clock } = shop

    await shop.writes(customer, 'STOP')
    const refused = await shop.send({ to: customer, body: 'Sale!' })
    const other = await shop.send({ to: friend, body: 'Sale!' })
    await shop.writes(customer, 'start')
    const allowed = await shop.send({ to: customer, body: 'Welcome back' })
    await clock.advance(minute)

    expect([refused.status, other.status, allowed.status]).toEqual([400, 200, 200])
    expect(refused.json.troubleshoot).toContain('opted out')
  })

  test('a Number limited to two messages per second sends two per second, in order', async () => {
    const shop = await openShop(open)
    const { a, clock, db, line } = shop
    await db.updateTable('message_line').set({ per_second: 2 }).where('number_id', '=', line.id).execute()
    for (let n = 0; n < 5; n++) await shop.send({ to: customer, body: `${n}` })
    const sentBy = async () =>
      (await shop.events(a)).filter(({ name }) => name === 'message.sent').map(({ data }) => data.body)

    await shop.settle()
    const atOnce = await sentBy()
    await clock.advance(second)
    const afterASecond = await sentBy()
    await clock.advance(minute)

    expect(atOnce).toEqual(['0'])
    expect(afterASecond).toEqual(['0', '1', '2'])
    expect(await sentBy()).toEqual(['0', '1', '2', '3', '4'])
  })

  test('messages accepted before a shutdown are sent after the restart, once', async () => {
    const shop = await openShop(open)
    const { db, a, line } = shop
    await db.updateTable('message_line').set({ per_second: 1 }).where('number_id', '=', line.id).execute()
    for (let n = 0; n < 3; n++) await shop.send({ to: customer, body: `${n}` })

    const later = await shop.restart(minute)
    await later.clock.advance(minute)

    const sent = (await later.events(a)).filter(({ name }) => name === 'message.sent').map(({ data }) => data.body)
    expect(sent).toEqual(['0', '1', '2'])
  })

  test('can be exported, and an export resumes from a cursor', async () => {
    const shop = await openShop(open)
    for (let n = 0; n < 3; n++) await shop.send({ to: customer, body: `${n}` })
    await shop.writes(customer, 'Hi')
    await shop.clock.advance(minute)
    const lines = async (query = '') =>
      (await shop.a.api('GET', `/v1/export/messages${query}`)).text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))

    const all = await lines()
    const rest = await lines(`?cursor=${all[1].cursor}`)

    expect(all.map(({ message, end }) => message?.body ?? end)).toEqual(['0', '1', '2', 'Hi', true])
    expect(all[0].message).toMatchObject({ status: 'delivered', external_number: customer, number_id: shop.line.id })
    expect(rest).toEqual(all.slice(2))
    expect((await shop.b.api('GET', '/v1/export/messages')).text.trim().split('\n')).toHaveLength(1)
  })
})
