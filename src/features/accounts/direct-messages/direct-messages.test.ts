import { expect, test } from 'vitest'
import { monday, onBothDatabases, type TestApp } from '../../../../test/kit/app.ts'
import { jumpingClock } from '../../../../test/kit/clocks.ts'
import { type Colleague, colleague } from '../../../../test/kit/visitor.ts'
import { day, minute } from '../../../lib/clock.ts'

const path = '/v1/me/direct_messages'

async function twoColleagues(app: TestApp) {
  const [ada, bea] = [await colleague(app, app.a, 'agent'), await colleague(app, app.a, 'supervisor')]
  const send = async (from: Colleague, to: Colleague, text: string, key?: string) =>
    from.ask('POST', `${path}/${to.id}`, { text }, key === undefined ? {} : { 'idempotency-key': key })
  const listed = async (of: Colleague) => (await of.ask('GET', path)).json
  const texts = async (of: Colleague, other: Colleague, query = '') => {
    const { messages, earlier } = (await of.ask('GET', `${path}/${other.id}${query}`)).json
    return { texts: messages.map(({ text }: { text: string | null }) => text), earlier }
  }
  return { ada, bea, send, listed, texts }
}

/** What phone apps are sent, in order: `user kind`. */
function watchPhones({ app }: TestApp): string[] {
  const sent: string[] = []
  const { liveHub } = app.services
  const { send } = liveHub
  liveHub.send = (companyId, userId, message, to) => {
    const detail = message.kind === 'notice' ? `${message.notice.title}: ${message.notice.detail}` : ''
    const what = message.kind === 'direct_message' ? message.what : detail
    sent.push(`${userId} ${message.kind} ${what}`)
    send(companyId, userId, message, to)
  }
  return sent
}

onBothDatabases('messages between colleagues', (open) => {
  test('a message reaches the colleague, is unread there until it is read, and is answered', async () => {
    const app = await open()
    const { ada, bea, send, listed, texts } = await twoColleagues(app)
    const phones = watchPhones(app)

    const sent = await send(ada, bea, '  Can you take the Petit call?\n')
    await send(ada, bea, 'It is urgent')

    expect([sent.status, sent.json.message]).toEqual([
      201,
      {
        id: expect.any(Number),
        sender_id: ada.id,
        text: 'Can you take the Petit call?',
        sent_at: Math.floor(app.clock.now() / 1_000),
      },
    ])
    expect(phones.slice(0, 3)).toEqual([
      `${ada.id} direct_message changed`,
      `${bea.id} direct_message received`,
      `${bea.id} notice C agent: Can you take the Petit call?`,
    ])
    expect(await listed(bea)).toMatchObject({
      conversations: [
        { user: { id: ada.id, name: 'C agent', state: 'active' }, unread: 2, last_message: { text: 'It is urgent' } },
      ],
      unread: 2,
      next: null,
    })
    expect(await listed(ada)).toMatchObject({ conversations: [{ user: { id: bea.id }, unread: 0 }], unread: 0 })

    phones.length = 0
    await bea.ask('PUT', `${path}/${ada.id}`, { read_to: sent.json.message.id })
    expect((await listed(bea)).unread).toBe(1)
    const { conversations } = await listed(bea)
    await bea.ask('PUT', `${path}/${ada.id}`, { read_to: conversations[0].last_message.id })
    // A window that shows less, and a message that does not exist.
    await bea.ask('PUT', `${path}/${ada.id}`, { read_to: sent.json.message.id })
    await bea.ask('PUT', `${path}/${ada.id}`, { read_to: conversations[0].last_message.id + 1_000 })
    await send(bea, ada, 'Yes')

    expect(phones.slice(0, 2)).toEqual([`${bea.id} direct_message changed`, `${bea.id} direct_message changed`])
    expect([(await listed(bea)).unread, (await listed(ada)).unread]).toEqual([0, 1])
    expect((await texts(ada, bea)).texts).toEqual(['Can you take the Petit call?', 'It is urgent', 'Yes'])
  })

  test('an unavailable colleague is not notified, and the message is unread', async () => {
    const app = await open()
    const { ada, bea, send, listed } = await twoColleagues(app)
    const phones = watchPhones(app)
    await app.a.api('PUT', `/v2/users/${bea.id}`, { availability_status: 'unavailable', substatus: 'on_a_break' })
    phones.length = 0

    await send(ada, bea, 'When you are back')

    expect(phones).toEqual([`${ada.id} direct_message changed`, `${bea.id} direct_message received`])
    expect((await listed(bea)).unread).toBe(1)
  })

  test('conversations and messages are read in pages, the latest first', async () => {
    const app = await open()
    const { ada, bea, send, texts } = await twoColleagues(app)
    const cem = await colleague(app, app.a, 'agent')
    for (const n of [1, 2, 3, 4, 5]) await send(n % 2 ? ada : bea, n % 2 ? bea : ada, `${n}`)
    await send(cem, ada, 'Hello')

    const last = await texts(ada, bea, '?limit=2')
    const middle = await texts(ada, bea, `?limit=2&before=${last.earlier}`)
    const first = await texts(ada, bea, `?limit=2&before=${middle.earlier}`)
    const newest = (await ada.ask('GET', `${path}?limit=1`)).json
    const oldest = (await ada.ask('GET', `${path}?limit=1&before=${newest.next}`)).json

    expect([first.texts, middle.texts, last.texts]).toEqual([['1'], ['2', '3'], ['4', '5']])
    expect(first.earlier).toBeNull()
    expect(newest).toMatchObject({ conversations: [{ user: { id: cem.id }, unread: 1 }], unread: 3 })
    expect(oldest).toMatchObject({ conversations: [{ user: { id: bea.id }, unread: 2 }], unread: 3, next: null })
  })

  test('a message that is repeated with its Idempotency-Key is sent once', async () => {
    const app = await open()
    const { ada, bea, send, texts, listed } = await twoColleagues(app)
    const phones = watchPhones(app)

    const answers = [await send(ada, bea, 'Once', 'first'), await send(ada, bea, 'Once', 'first')]
    const parallel = await Promise.all([1, 2, 3].map((n) => send(n % 2 ? ada : bea, n % 2 ? bea : ada, `${n}`)))

    expect(answers.map(({ status, json }) => [status, json.message.id])).toEqual([
      [201, answers[0]?.json.message.id],
      [201, answers[0]?.json.message.id],
    ])
    expect(phones.filter((one) => one.includes('Once'))).toHaveLength(1)
    expect(parallel.map(({ status }) => status)).toEqual([201, 201, 201])
    expect((await texts(bea, ada)).texts.toSorted()).toEqual(['1', '2', '3', 'Once'])
    expect((await listed(bea)).unread).toBe(3)
  })

  test('only the two users can read and send; a user cannot write to themselves or to another company', async () => {
    const app = await open()
    const { ada, bea, send } = await twoColleagues(app)
    const [owner, stranger] = [await colleague(app, app.a, 'owner'), await colleague(app, app.b, 'agent')]
    await send(ada, bea, 'Between us')

    const unknown = await ada.ask('GET', `${path}/999999991`)
    for (const to of [stranger.id, ada.id]) {
      expect((await ada.ask('GET', `${path}/${to}`)).status).toBe(404)
      expect((await ada.ask('POST', `${path}/${to}`, { text: 'Hello' })).status).toBe(404)
      expect((await ada.ask('PUT', `${path}/${to}`, { read_to: 1 })).status).toBe(404)
    }
    const foreign = await stranger.ask('GET', `${path}/${ada.id}`)

    expect(foreign.json.troubleshoot).toBe(unknown.json.troubleshoot)
    expect((await owner.ask('GET', path)).json.conversations).toEqual([])
    expect((await owner.ask('GET', `${path}/${bea.id}`)).json.messages).toEqual([])
    expect((await app.a.api('GET', path)).status).toBe(404)
  })

  test('a text is mandatory, has at most 2,000 characters, and 30 are sent per minute', async () => {
    const app = await open()
    const { ada, bea, send } = await twoColleagues(app)

    expect((await send(ada, bea, ' \n ')).status).toBe(422)
    expect((await send(ada, bea, 'x'.repeat(2_001))).status).toBe(400)
    expect((await send(ada, bea, '👋'.repeat(2_000))).status).toBe(201)
    for (let n = 2; n <= 30; n++) expect((await send(ada, bea, `${n}`)).status).toBe(201)
    const refused = await send(ada, bea, 'One more')
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
    expect((await send(bea, ada, 'Slow down')).status).toBe(201)
    app.clock.shiftMachine(minute)
    expect((await send(ada, bea, 'Later')).status).toBe(201)
  })

  test('a deactivated colleague can be read and not written to; a deleted one leaves only what others wrote', async () => {
    const app = await open()
    const { ada, bea, send, listed, texts } = await twoColleagues(app)
    const cem = await colleague(app, app.a, 'agent')
    await send(bea, ada, 'Zenobia was here')
    await send(ada, bea, 'Noted')
    await send(bea, cem, 'Zenobia again')

    const owner = await colleague(app, app.a, 'owner')
    expect((await owner.ask('POST', `/v1/users/${bea.id}/deactivate`)).status).toBeLessThan(300)
    expect((await send(ada, bea, 'Still there?')).status).toBe(422)
    expect((await texts(ada, bea)).texts).toEqual(['Zenobia was here', 'Noted'])
    expect((await listed(ada)).conversations[0].user).toMatchObject({ name: 'C supervisor', state: 'deactivated' })

    expect((await app.a.api('DELETE', `/v1/users/${bea.id}`)).status).toBe(204)
    expect((await texts(ada, bea)).texts).toEqual([null, 'Noted'])
    await app.settle()
    expect((await texts(ada, bea)).texts).toEqual([null, 'Noted'])
    expect((await listed(ada)).conversations[0].user).toEqual({
      id: bea.id,
      name: null,
      extension: null,
      state: 'deleted',
    })
    expect((await send(ada, bea, 'Gone?')).status).toBe(422)
    const rows = await app.db.selectFrom('direct_message').select(['sender_id', 'text']).orderBy('id').execute()
    expect(rows).toEqual([
      { sender_id: bea.id, text: null },
      { sender_id: ada.id, text: 'Noted' },
      { sender_id: bea.id, text: null },
    ])

    for (const { id } of [ada, cem]) expect((await app.a.api('DELETE', `/v1/users/${id}`)).status).toBe(204)
    await app.settle()
    expect(await app.db.selectFrom('direct_message').select('id').execute()).toEqual([])
    expect(await app.db.selectFrom('direct_conversation').select('user_id').execute()).toEqual([])
  })

  test('messages are deleted after the retention period of the company, with conversations that have none left', async () => {
    const clock = jumpingClock(monday)
    const app = await open({ clock })
    const { ada, bea, send, listed, texts } = await twoColleagues(app)
    const cem = await colleague(app, app.a, 'agent')
    await send(ada, cem, 'Old and alone')
    await send(ada, bea, 'Old')
    clock.leap(20 * day)
    await send(ada, bea, 'New')
    const { retention } = (await app.a.own('GET', '/v1/company/retention')).json
    const body = { retention: { ...retention, messages: 30 }, confirmation: 'DELETE' }
    expect((await app.a.own('PUT', '/v1/company/retention', body)).status).toBe(200)

    clock.leap(11 * day)
    await clock.advance(day)

    expect((await texts(bea, ada)).texts).toEqual(['New'])
    expect((await listed(ada)).conversations.map(({ user }: { user: { id: number } }) => user.id)).toEqual([bea.id])
    expect((await listed(cem)).conversations).toEqual([])
  })
})
