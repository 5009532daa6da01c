import { expect, test } from 'vitest'
import { onAnyDatabase, type TestApp, testApp } from '../../../../test/kit/app.ts'
import { eventNames } from '../../../domain/events.ts'
import { hashOf } from '../../../lib/secrets.ts'

const url = 'https://example.com/hook'
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** A client with an OAuth token of company A; the sign-in of partners comes later. */
async function partner({ db, a, as, clock }: TestApp, token: string) {
  const row = { company_id: a.id, token_hash: hashOf(token), created_at: clock.now(), revoked_at: null }
  await db.insertInto('oauth_token').values(row).execute()
  return as(`Bearer ${token}`)
}

onAnyDatabase('webhooks', (open) => {
  test('a new webhook has every key, a token of its own, and all 67 events', async () => {
    const { a, base, clock } = await open()
    await clock.advance(102)

    const made = await a.api('POST', '/v1/webhooks', { url, token: 'mine', id: 5, webhook_id: 'x', active: false })

    expect(made.status).toBe(201)
    const { webhook_id, id, token } = made.json.webhook
    expect(made.json).toEqual({
      webhook: {
        webhook_id,
        id,
        direct_link: `${base}/v1/webhooks/${webhook_id}`,
        created_at: '2026-06-15T12:00:00.102Z',
        url,
        active: true,
        events: expect.arrayContaining(eventNames),
        token,
        custom_name: 'Webhook',
      },
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    expect(made.json.webhook.events).toHaveLength(67)
    expect([webhook_id, token]).toEqual([expect.stringMatching(uuid), expect.stringMatching(/^[0-9a-f]{32}$/)])
    expect(Number.isSafeInteger(id)).toBe(true)
  })

  test('a webhook is found by its UUID and by the numeric id of old, and its token never changes', async () => {
    const { a } = await open()
    const made = await a.api('POST', '/v1/webhooks', { url, custom_name: 'CRM', events: ['call.created'] })
    const { webhook_id, id, token } = made.json.webhook

    const { webhook } = made.json
    expect((await a.api('GET', `/v1/webhooks/${webhook_id}`)).json).toEqual({ webhook })
    expect((await a.api('GET', `/v1/webhooks/${id}`)).json).toEqual({ webhook })
    const renamed = await a.api('PUT', `/v1/webhooks/${id}?events_action=add`, { custom_name: 'ERP', token: 'x' })
    expect([renamed.status, renamed.json.webhook]).toEqual([200, { ...made.json.webhook, custom_name: 'ERP' }])
    expect((await a.api('GET', '/v1/webhooks')).json.webhooks[0].token).toBe(token)
    expect((await a.api('DELETE', `/v1/webhooks/${id}`)).status).toBe(204)
    expect((await a.api('DELETE', `/v1/webhooks/${webhook_id}`)).status).toBe(404)
  })

  test('the same url may be registered twice; each is a webhook of its own', async () => {
    const { a } = await open()

    const [first, second] = [await a.api('POST', '/v1/webhooks', { url }), await a.api('POST', '/v1/webhooks', { url })]

    expect(second.json.webhook.webhook_id).not.toBe(first.json.webhook.webhook_id)
    expect(second.json.webhook.token).not.toBe(first.json.webhook.token)
  })

  test('webhooks are listed by age, page by page', async () => {
    const { a, b, base } = await open()
    for (const custom_name of ['One', 'Two', 'Three']) await a.api('POST', '/v1/webhooks', { url, custom_name })
    await b.api('POST', '/v1/webhooks', { url })

    const first = await a.api('GET', '/v1/webhooks?order=desc&per_page=2')
    const second = await a.api('GET', first.json.meta.next_page_link)

    const names = (answer: typeof first) => answer.json.webhooks.map((one: { custom_name: string }) => one.custom_name)
    expect([names(first), names(second)]).toEqual([['Three', 'Two'], ['One']])
    expect(first.json.meta).toEqual({
      count: 2,
      total: 3,
      current_page: 1,
      per_page: 2,
      next_page_link: `${base}/v1/webhooks?order=desc&page=2&per_page=2`,
      previous_page_link: null,
    })
    expect((await a.api('GET', '/v1/webhooks?order=up')).status).toBe(400)
    expect((await a.api('GET', '/v1/webhooks?per_page=51')).status).toBe(400)
  })

  test('active pauses and resumes', async () => {
    const { a } = await open()
    const { webhook } = (await a.api('POST', '/v1/webhooks', { url, events: ['call.created'] })).json
    const put = (active: unknown) => a.api('PUT', `/v1/webhooks/${webhook.webhook_id}?events_action=add`, { active })

    expect((await put(false)).json.webhook).toEqual({ ...webhook, active: false })
    expect((await put(true)).json.webhook).toEqual(webhook)
    for (const invalid of ['true', 1, null]) expect((await put(invalid)).status).toBe(400)
  })

  test('a company has room for 100 webhooks, also when the last ten are asked for at once', async () => {
    const app = await open()
    const { a, b } = app
    const bearer = await partner(app, 'partner')
    for (let i = 0; i < 9; i++) {
      await Promise.all(
        Array.from({ length: 11 }, () => a.api('POST', '/v1/webhooks', { url, events: ['call.created'] })),
      )
    }

    const answers = await Promise.all(
      [a.api, bearer, a.api, bearer, a.own].map((post) => post('POST', '/v1/webhooks', { url })),
    )

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400, 400])
    expect((await b.api('POST', '/v1/webhooks', { url })).status).toBe(201)
    const [oldest] = (await a.api('GET', '/v1/webhooks')).json.webhooks
    await a.api('DELETE', `/v1/webhooks/${oldest.webhook_id}`)
    expect((await a.api('POST', '/v1/webhooks', { url })).status).toBe(201)
  })

  test('Basic credentials and the dashboard see the same webhooks; a token sees only its own', async () => {
    const app = await open()
    const { a } = app
    const [one, other] = [await partner(app, 'one'), await partner(app, 'other')]
    const made = async (client: typeof one, custom_name: string) =>
      (await client('POST', '/v1/webhooks', { url, custom_name })).json.webhook
    const basic = await made(a.api, 'basic')
    const dashboard = await made(a.own, 'dashboard')
    const oauth = await made(one, 'oauth')
    const list = async (client: typeof one) => {
      const { json } = await client('GET', '/v1/webhooks')
      expect(json.meta.total).toBe(json.webhooks.length)
      return json.webhooks.map((webhook: { custom_name: string }) => webhook.custom_name)
    }

    expect([await list(a.api), await list(a.own)]).toEqual([
      ['basic', 'dashboard'],
      ['basic', 'dashboard'],
    ])
    expect([await list(one), await list(other)]).toEqual([['oauth'], []])
    const hidden = [
      ...[basic, dashboard].flatMap((webhook) => [one, other].map((client) => ({ client, webhook }))),
      ...[a.api, a.own, other].map((client) => ({ client, webhook: oauth })),
    ]
    for (const { client, webhook } of hidden) {
      for (const ref of [webhook.webhook_id, webhook.id]) {
        for (const method of ['GET', 'PUT', 'DELETE']) {
          const answer = await client(method, `/v1/webhooks/${ref}`, method === 'PUT' ? { active: false } : undefined)
          expect([webhook.custom_name, method, answer.status]).toEqual([webhook.custom_name, method, 404])
        }
      }
    }
    expect((await one('GET', `/v1/webhooks/${oauth.id}`)).json.webhook).toEqual(oauth)
    expect((await a.own('DELETE', `/v1/webhooks/${basic.id}`)).status).toBe(204)
    expect((await a.api('DELETE', `/v1/webhooks/${dashboard.webhook_id}`)).status).toBe(204)
  })

  test('a webhook of another company is as unknown as one that never was', async () => {
    const { a, b } = await open()
    const made = await a.api('POST', '/v1/webhooks', { url })
    const { webhook_id, id } = made.json.webhook
    const before = await a.api('GET', `/v1/webhooks/${webhook_id}`)

    for (const ref of [
      webhook_id,
      webhook_id.toUpperCase(),
      id,
      99999999,
      0,
      -1,
      'x',
      `${id}.0`,
      '%00',
      '18446744073709551617',
    ]) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await b.api(method, `/v1/webhooks/${ref}`, method === 'PUT' ? { active: false } : undefined)
        expect([ref, method, answer.status, answer.json.troubleshoot]).toEqual([
          ref,
          method,
          404,
          'Check ID of the resource',
        ])
      }
    }
    expect((await a.api('GET', `/v1/webhooks/${webhook_id}`)).text).toBe(before.text)
  })
})

// The form of a receiver's address; the store plays no part.

const never = [
  'http://example.com/hook',
  'ftp://example.com/hook',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'example.com/hook',
  '//example.com/hook',
  'https://',
  'https:///example.com/hook',
  'https://user@example.com/hook',
  'https://user:secret@example.com/hook',
  `https://example.com/${'a'.repeat(2_029)}`,
  'https://intranet/hook',
  'https://printer.local/hook',
  'https://10.0.0.1/hook',
  'https://169.254.169.254/latest/meta-data',
  'https://[fd00::1]/hook',
  'https://example.com/hook#part',
]

const loopback = [
  'http://127.0.0.1:4000/hook',
  'https://127.0.0.1/hook',
  'http://localhost:4000',
  'http://[::1]:4000/hook',
]

test('a receiver is public HTTPS, or on this machine where a developer tries things out', async () => {
  const { a } = await testApp()
  const made = await a.api('POST', '/v1/webhooks', { url: 'https://example.com/first' })
  const path = `/v1/webhooks/${made.json.webhook.webhook_id}`

  for (const url of never) {
    expect([url, (await a.api('POST', '/v1/webhooks', { url })).status]).toEqual([url, 400])
    expect([url, (await a.api('PUT', path, { url })).status]).toEqual([url, 400])
  }
  for (const url of [...loopback, 'https://example.com:8443/a?b=c', `https://example.com/${'a'.repeat(2_028)}`]) {
    expect((await a.api('POST', '/v1/webhooks', { url })).json.webhook.url).toBe(url)
    expect((await a.api('PUT', path, { url })).json.webhook.url).toBe(url)
  }
})

test('without the developer’s exception this machine is no receiver', async () => {
  const { a } = await testApp({ env: { HOOKSWITCH_ALLOW_LOOPBACK_RECEIVERS: '0' } })

  for (const url of [...never, ...loopback]) {
    expect([url, (await a.api('POST', '/v1/webhooks', { url })).status]).toEqual([url, 400])
  }
  expect((await a.api('POST', '/v1/webhooks', { url: 'https://example.com/hook' })).status).toBe(201)
})

test('a webhook needs a url; what is there must be text', async () => {
  const { a } = await testApp()
  const post = async (body: object) => (await a.api('POST', '/v1/webhooks', body)).status

  for (const body of [{}, { url: '' }, { url: '  ' }, { url: null }, { url: null, events: ['nothing'] }]) {
    expect([body, await post(body)]).toEqual([body, 422])
  }
  for (const invalid of [
    { url: 7 },
    { url: ['https://example.com'] },
    { custom_name: '' },
    { custom_name: null },
    { custom_name: 5 },
  ]) {
    expect([invalid, await post({ url: 'https://example.com', ...invalid })]).toEqual([invalid, 400])
  }
})
