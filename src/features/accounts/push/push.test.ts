import { expect, test } from 'vitest'
import { onBothDatabases, signedIn } from '../../../../test/kit/app.ts'
import { type Client, client } from '../../../../test/kit/client.ts'
import { type Office, openOffice } from '../../../../test/kit/phone.ts'
import { type PushBrowser, pushBrowser } from '../../../../test/kit/push-browser.ts'

/** As that user, in a browser. */
async function at({ app, base, a }: Office, userId: number): Promise<Client> {
  return client(`${base}/app`, await signedIn(app, base, a.id, userId))
}

async function subscribed(office: Office, userId: number): Promise<{ browser: PushBrowser; ask: Client }> {
  const browser = await pushBrowser()
  const ask = await at(office, userId)
  expect((await ask('PUT', '/v1/me/push_subscription', browser.subscription)).status).toBe(204)
  return { browser, ask }
}

const kinds = (browser: PushBrowser) => browser.messages().map(({ kind }) => kind)

onBothDatabases('web push', (open) => {
  test('a ringing call reaches a browser whose app is closed, encrypted, and its end follows', async () => {
    const office = await openOffice(open)
    const { ada, bea } = office
    const line = await office.line()
    await office.connect(ada, bea)
    const { browser, ask } = await subscribed(office, ada)
    const { public_key } = (await ask('GET', '/v1/me/push_key')).json

    await office.call(line)
    await office.settle()

    const [ring] = browser.messages()
    expect(ring).toMatchObject({ kind: 'ring', title: '+33 6 12 34 56 78', detail: 'Line 1' })
    const { headers, bytes } = browser.requests[0] ?? { headers: {}, bytes: Buffer.of() }
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '30', urgency: 'high' })
    expect(headers.authorization).toContain(`k=${public_key}`)
    expect(bytes.toString('latin1')).not.toContain('12 34')

    await office.does(bea, { kind: 'answer' })
    await office.settle()
    expect(browser.messages().at(-1)).toMatchObject({ kind: 'ring_stop', title: 'Answered elsewhere' })
    expect(browser.requests[1]?.headers.topic).toBe(headers.topic)
  })

  test('the call is declined from its notification, by the user on whose phone it rings only', async () => {
    const office = await openOffice(open)
    const { ada, bea, cem } = office
    const line = await office.line()
    await office.connect(ada, bea)
    const { browser, ask } = await subscribed(office, ada)
    const id = await office.call(line)
    await office.settle()
    const [ring] = browser.messages()
    const key = ring?.kind === 'ring' ? ring.key : ''

    const byCem = await (await at(office, cem))('POST', '/v1/me/calls/decline', { key })
    const byAda = await ask('POST', '/v1/me/calls/decline', { key })
    const again = await ask('POST', '/v1/me/calls/decline', { key })
    await office.settle()

    expect([byCem.status, byAda.status, again.status]).toEqual([400, 204, 400])
    expect(await office.eventNames(id)).toContain('agent_declined')
  })

  test('a missed call notifies the users on whose phones it rang, a voicemail takes its place, and do not disturb is quiet', async () => {
    const office = await openOffice(open)
    const { ada, bea, cem } = office
    const line = await office.line()
    await office.connect(ada)
    const [first, second, stranger] = [
      await subscribed(office, ada),
      await subscribed(office, bea),
      await subscribed(office, cem),
    ]
    const missed = await office.call(line, { patience: 5 })
    await office.pass(120)
    await office.settle()
    expect(first.browser.messages().at(-1)).toEqual({
      kind: 'missed_call',
      call_id: missed,
      title: '+33 6 12 34 56 78',
      detail: 'Line 1',
    })
    expect(kinds(second.browser)).toEqual([])

    // No user is available, so all users of the number are notified.
    await office.disconnect(ada)
    await first.ask('PUT', '/v1/me/availability', { availability_status: 'unavailable' })
    const before = kinds(first.browser).length
    await office.call(line, { script: [{ voicemail: 12 }] })
    await office.pass(120)
    await office.settle()
    expect(kinds(second.browser)).toEqual(['voicemail'])
    expect(kinds(first.browser)).toHaveLength(before)
    expect(kinds(stranger.browser)).toEqual([])
  })

  test('signing out ends it, and an endpoint that no longer exists is removed', async () => {
    const office = await openOffice(open)
    const { ada, bea } = office
    const line = await office.line()
    await office.connect(ada, bea)
    const here = await subscribed(office, ada)
    const gone = await subscribed(office, ada)
    const unsubscribed = await subscribed(office, ada)
    gone.browser.respond(410)
    const { endpoint } = unsubscribed.browser.subscription
    expect((await unsubscribed.ask('POST', '/v1/me/push_subscription/remove', { endpoint })).status).toBe(204)

    const ringOnce = async () => {
      await office.call(line, { patience: 2 })
      await office.pass(60)
      await office.settle()
    }
    await ringOnce()
    const counted = gone.browser.requests.length
    expect(counted).toBe(1)
    await here.ask('DELETE', '/v1/session')
    const heard = here.browser.requests.length
    await ringOnce()

    expect(heard).toBeGreaterThan(1)
    expect(here.browser.requests).toHaveLength(heard)
    expect(gone.browser.requests).toHaveLength(counted)
    expect(unsubscribed.browser.requests).toHaveLength(0)
    expect(await office.db.selectFrom('push_subscription').select('id').execute()).toEqual([])
  })

  test('a browser belongs to the user who signed in last, and invalid subscriptions are refused', async () => {
    const office = await openOffice(open)
    const { ada, bea } = office
    const { browser } = await subscribed(office, ada)
    const ask = await at(office, bea)
    const { endpoint, p256dh, auth } = browser.subscription

    expect((await ask('PUT', '/v1/me/push_subscription', browser.subscription)).status).toBe(204)
    const rows = await office.db.selectFrom('push_subscription').select(['user_id', 'keys']).execute()
    expect(rows.map(({ user_id }) => Number(user_id))).toEqual([bea])
    expect(rows[0]?.keys).not.toContain(auth)

    const refused = [
      { endpoint: 'https://10.0.0.1/send', p256dh, auth },
      { endpoint: 'ftp://push.example.test/', p256dh, auth },
      { endpoint, p256dh: 'AAAA', auth },
      { endpoint, p256dh, auth: 'AAAA' },
      { endpoint: `https://push.example.test/${'x'.repeat(3_000)}`, p256dh, auth },
    ]
    for (const body of refused) expect((await ask('PUT', '/v1/me/push_subscription', body)).status).toBe(400)
    expect((await ask('PUT', '/v1/me/push_subscription', { endpoint })).status).toBe(422)
  })

  test('the keys are created once and stored encrypted', async () => {
    const office = await openOffice(open)
    const ask = await at(office, office.ada)

    const [one, two] = [await ask('GET', '/v1/me/push_key'), await ask('GET', '/v1/me/push_key')]

    expect(Buffer.from(one.json.public_key, 'base64url')).toHaveLength(65)
    expect(two.json).toEqual(one.json)
    const stored = await office.db.selectFrom('setting').select('value').where('key', '=', 'web_push_keys').execute()
    expect(stored[0]?.value).toMatch(/^v1\./)
  })
})
