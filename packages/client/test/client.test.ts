import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { onAnyDatabase, type TestApp } from '../../../test/kit/app.ts'
import { receiver } from '../../../test/kit/receiver.ts'
import {
  ConnectionError,
  createClient,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
  verifyWebhook,
  WebhookVerificationError,
} from '../src/index.ts'

const clientOf = ({ base, a }: TestApp) => createClient({ url: base, apiId: a.apiId, apiToken: a.apiToken })

onAnyDatabase('@hookswitch/client', (open) => {
  test('creates, reads, changes and deletes with the types of the API', async () => {
    const client = clientOf(await open())

    const { contact } = await client.createContact({
      first_name: 'Ada',
      phone_numbers: [{ label: 'Work', value: '+33755990011' }],
    })
    const changed = await client.updateContact({ id: contact.id }, { last_name: 'Lind' })
    const found = await client.searchContacts({ phone_number: '+33755990011' })
    await client.deleteContact({ id: contact.id })

    expect(changed.contact).toMatchObject({ first_name: 'Ada', last_name: 'Lind' })
    expect(found.contacts.map(({ id }) => id)).toEqual([contact.id])
    await expect(client.getContact({ id: contact.id })).rejects.toBeInstanceOf(NotFoundError)
  })

  test('iterates over all pages', async () => {
    const client = clientOf(await open({ env: { RATE_LIMIT_PER_MINUTE: '1000' } }))
    for (let n = 0; n < 7; n++) await client.createTag({ name: `Tag ${n}`, color: '#00B388' })

    const names: string[] = []
    for await (const tag of client.all.listTags({ per_page: 2 })) names.push(tag.name)

    expect(names).toEqual(['Tag 0', 'Tag 1', 'Tag 2', 'Tag 3', 'Tag 4', 'Tag 5', 'Tag 6'])
  })

  test('a refusal has its class, what to do and the id of the request', async () => {
    const app = await open()
    const refused = clientOf(app).createTag({ name: '', color: 'red' })

    const error = await refused.catch((reason: unknown) => reason)

    expect(error).toBeInstanceOf(ValidationError)
    expect(error).toMatchObject({
      status: expect.any(Number),
      troubleshoot: expect.any(String),
      requestId: expect.any(String),
    })
    const stranger = createClient({ url: app.base, apiId: 'nobody', apiToken: 'wrong' })
    await expect(stranger.ping()).rejects.toBeInstanceOf(PermissionError)
  })

  test('a webhook request is verified, and one that was changed is refused', async () => {
    const app = await open()
    const client = clientOf(app)
    const endpoint = await receiver()
    const { signing_secret: secret } = await client.createWebhook({ url: endpoint.url, events: ['contact.created'] })

    await client.createContact({ first_name: 'Ada', phone_numbers: [{ label: 'Work', value: '+33755990011' }] })
    await app.settle()
    const [{ raw, headers } = { raw: '', headers: {} }] = endpoint.got
    const event = await verifyWebhook({ body: raw, headers, secret })

    expect(event.event).toBe('contact.created')
    if (event.event === 'contact.created') expect(event.data.first_name).toBe('Ada')
    const wrong = [
      { body: raw.replace('Ada', 'Eve'), headers, secret },
      { body: raw, headers, secret: 'whsec_AAAA' },
      { body: raw, headers: { ...headers, 'webhook-timestamp': '1000000000' }, secret },
      { body: raw, headers: {}, secret },
    ]
    for (const request of wrong) await expect(verifyWebhook(request)).rejects.toBeInstanceOf(WebhookVerificationError)
  })
})

/** A server that fails in the ways of networks and proxies; the retries are what is tested. */
async function failing(...answers: ((response: ServerResponse) => void)[]) {
  const got: { key: string | undefined; url: string | undefined }[] = []
  const server = createServer((request: IncomingMessage, response) => {
    request.resume()
    got.push({ key: request.headers['idempotency-key']?.toString(), url: request.url })
    const answer = answers[got.length - 1] ?? ((last: ServerResponse) => last.writeHead(200).end('{"tag":{"id":1}}'))
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end('{"error":"Refused","troubleshoot":"Wait"}')

test('a change is tried again with the same idempotency key after 429, 503 and a lost connection', async () => {
  const server = await failing(
    status(429, { 'retry-after': '0' }),
    status(503, { 'retry-after': '0' }),
    (response) => void response.destroy(),
  )
  const client = createClient({ url: server.url, apiId: 'a', apiToken: 'b' })

  const made = await client.createTag({ name: 'Urgent', color: '#00B388' })

  expect(made).toEqual({ tag: { id: 1 } })
  expect(server.got).toHaveLength(4)
  expect(new Set(server.got.map(({ key }) => key)).size).toBe(1)
  expect(server.got[0]?.key).toMatch(/^[0-9a-f-]{36}$/)
})

test('after the last retry the error says what happened', async () => {
  const [limited, broken] = [await failing(status(429), status(429)), await failing(status(500), status(500))]
  const closed = await failing(
    (response) => void response.destroy(),
    (response) => void response.destroy(),
  )
  const clientFor = ({ url }: { url: string }) => createClient({ url, apiId: 'a', apiToken: 'b' }, { maxRetries: 0 })

  await expect(clientFor(limited).ping()).rejects.toBeInstanceOf(RateLimitError)
  await expect(clientFor(broken).ping()).rejects.toBeInstanceOf(ServerError)
  await expect(clientFor(closed).ping()).rejects.toBeInstanceOf(ConnectionError)
})

test('credentials do not follow a redirect to another server', async () => {
  const other = await failing()
  const server = await failing(status(302, { location: other.url }))
  const client = createClient({ url: server.url, apiId: 'a', apiToken: 'b' }, { maxRetries: 0 })

  await expect(client.ping()).rejects.toBeInstanceOf(ConnectionError)
  expect(other.got).toEqual([])
})

test('path parameters are encoded, and a missing one is an error before any request', async () => {
  const server = await failing()
  const client = createClient({ url: server.url, apiId: 'a', apiToken: 'b' })

  await client.getUser({ id: 'ada@example.com/../x' as never })

  expect(server.got[0]?.url).toBe('/v2/users/ada%40example.com%2F..%2Fx')
  await expect(async () => client.getTag({} as never)).rejects.toThrow('id is missing')
})
