import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { signedUrl, verifySignedUrl } from '../../src/features/calls/recordings/links.ts'
import { day, hour, minute, second } from '../../src/lib/clock.ts'
import { createVault } from '../../src/lib/secrets.ts'
import { expectError, rawRequest } from '../http/raw.ts'
import { inDataDir, onAnyDatabase, testApp } from '../kit/app.ts'
import { listen, recordedCall, shortLinkTo } from '../kit/sounds.ts'

// Signed URLs of recordings.

const links = { api: '', dashboard: '', short: '', assets: 'https://assets.example.test' }
const vault = createVault(Buffer.alloc(32, 7))
const at = Date.UTC(2026, 5, 15, 12)
const link = { companyId: 7, callId: 42, kind: 'recording' as const, file: 'recordings/7/42-beef.mp3' }
const host = 'assets.example.test'

/** The response to the URL at that time. */
function follow(url: string, now = at, { method = 'GET', verifier = vault } = {}) {
  const { host, pathname, search } = new URL(url)
  return verifySignedUrl(verifier, links, { method, host, url: pathname + search }, now)
}

test('every single changed, added or missing character of a signed URL is rejected', () => {
  const right = signedUrl(vault, links, { ...link, at }).slice(links.assets.length)
  const check = (url: string) => verifySignedUrl(vault, links, { method: 'GET', host, url }, at)
  expect(check(right)).toEqual({ ...link, file: '42-beef.mp3' })
  let refused = 0
  for (let i = 0; i <= right.length; i++) {
    const [before, after] = [right.slice(0, i), right.slice(i)]
    const changed = [...'0a9Z/?&=%.-é\0 '].flatMap((character) => [
      before + character + after.slice(1),
      before + character + after,
    ])
    for (const url of [...changed, before + after.slice(1), before + after.charAt(0).toUpperCase() + after.slice(1)]) {
      if (url === right) continue
      expect(check(url), url).toBeUndefined()
      refused++
    }
  }
  expect(refused).toBeGreaterThan(4_000)
})

test('a signature is valid for reading one file of one company at one path', () => {
  const url = signedUrl(vault, links, { ...link, at })
  const signature = url.slice(-64)
  const otherSounds = [
    { ...link, companyId: 8 },
    { ...link, callId: 43 },
    { ...link, kind: 'voicemail' as const },
    { ...link, file: 'recordings/7/42-cafe.mp3' },
  ]

  for (const other of otherSounds) {
    const theirs = signedUrl(vault, links, { ...other, at })
    expect(follow(theirs)).toBeDefined()
    expect(follow(theirs.slice(0, -64) + signature)).toBeUndefined()
  }
  expect(follow(`${signedUrl(vault, links, { ...link, at: at + second }).slice(0, -64)}${signature}`)).toBeUndefined()
  for (const more of ['&x=1', `&signature=${signature}`, '&expires=1', '&', '&key=1']) {
    expect(follow(url + more), more).toBeUndefined()
  }
  expect(follow(url.replace('?', `?expires=${at + 2 * hour}&`))).toBeUndefined()
  expect(follow(url.replace(host, 'assets.example.com'))).toBeUndefined()
  expect(follow(url.replace(host, `${host}:8443`))).toBeUndefined()
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'get']) expect(follow(url, at, { method })).toBeUndefined()
  expect(follow(url, at, { method: 'HEAD' })).toBeDefined()
  expect(follow(url, at, { verifier: createVault(Buffer.alloc(32, 8)) })).toBeUndefined()
})

test('after a key change an old URL stays valid for its hour, and its key signs nothing later', () => {
  const turn = Math.ceil(at / (30 * day)) * 30 * day
  const last = signedUrl(vault, links, { ...link, at: turn - 1 })
  const first = signedUrl(vault, links, { ...link, at: turn })
  const keyIn = (url: string) => new URL(url).searchParams.get('key')

  expect(keyIn(first)).not.toBe(keyIn(last))
  expect([turn - 1, turn + hour - second].map((now) => follow(last, now) !== undefined)).toEqual([true, true])
  expect(follow(last, turn + hour)).toBeUndefined()
  expect(follow(first, turn + hour - second)).toBeDefined()
  expect(follow(first.replace(`key=${keyIn(first)}`, `key=${keyIn(last)}`), turn)).toBeUndefined()
  expect(follow(last.replace(`expires=${turn - 1 + hour}`, `expires=${turn + hour}`), turn)).toBeUndefined()
})

onAnyDatabase('URLs of audio files', (open) => {
  test('a modified URL is refused with 403 in the error format, for every method', async () => {
    const app = await open()
    const call = await recordedCall(app, app.a)
    const [right, pathname] = [call.link(), new URL(call.link()).pathname]
    const changed = [
      right.replace(`/${call.id}/`, `/${call.id + 1}/`),
      right.replace('/recording/', '/voicemail/'),
      right.replace(`/media/${app.a.id}/`, `/media/${app.b.id}/`),
      right.replace('.mp3', '.mp4'),
      `${right}&x=1`,
      right.replace('?', '/?'),
      right.replace('/media/', '/media//'),
      `${app.base}${pathname}`,
    ]
    const ways = [
      '../../etc/passwd',
      '..%2f..%2fetc/passwd',
      '%2e%2e/x.mp3',
      '/etc/passwd',
      '%2fetc%2fpasswd',
      'a%00.mp3',
    ]

    expect((await listen(right)).status).toBe(200)
    for (const url of changed) expectError(await app.anonymous('GET', url), 403)
    for (const way of ways) expectError(await rawRequest(app.base, { path: `/media/${way}` }), 403, way)
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) expectError(await app.anonymous(method, right), 403)
    expect((await listen(changed[0] ?? '', { method: 'HEAD' })).status).toBe(403)
    expectError(await app.a.api('GET', changed[0] ?? ''), 403)
  })

  test('a signed URL is invalid under another host name', async () => {
    const app = await open({ env: { ASSETS_URL: 'https://assets.example.test' } })
    const call = await recordedCall(app, app.a)
    const { pathname, search, origin } = new URL(call.link())

    expect(origin).toBe('https://assets.example.test')
    expectError(await app.anonymous('GET', pathname + search), 403)
  })

  test('the short route accepts UUIDs only, reveals nothing, and cannot be guessed', async () => {
    const app = await open()
    const call = await recordedCall(app, app.a)
    const [short, over] = [await shortLinkTo(app, app.a, call.id), await shortLinkTo(app, app.a, call.id)]
    await app.clock.advance(3 * hour + second)
    const fresh = await shortLinkTo(app, app.a, call.id)
    const unknown = '/v1/00000000-0000-4000-8000-000000000000'

    const [gone, never] = [await app.anonymous('GET', over), await app.anonymous('GET', unknown)]
    const word = await app.anonymous('GET', '/v1/nothing')
    expectError(gone, 404)
    expect(gone.text).toBe(never.text)
    expect([...gone.headers.keys()].sort()).toEqual([...never.headers.keys()].sort())
    expectError(word, 404)
    expect(word.json.troubleshoot).toContain('No such path')
    expect((await app.a.api('GET', '/v1/ping')).status).toBe(200)
    expect((await app.a.api('GET', unknown)).status).toBe(404)
    expect((await app.a.api('GET', unknown)).headers.get('x-hookswitchapi-remaining')).toBeNull()
    expectError(await app.anonymous('POST', fresh), 405)
    expect((await app.as('Basic nonsense')('GET', fresh)).status).toBe(200)

    for (let missed = 4; missed < 20; missed++) expect((await app.anonymous('GET', short)).status).toBe(404)

    const blocked = await app.anonymous('GET', fresh)
    expectError(blocked, 429)
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await app.a.api('GET', '/v1/ping')).status).toBe(200)
    app.clock.shiftMachine(minute)
    expect((await app.anonymous('GET', fresh)).status).toBe(200)
  })
})

test('a symbolic link in the file store is not followed', async () => {
  const app = await testApp()
  const call = await recordedCall(app, app.a)
  const place = inDataDir(app, `files/${call.files.recording}`)
  const secret = inDataDir(app, 'secret.mp3')
  writeFileSync(secret, 'secret')

  renameSync(place, `${place}-moved`)
  symlinkSync(secret, place)
  expectError(await app.anonymous('GET', call.link()), 404)

  const folder = path.dirname(place)
  const elsewhere = inDataDir(app, 'elsewhere')
  mkdirSync(elsewhere)
  writeFileSync(path.join(elsewhere, path.basename(place)), 'secret')
  renameSync(folder, `${folder}-moved`)
  symlinkSync(elsewhere, folder)
  expectError(await app.anonymous('GET', call.link()), 404)
})

async function part(url: string, range: string) {
  const { status, headers, bytes } = await listen(url, { headers: { range } })
  return { status, range: headers.get('content-range'), bytes: bytes.length, type: headers.get('content-type') }
}

test('strange ranges are one part or none, and a sound is never anything else', async () => {
  const app = await testApp()
  const call = await recordedCall(app, app.a)
  const size = call.mp3.length
  const parts: Record<string, [start: number, end: number]> = {
    'bytes=0-0': [0, 0],
    'bytes=5-': [5, size - 1],
    'bytes=-5': [size - 5, size - 1],
    [`bytes=-${size + 1}`]: [0, size - 1],
    'bytes=10-99999999999999999999999': [10, size - 1],
    [`bytes=${size - 1}-${size}`]: [size - 1, size - 1],
  }
  const nothing = [
    `bytes=${size}-`,
    'bytes=99999999999999999999999-',
    'bytes=-0',
    'bytes=-',
    'bytes=',
    'bytes=5-2',
    'bytes=-5-10',
    'bytes=0-0,2-2',
    `bytes=${Array.from({ length: 1_000 }, (_, i) => `${i}-${i}`).join(',')}`,
    'bytes=0x1-0x2',
    'bytes=1.5-2',
    'bytes=a-b',
  ]

  for (const [range, [start, end]] of Object.entries(parts)) {
    expect(await part(call.link(), range), range).toEqual({
      status: 206,
      range: `bytes ${start}-${end}/${size}`,
      bytes: end - start + 1,
      type: 'audio/mpeg',
    })
  }
  for (const range of nothing) {
    const answer = await app.anonymous('GET', call.link(), undefined, { range })
    expectError(answer, 416)
    expect(answer.headers.get('content-range'), range).toBe(`bytes */${size}`)
  }
  for (const headers of [{ range: 'lines=1-2' }, { range: 'bytes=1-2', 'if-range': '"old"' }] as const) {
    const whole = await listen(call.link(), { headers })
    expect([whole.status, whole.bytes.length, whole.headers.get('content-type')]).toEqual([200, size, 'audio/mpeg'])
  }
})
