import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError, api, setCsrfToken } from './api.ts'

const sent: { url: string; init: RequestInit }[] = []
let answer: () => Response

beforeEach(() => {
  sent.length = 0
  answer = () => Response.json({})
  const page = {}
  vi.stubGlobal('window', Object.assign(page, { parent: page }))
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    sent.push({ url, init })
    return answer()
  })
  setCsrfToken('token')
})

afterEach(() => {
  setCsrfToken('')
  vi.unstubAllGlobals()
})

test('parameters and query are encoded into the URL; empty values are left out', async () => {
  await api.get('/v1/calls/{id}', { params: { id: 7 }, query: { fetch_contact: true } })
  await api.get('/v1/calls/search', { query: { tags: ['1', '2'], user_id: null, phone_number: '', page: undefined } })
  await api.delete('/v1/message_lines/{id}/opt_outs/{phone}', { params: { id: 3, phone: '+33 1' } })

  expect(sent.map(({ url, init }) => `${init.method} ${url}`)).toEqual([
    'GET /app/v1/calls/7?fetch_contact=true',
    'GET /app/v1/calls/search?tags%5B%5D=1&tags%5B%5D=2',
    'DELETE /app/v1/message_lines/3/opt_outs/%2B33%201',
  ])
})

test('a body is sent as JSON; every method but GET carries the CSRF token', async () => {
  await api.get('/v1/live')
  await api.put('/v1/webhooks/{webhook_id}', {
    params: { webhook_id: 'w' },
    query: { events_action: 'add' },
    body: { active: true },
  })
  await api.post('/v1/me/wrap_up/finish')

  expect(sent.map(({ url, init: { headers, body } }) => ({ url, headers, body }))).toEqual([
    { url: '/app/v1/live', headers: { accept: 'application/json' }, body: undefined },
    {
      url: '/app/v1/webhooks/w?events_action=add',
      headers: { accept: 'application/json', 'x-csrf-token': 'token', 'content-type': 'application/json' },
      body: '{"active":true}',
    },
    {
      url: '/app/v1/me/wrap_up/finish',
      headers: { accept: 'application/json', 'x-csrf-token': 'token', 'idempotency-key': expect.any(String) },
      body: undefined,
    },
  ])
})

test('an error has the status, the text of the server and the time to wait', async () => {
  answer = () => Response.json({ troubleshoot: 'Send less' }, { status: 429, headers: { 'retry-after': '21' } })

  const error = await api.get('/v1/live').catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status: 429, message: 'Send less', retryAfter: 21 })
})

test('a response without a body is undefined', async () => {
  answer = () => new Response(null, { status: 204 })

  const nothing: undefined = await api.delete('/v1/session')

  expect(nothing).toBeUndefined()
})

test('the compiler rejects requests that the document does not have', () => {
  const rejected = async () => {
    // @ts-expect-error: no such path
    await api.get('/v1/cals')
    // @ts-expect-error: the path has no such method
    await api.delete('/v1/live')
    // @ts-expect-error: the path needs an id
    await api.get('/v1/calls/{id}')
    // @ts-expect-error: no such parameter
    await api.get('/v1/calls/search', { query: { colour: 'red' } })
    // @ts-expect-error: the body is mandatory
    await api.post('/v1/teams')
    // @ts-expect-error: no such status
    await api.put('/v1/me/availability', { body: { availability_status: 'asleep' } })
    // @ts-expect-error: the response has no such field
    return (await api.get('/v1/live')).queue
  }

  expect(rejected).toBeTypeOf('function')
})

test('a request that is still being processed is repeated with its key, and the next one has another', async () => {
  const create = () => api.post('/v1/tags', { body: { name: 'VIP', color: '#00B388' } })
  const keyOf = (nth: number) => {
    const posts = sent.filter(({ init }) => init.method === 'POST')
    return new Headers(posts[nth]?.init.headers).get('idempotency-key')
  }
  answer = () => {
    throw new TypeError('Failed to fetch')
  }
  await create().catch(() => {})
  answer = () =>
    Response.json({ troubleshoot: 'A request with this Idempotency-Key is still being processed' }, { status: 409 })
  const error = await create().catch((thrown: Error) => thrown)
  answer = () => Response.json({}, { status: 201 })
  await create()
  await create()

  expect(error).toMatchObject({ message: expect.stringContaining('still processing your first request') })
  expect([keyOf(1), keyOf(2)]).toEqual([keyOf(0), keyOf(0)])
  expect(keyOf(3)).not.toBe(keyOf(0))
})
