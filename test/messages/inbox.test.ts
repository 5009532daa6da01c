import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type OpenApp, onAnyDatabase } from '../kit/app.ts'
import { addTemplate, customer, friend, openShop, png, type Shop } from '../kit/messages.ts'
import { type Colleague, colleague } from '../kit/visitor.ts'
import { openPhone } from '../live/phone-app.ts'

const minute = 60_000
const hour = 60 * minute

interface Inbox extends Shop {
  /** Linked to the line; nothing; reads all; does all. */
  ada: Colleague
  bea: Colleague
  sue: Colleague
  root: Colleague
  list(of: Colleague, query?: string): Promise<Shown[]>
  timeline(of: Colleague, id: string, query?: string): Promise<Item[]>
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the API
type Shown = any
// biome-ignore lint/suspicious/noExplicitAny: answers of the API
type Item = any

/** Ada, and further users. */
async function openInbox(open: OpenApp, ...others: ('bea' | 'sue' | 'root')[]): Promise<Inbox> {
  const shop = await openShop(open)
  const { a, line } = shop
  const ada = await colleague(shop, a, 'agent')
  const come = (name: (typeof others)[number], role: string) =>
    others.includes(name) ? colleague(shop, a, role) : Promise.resolve(ada)
  const [bea, sue, root] = [await come('bea', 'agent'), await come('sue', 'supervisor'), await come('root', 'admin')]
  await a.own('PUT', `/v1/numbers/${line.id}/users`, { user_ids: [ada.id] })
  return {
    ...shop,
    ada,
    bea,
    sue,
    root,
    list: async (of, query = '') => (await of.ask('GET', `/v1/conversations${query}`)).json.conversations,
    timeline: async (of, id, query = '') =>
      (await of.ask('GET', `/v1/conversations/${id}/timeline${query}`)).json.items,
  }
}

const words = (items: Item[]) =>
  items.map(({ message, call }) => (message ? `${message.direction} ${message.body}` : `${call.direction} call`))

onAnyDatabase('the inbox', (open) => {
  test('a customer writes, an agent reads, answers and sees it arrive', async () => {
    const inbox = await openInbox(open)
    const { a, ada, clock } = inbox
    await a.api('POST', '/v1/contacts', { first_name: 'Ines', phone_numbers: [{ label: 'w', value: customer }] })

    await inbox.writes(customer, 'Is it ready?')
    const [found] = await inbox.list(ada)
    const before = (await ada.ask('GET', '/v1/conversations/unread')).json
    const read = await ada.ask('PUT', `/v1/conversations/${found.id}`, { read: true })
    const sent = await ada.ask('POST', `/v1/conversations/${found.id}/messages`, { channel: 'texts', text: 'Tomorrow' })
    await clock.advance(minute)

    expect(found).toMatchObject({
      people: [{ number: customer, display: '+33 6 12 34 56 78', contact: { name: 'Ines' } }],
      line: { name: 'Shop' },
      unread: 1,
      last_message: 'Is it ready?',
      last_direction: 'inbound',
      may_write: true,
    })
    expect([before.unread, read.json.conversation.unread]).toEqual([1, 0])
    expect(sent.status).toBe(201)
    expect(sent.json.item.message).toMatchObject({ status: 'pending', user: { id: ada.id } })
    const items = await inbox.timeline(ada, found.id)
    expect(words(items)).toEqual(['inbound Is it ready?', 'outbound Tomorrow'])
    expect(items[1].message).toMatchObject({ status: 'delivered', user: { id: ada.id }, trouble: null })
    expect((await inbox.events(a)).find(({ name }) => name === 'message.sent')?.data.user.id).toBe(ada.id)
  })

  test('agents see the lines they are linked to and what is assigned to them; supervisors read, admins do all', async () => {
    const inbox = await openInbox(open, 'bea', 'sue', 'root')
    const { ada, bea, sue, root, b } = inbox
    await inbox.writes(customer, 'Hello')
    const [{ id }] = await inbox.list(ada)
    const at = `/v1/conversations/${id}`
    const stranger = await colleague(inbox, b, 'admin')

    const seen = await Promise.all([ada, bea, sue, root].map(async (who) => (await inbox.list(who)).length))
    const mine = (await inbox.list(root, '?mine=true')).length
    const hidden = [
      await bea.ask('GET', at),
      await stranger.ask('GET', at),
      await stranger.ask('GET', `${at}/timeline`),
    ]
    const written = [
      await bea.ask('POST', `${at}/messages`, { channel: 'texts', text: 'Hi' }),
      await sue.ask('POST', `${at}/messages`, { channel: 'texts', text: 'Hi' }),
      await sue.ask('PUT', at, { read: true }),
      await root.ask('PUT', at, { user_id: bea.id }),
    ]
    const assigned = await inbox.list(bea, '?assigned_to=me')
    const answered = await bea.ask('POST', `${at}/messages`, { channel: 'texts', text: 'Hi' })

    expect([seen, mine]).toEqual([[1, 0, 1, 1], 0])
    expect(hidden.map(({ status }) => status)).toEqual([404, 404, 404])
    expect(written.map(({ status }) => status)).toEqual([404, 403, 403, 200])
    expect((await inbox.list(sue))[0].may_write).toBe(false)
    expect(assigned).toMatchObject([{ id, assigned_to: { id: bea.id } }])
    expect(answered.status).toBe(201)
    expect((await root.ask('PUT', at, { user_id: stranger.id })).status).toBe(400)
    expect(await inbox.list(root, '?assigned_to=unassigned')).toEqual([])
    expect((await inbox.list(root, `?assigned_to=${bea.id}`)).length).toBe(1)
  })

  test('conversations are found by name, number and words, page by page', async () => {
    const inbox = await openInbox(open)
    const { a, ada, clock, line } = inbox
    await a.api('POST', '/v1/contacts', { last_name: 'Bond', phone_numbers: [{ label: 'w', value: friend }] })
    const people = [customer, friend, '+33612345681', '+33612345682']
    for (const [n, from] of people.entries()) {
      await inbox.writes(from, `Order ${n}, 100% sure`)
      await clock.advance(minute)
    }
    const found = async (query: string) =>
      (await inbox.list(ada, `?${query}`)).map(({ people: [one] }: Shown) => one.number)
    const first = (await ada.ask('GET', '/v1/conversations?limit=3')).json
    const second = (await ada.ask('GET', `/v1/conversations?limit=3&after=${first.next}`)).json
    const [top] = first.conversations
    await ada.ask('PUT', `/v1/conversations/${top.id}`, { archived: true, read: true })

    expect(first.conversations.map(({ last_message }: Shown) => last_message)).toEqual(
      ['3', '2', '1'].map((n) => `Order ${n}, 100% sure`),
    )
    expect([second.conversations.length, second.next]).toEqual([1, null])
    expect(await found('search=bond')).toEqual([friend])
    expect(await found('search=45681')).toEqual(['+33612345681'])
    expect(await found('search=order%200')).toEqual([customer])
    expect(await found('search=0%25')).toHaveLength(3)
    expect(await found('search=x_x')).toEqual([])
    expect(await found('archived=true')).toEqual(['+33612345682'])
    expect(await found('unread=true')).toHaveLength(3)
    expect(await found(`number_id=${line.id}`)).toHaveLength(3)
    expect(await found('number_id=999999')).toEqual([])
    expect((await ada.ask('GET', '/v1/conversations?after=x')).status).toBe(400)
    await inbox.writes('+33612345682', 'Still there?')
    expect(await found('archived=true')).toEqual([])
  })

  test('calls stand between the messages, and the past is read page by page', async () => {
    const inbox = await openInbox(open)
    const { ada, clock, line, app } = inbox
    for (const n of [1, 2]) {
      await inbox.writes(customer, `Message ${n}`)
      await clock.advance(minute)
      await app.services.sandbox?.network.call({
        from: customer,
        to: line.digits,
        script: [],
        patienceSeconds: 5,
      })
      await clock.advance(minute)
    }
    const [{ id }] = await inbox.list(ada)

    const pages: string[][] = []
    for (let query = '?limit=3'; query !== ''; ) {
      const { json } = await ada.ask('GET', `/v1/conversations/${id}/timeline${query}`)
      pages.unshift(words(json.items))
      query = json.earlier === null ? '' : `?limit=3&before=${json.earlier}`
    }

    expect(pages).toEqual([['inbound Message 1'], ['inbound call', 'inbound Message 2', 'inbound call']])
    const items = await inbox.timeline(ada, id)
    expect(items[1].call).toMatchObject({ direction: 'inbound', answered: false, status: 'done' })
    expect((await ada.ask('GET', `/v1/conversations/${id}/timeline?before=x`)).status).toBe(400)
  })

  test('files are uploaded, sent and shown, only to the company', async () => {
    const inbox = await openInbox(open, 'root')
    const { ada, root, clock, app } = inbox
    await inbox.writes(customer, 'A picture?')
    const [{ id }] = await inbox.list(ada)
    const at = `/v1/conversations/${id}/messages`
    const upload = async (bytes: Buffer) => ada.ask('POST', '/v1/message_uploads', { data: bytes.toString('base64') })
    const { json, status } = await upload(png)
    const files = [{ id: json.upload.id, name: 'cat.png' }]

    const large = await upload(Buffer.concat([png, Buffer.alloc(5_242_880 - png.length)]))
    const larger = await upload(Buffer.concat([png, Buffer.alloc(5_242_880)]))
    const page = await upload(Buffer.from('<html>'))
    const stolen = await root.ask('POST', at, { channel: 'texts', files })
    const escaped = await ada.ask('POST', at, { channel: 'texts', files: [{ id: '../../x.png', name: 'x' }] })
    const sent = await ada.ask('POST', at, { channel: 'texts', text: 'Here', files })
    await clock.advance(minute)

    expect([status, large.status, larger.status, page.status]).toEqual([201, 201, 400, 400])
    expect([stolen.status, escaped.status, sent.status]).toEqual([400, 400, 201])
    const items = await inbox.timeline(ada, id)
    expect(items.at(-1).message).toMatchObject({ status: 'delivered', media: [{ name: 'cat.png', type: 'image/png' }] })
    const shown = await fetch(items.at(-1).message.media[0].url)
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(png)
    const key = `message-uploads/${inbox.a.id}/${ada.id}/${json.upload.id}`
    expect(await app.services.files.size(key)).toBe(png.length)
    await clock.advance(25 * hour)
    expect(await app.services.files.size(key)).toBeUndefined()
    expect((await ada.ask('POST', at, { channel: 'texts', files })).status).toBe(400)
  })

  test('outside the window WhatsApp accepts templates only; opted-out recipients get no messages', async () => {
    const inbox = await openInbox(open)
    const { ada, clock } = inbox
    const template = await addTemplate(inbox)
    await inbox.writes(customer, 'Hello', { channel: 'whatsapp' })
    const [{ id }] = await inbox.list(ada)
    const at = `/v1/conversations/${id}`
    const reachable = async () => (await ada.ask('GET', at)).json.reachable
    const opened = await reachable()
    await clock.advance(25 * hour)

    const closed = await reachable()
    const offered = (await ada.ask('GET', `${at}/templates`)).json.templates
    const values = {
      id: template,
      header: { type: 'text', text: '7' },
      body: [
        { key: '{{1}}', value: 'Ines' },
        { key: '{{2}}', value: '7' },
      ],
      buttons: [{ index: 0, type: 'url', value: '7' }],
    }
    const free = await ada.ask('POST', `${at}/messages`, { channel: 'whatsapp', text: 'Still there?' })
    const sent = await ada.ask('POST', `${at}/messages`, { channel: 'whatsapp', template: values })
    await clock.advance(minute)
    await inbox.writes(customer, 'STOP')
    const refused = await ada.ask('POST', `${at}/messages`, { channel: 'texts', text: 'Sale!' })

    expect(opened).toMatchObject({
      texts: true,
      whatsapp: true,
      window_until: expect.any(Number),
      last_channel: 'whatsapp',
    })
    expect(closed.window_until).toBeNull()
    expect(offered).toMatchObject([{ id: template, name: 'order_confirmation' }])
    expect([free.status, sent.status, refused.status]).toEqual([201, 201, 400])
    const items = await inbox.timeline(ada, id)
    expect(items.map(({ message }) => [message.body, message.status])).toEqual([
      ['Hello', 'received'],
      ['Still there?', 'failed'],
      ['Hello Ines, your order 7 is on its way.', expect.stringMatching(/delivered|read/)],
      ['STOP', 'received'],
    ])
    expect(items[1].message.trouble).toContain('24 hours')
    expect(items[2].message).toMatchObject({ header: 'Order 7', footer: 'The shop', buttons: ['Track'] })
    expect(refused.json.troubleshoot).toContain('opted out')
    expect((await reachable()).opted_out).toEqual([customer])
  })

  test('a conversation and a group are started, and listed after the first message', async () => {
    const inbox = await openInbox(open, 'bea')
    const { ada, bea, line, clock } = inbox
    const begin = (who: Colleague, to: string[], number_id = line.id) =>
      who.ask('POST', '/v1/conversations', { number_id, to })

    const single = await begin(ada, [friend])
    const again = await begin(ada, [friend])
    const group = await begin(ada, [customer, friend])
    const refused = [await begin(bea, [friend]), await begin(ada, [friend], 999_999), await begin(ada, ['12'])]
    const empty = await inbox.list(ada)
    const { id } = group.json.conversation
    await ada.ask('POST', `/v1/conversations/${id}/messages`, { channel: 'texts', text: 'Dinner at eight' })
    await clock.advance(minute)
    await inbox.writes(customer, 'Yes', { participants: [customer, friend] })

    expect(single.json.conversation.id).toBe(again.json.conversation.id)
    expect(refused.map(({ status }) => status)).toEqual([403, 400, 400])
    expect(empty).toEqual([])
    expect(await inbox.list(ada)).toMatchObject([
      { id, is_group: true, people: [{ number: customer }, { number: friend }] },
    ])
    const items = await inbox.timeline(ada, id)
    expect(words(items)).toEqual(['outbound Dinner at eight', 'inbound Yes'])
    expect(items[1].message.author).toBe(customer)
  })

  test('open phone apps and dashboards are notified at once', async () => {
    const inbox = await openInbox(open, 'bea', 'sue')
    const { a, ada, bea, sue, base, settle } = inbox
    // In whichever process its socket ends.
    const elsewhere = inbox.app.database.shared ? await inbox.beside() : inbox
    const phone = await openPhone(elsewhere, { userId: ada.id })
    const other = await openPhone(inbox, { userId: bea.id })
    const watching = await watch(base, sue)
    const outsider = await watch(base, bea)

    await inbox.writes(customer, 'Hello')
    const [{ id }] = await inbox.list(ada)
    await phone.until((received) => received.some(({ type }) => type === 'inbox'))
    await ada.ask('PUT', `/v1/conversations/${id}`, { read: true })
    await ada.ask('PUT', `/v1/conversations/${id}`, { read: true })
    await ada.ask('PUT', `/v1/conversations/${id}`, { user_id: bea.id })
    await other.until((received) => received.some(({ type }) => type === 'inbox'))
    await settle()

    const news = phone.received.filter(({ type }) => type === 'inbox')
    expect(news).toEqual([
      { type: 'inbox', conversation_id: id, what: 'received' },
      { type: 'inbox', conversation_id: id, what: 'changed' },
      { type: 'inbox', conversation_id: id, what: 'changed' },
    ])
    expect(other.received.filter(({ type }) => type === 'inbox')).toHaveLength(1)
    expect(watching.received).toEqual(news)
    expect(outsider.received).toHaveLength(1)
    expect((await a.api('GET', `/v1/users/${sue.id}/availability`)).json.availability).toBe('offline')
  })
})

/** A dashboard's socket. */
async function watch(base: string, who: Colleague) {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/live?watch=1`, {
    headers: { cookie: who.cookie(), origin: base },
  })
  const received: unknown[] = []
  socket.on('message', (data) => received.push(JSON.parse(data.toString())))
  await new Promise<void>((resolve, reject) => {
    socket.on('open', () => resolve())
    socket.on('error', reject)
  })
  return { received, socket }
}
