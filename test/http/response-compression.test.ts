import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { basic, type TestApp, testApp } from '../kit/app.ts'

interface Received {
  status: number
  headers: Record<string, string | string[] | undefined>
  bytes: Buffer
}

/** Without a client that decompresses. */
function get({ base }: TestApp, path: string, headers: Record<string, string>, method = 'GET'): Promise<Received> {
  return new Promise((resolve, reject) => {
    const asking = request(base + path, { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      )
    })
    asking.once('error', reject)
    asking.end()
  })
}

async function withContacts() {
  const story = await testApp()
  const { a } = story
  for (let n = 0; n < 12; n++) {
    const phone_numbers = [{ label: 'Work', value: `+1 415 555 01${20 + n}` }]
    await a.api('POST', '/v1/contacts', { first_name: `Rosa ${n}`, phone_numbers })
  }
  return { story, key: { authorization: basic(a.apiId, a.apiToken) } }
}

describe('compression of responses', () => {
  test('a list is compressed for a client that asks for it, and is the same list', async () => {
    const { story, key } = await withContacts()

    const plain = await get(story, '/v1/contacts', key)
    const small = await get(story, '/v1/contacts', { ...key, 'accept-encoding': 'gzip, deflate' })

    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'accept-encoding'])
    expect([small.headers['content-encoding'], small.headers.vary]).toEqual(['gzip', 'accept-encoding'])
    expect(small.headers['content-length']).toBe(String(small.bytes.length))
    expect(gunzipSync(small.bytes)).toEqual(plain.bytes)
    expect(small.bytes.length).toBeLessThan(plain.bytes.length * 0.4)
  })

  test('an export is compressed as a stream', async () => {
    const { story, key } = await withContacts()

    const plain = await get(story, '/v1/export/contacts', key)
    const small = await get(story, '/v1/export/contacts', { ...key, 'accept-encoding': 'gzip' })

    expect(small.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(small.bytes)).toEqual(plain.bytes)
  })

  test.each([
    ['a small body', '/v1/ping', 'gzip'],
    ['a client that refuses gzip', '/v1/contacts', 'gzip;q=0, identity'],
    ['a client that asks for another encoding', '/v1/contacts', 'deflate'],
  ])('%s is not compressed', async (_what, path, accepted) => {
    const { story, key } = await withContacts()

    const { status, headers } = await get(story, path, { ...key, 'accept-encoding': accepted })

    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, undefined, 'accept-encoding'])
  })

  test('HEAD has the headers of the uncompressed response and no body', async () => {
    const { story, key } = await withContacts()

    const { status, headers, bytes } = await get(story, '/v1/contacts', { ...key, 'accept-encoding': 'gzip' }, 'HEAD')

    expect([status, headers['content-encoding'], bytes.length]).toEqual([200, undefined, 0])
  })

  test('the session with its CSRF token is never compressed', async () => {
    const { story } = await withContacts()
    const { cookie = '' } = story.a.session as Record<string, string>

    const { status, headers } = await get(story, '/app/v1/session', { cookie, 'accept-encoding': 'gzip' })

    expect([status, headers['content-encoding']]).toEqual([200, undefined])
  })

  test('the live event stream is not compressed', async () => {
    const { story, key } = await withContacts()

    const type = await new Promise((resolve, reject) => {
      const headers = { ...key, 'accept-encoding': 'gzip' }
      const asking = request(`${story.base}/v1/events/stream`, { headers }, (response) => {
        resolve([response.headers['content-type'], response.headers['content-encoding']])
        response.destroy()
      })
      asking.once('error', reject)
      asking.end()
    })

    expect(type).toEqual(['text/event-stream', undefined])
  })
})
