import { execFile } from 'node:child_process'
import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, isIP, type Server, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import path from 'node:path'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { freePort, temporaryFolder } from '../../test/kit/databases.ts'
import { createAddressPolicy } from './address-policy.ts'
import type { Clock } from './clock.ts'
import { createSafeFetch, type PostRequest, type SafeFetchOptions } from './safe-fetch.ts'

// Real sockets on loopback, a small DNS server, and manually advanced machine time.

function machineClock() {
  let now = 1_000_000
  const timers = new Set<{ at: number; run: () => void }>()
  const machineAfter = (ms: number, run: () => void) => {
    const timer = { at: now + ms, run }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  const clock: Clock = {
    now: () => now,
    after: machineAfter,
    machineNow: () => now,
    machineAfter,
    steadyNow: () => now,
  }
  const advance = (ms: number) => {
    const until = now + ms
    const next = () => [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
    for (let timer = next(); timer; timer = next()) {
      timers.delete(timer)
      now = Math.max(now, timer.at)
      timer.run()
    }
    now = until
  }
  return { clock, advance, waiting: () => timers.size }
}

function guarded(more: Partial<SafeFetchOptions> = {}) {
  const time = machineClock()
  const http = createSafeFetch({
    clock: time.clock,
    loopback: true,
    allowRanges: [],
    ownNames: [],
    ownPorts: [],
    // No DNS server listens there: tests that resolve names start their own.
    dnsServers: ['127.0.0.1:9'],
    ...more,
  })
  onTestFinished(() => http.close())
  const post = (url: string, request: Partial<PostRequest> = {}) =>
    http.post({ pool: 'one', url, headers: { 'x-test': 'yes' }, body: '{"a":1}', timeoutMs: 5_000, ...request })
  return { ...http, ...time, post }
}

const production = { loopback: false }

type Behaviour = (socket: Socket, request: string, count: number) => void

interface Receiver {
  port: number
  connections: Socket[]
  requests: string[]
  /** Resolves when this many requests (or first bytes) have arrived. */
  got(count: number): Promise<void>
  /** Resolves when all earlier connections are closed. */
  gone(): Promise<void>
}

/** A receiver with access to the raw bytes. */
async function receiver(behave: Behaviour, tls?: TlsOptions, host = '127.0.0.1'): Promise<Receiver> {
  const connections: Socket[] = []
  const requests: string[] = []
  const news = new Set<() => void>()
  const onConnection = (socket: Socket) => {
    connections.push(socket)
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      requests.push(bytes.toString('latin1'))
      behave(socket, bytes.toString('latin1'), requests.length)
      for (const tell of news) tell()
    })
  }
  const server = tls ? createTlsServer(tls, onConnection) : createServer(onConnection)
  server.on('tlsClientError', () => {})
  const port = await listening(server, host)
  onTestFinished(async () => {
    for (const socket of connections) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return {
    port,
    connections,
    requests,
    got: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (requests.length < count) return
          news.delete(look)
          resolve()
        }
        news.add(look)
        look()
      }),
    gone: async () => {
      await Promise.all(connections.map(closing))
    },
  }
}

// Not `once`, which rejects when the socket fails first.
const closing = (socket: Socket) =>
  new Promise<void>((resolve) => {
    if (socket.closed) resolve()
    else socket.once('close', () => resolve())
  })

function signal() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve: () => resolve() }
}

async function listening(server: Server, host: string): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return address.port
}

const says =
  (...parts: string[]): Behaviour =>
  (socket) => {
    for (const part of parts) socket.write(part, 'latin1')
  }

const answer = (status = 200, body = 'ok', headers = '') =>
  `HTTP/1.1 ${status} Fine\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

interface Zone {
  [name: string]: { a?: string[]; aaaa?: string[]; cname?: string; ttl?: number; silent?: boolean }
}

/** Answers A and AAAA queries from a zone that a test may change; other names do not exist. */
async function nameServer(zone: Zone) {
  const socket = createSocket('udp4')
  const asked: string[] = []
  const tellers: (() => void)[] = []
  socket.on('message', (question: Buffer, from: RemoteInfo) => {
    const { name, end } = readName(question, 12)
    asked.push(name)
    for (const tell of tellers) tell()
    const record = zone[name]
    if (record?.silent) return
    const type = question.readUInt16BE(end)
    const records = record ? recordsOf(record, type) : []
    const header = Buffer.alloc(12)
    question.copy(header, 0, 0, 2)
    header.writeUInt16BE(record ? 0x8180 : 0x8183, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    socket.send(Buffer.concat([header, question.subarray(12, end + 4), ...records]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return {
    dnsServers: [`127.0.0.1:${socket.address().port}`],
    asked,
    firstQuestion: () => new Promise<void>((resolve) => void tellers.push(resolve)),
  }
}

function recordsOf(record: Zone[string], type: number): Buffer[] {
  const { cname, ttl = 300 } = record
  const owner = cname ? encodeName(cname) : Buffer.from([0xc0, 0x0c])
  const addresses = (type === 1 ? record.a : type === 28 ? record.aaaa : undefined) ?? []
  const alias = cname ? [resourceRecord(Buffer.from([0xc0, 0x0c]), 5, ttl, encodeName(cname))] : []
  return [...alias, ...addresses.map((address) => resourceRecord(owner, type, ttl, addressBytes(address)))]
}

function resourceRecord(owner: Buffer, type: number, ttl: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(ttl, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, fixed, data])
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const missing = 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

const encodeName = (name: string) =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ])

function readName(bytes: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let at = start
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) {
    labels.push(bytes.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

const run = promisify(execFile)

interface Certificate {
  cert: string
  key: string
}

async function makeCertificate(folder: string, name: string, names: string): Promise<Certificate> {
  const files = { cert: path.join(folder, `${name}.crt`), key: path.join(folder, `${name}.key`) }
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`, '-days', '2', '-nodes']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  await run('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', files.key, '-out', files.cert])
  return { cert: await readFile(files.cert, 'utf8'), key: await readFile(files.key, 'utf8') }
}

/** The same key and names, expired since 2020. */
async function makeExpired(folder: string, name: string, names: string): Promise<Certificate> {
  const { key } = await makeCertificate(folder, name, names)
  const at = (file: string) => path.join(folder, `${name}.${file}`)
  const config = [
    ...['[ca]', 'default_ca=it', '[it]', `database=${at('db')}`, `new_certs_dir=${folder}`, 'rand_serial=yes'],
    ...['default_md=sha256', 'policy=any', 'x509_extensions=more', '[any]', 'commonName=supplied'],
    ...['[more]', `subjectAltName=${names}`],
  ]
  await writeFile(at('cnf'), `${config.join('\n')}\n`)
  await writeFile(at('db'), '')
  await run('openssl', ['req', '-new', '-key', at('key'), '-subj', `/CN=${name}`, '-out', at('csr')])
  const dates = ['-startdate', '20200101000000Z', '-enddate', '20200201000000Z']
  const files = ['-config', at('cnf'), '-in', at('csr'), '-keyfile', at('key'), '-out', at('old')]
  await run('openssl', ['ca', '-batch', '-notext', '-selfsign', ...files, ...dates])
  return { cert: await readFile(at('old'), 'utf8'), key }
}

let trusted: Certificate
let stranger: Certificate
let elsewhere: Certificate
let expired: Certificate
let ca: string

beforeAll(async () => {
  const folder = await temporaryFolder()
  trusted = await makeCertificate(folder, 'trusted', 'DNS:receiver.test,IP:127.0.0.1')
  stranger = await makeCertificate(folder, 'stranger', 'DNS:receiver.test,IP:127.0.0.1')
  elsewhere = await makeCertificate(folder, 'elsewhere', 'IP:127.0.0.9')
  expired = await makeExpired(folder, 'expired', 'DNS:receiver.test,IP:127.0.0.1')
  ca = trusted.cert + elsewhere.cert + expired.cert
})

describe('an answer', () => {
  test('a POST carries path, headers and body, and brings back status, headers and body', async () => {
    const { port, requests } = await receiver(says(answer(201, 'made', 'X-One: 1\r\nRetry-After: 7\r\n')))
    const { post } = guarded()
    let statuses = 0

    const got = await post(`http://127.0.0.1:${port}/a/b?c=d#e`, { onStatus: () => statuses++ })

    expect(got).toEqual({
      phase: 'status',
      status: 201,
      problem: null,
      detail: '',
      headers: 'x-one: 1\nretry-after: 7\ncontent-length: 4\n',
      body: 'made',
      retryAfter: '7',
      durationMs: 0,
    })
    expect(statuses).toBe(1)
    expect(requests[0]).toMatch(/^POST \/a\/b\?c=d HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/)
    expect(requests[0]).toContain('x-test: yes\r\n')
    expect(requests[0]).toMatch(/content-length: 7\r\n\r\n\{"a":1\}$/)
  })

  test.each([
    200, 204, 301, 302, 303, 307, 308, 400, 410, 429, 500, 599,
  ])('%i is an answer like any other, and nothing is followed', async (status) => {
    const elsewhere = await receiver(says(answer()))
    const location = `Location: http://127.0.0.1:${elsewhere.port}/\r\n`
    const { port } = await receiver(says(answer(status, '', location)))
    const { post } = guarded()

    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ status, problem: null, phase: 'status' })
    expect(elsewhere.connections).toHaveLength(0)
  })

  test('the time of an answer is counted to the status line', async () => {
    const { port, got } = await receiver(() => {})
    const there = await receiver((socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n'))
    const { post, advance } = guarded()

    const silent = post(`http://127.0.0.1:${port}/`)
    await got(1)
    advance(1_234)
    const status = signal()
    const slow = post(`http://127.0.0.1:${there.port}/`, { onStatus: status.resolve })
    await status.promise
    advance(700)
    there.connections[0]?.write('yes')

    expect(await slow).toMatchObject({ status: 200, body: 'yes', durationMs: 0 })
    advance(5_000)
    expect(await silent).toMatchObject({ problem: 'timeout', durationMs: 5_000 })
  })

  test('announcements are skipped, but not without end', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
    const one = await receiver(says(early, answer(200, 'then')))
    const many = await receiver(says(early.repeat(100), answer()))
    const switching = await receiver(says('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'))
    const { post } = guarded()

    expect(await post(`http://127.0.0.1:${one.port}/`)).toMatchObject({ status: 200, body: 'then' })
    for (const { port } of [many, switching]) {
      expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({
        status: null,
        problem: 'protocol',
        phase: 'sent',
      })
    }
  })

  test('of a long body 4 KiB are kept, cut between two characters, without NUL and without invalid bytes', async () => {
    const body = `\0a${'€'.repeat(3_000)}`
    const wrong = Buffer.from([0x61, 0xff, 0x62]).toString('latin1')
    const long = await receiver((socket) => void socket.write(answer(200, body)))
    const invalid = await receiver(says(`HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n${wrong}`))
    const { post } = guarded()

    const kept = (await post(`http://127.0.0.1:${long.port}/`)).body

    expect(kept).toBe(`a${'€'.repeat(1_364)}`)
    expect((await post(`http://127.0.0.1:${invalid.port}/`)).body).toBe('a\ufffdb')
  })

  test('of long headers 2 KiB are kept', async () => {
    const { port } = await receiver(says(answer(200, '', `X-Long: ${'ä'.repeat(1_500)}\r\nRetry-After: 1\r\n`)))
    const { post } = guarded()

    const got = await post(`http://127.0.0.1:${port}/`)

    expect(Buffer.byteLength(got.headers)).toBeLessThanOrEqual(2_048)
    expect(Buffer.byteLength(got.headers)).toBeGreaterThan(2_040)
    expect(got.retryAfter).toBe('1')
  })

  test('an endless body is cut off, and the connection with it', async () => {
    const { port, gone } = await receiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      const more = () => socket.writable && socket.write(`400\r\n${'x'.repeat(1_024)}\r\n`, more)
      more()
    })
    const { post } = guarded()

    const got = await post(`http://127.0.0.1:${port}/`)

    expect(got).toMatchObject({ status: 200, problem: null })
    expect(got.body).toBe('x'.repeat(4_096))
    await gone()
  })

  test('16 KiB of body are read to the end, and the connection stays', async () => {
    const { port, connections } = await receiver(says(answer(200, 'x'.repeat(16_384))))
    const { post } = guarded()

    for (let n = 0; n < 3; n++) expect((await post(`http://127.0.0.1:${port}/`)).status).toBe(200)

    expect(connections).toHaveLength(1)
  })

  test('a body that drips is given up after a second, and the answer counts', async () => {
    const { port, gone } = await receiver(says('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab'))
    const { post, advance } = guarded()
    const status = signal()

    const dripping = post(`http://127.0.0.1:${port}/`, { onStatus: status.resolve })
    await status.promise
    advance(1_000)

    expect(await dripping).toMatchObject({ status: 200, problem: null, phase: 'status' })
    await gone()
  })

  test('a body that breaks off does not undo the status', async () => {
    const { port } = await receiver((socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab'))
    const { post } = guarded()

    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200, problem: null, body: 'ab' })
  })
})

describe('connections', () => {
  test('are used again by the same owner', async () => {
    const { port, connections, requests } = await receiver(says(answer()))
    const { post } = guarded()

    for (let n = 0; n < 5; n++) expect((await post(`http://127.0.0.1:${port}/${n}`)).status).toBe(200)

    expect(connections).toHaveLength(1)
    expect(requests).toHaveLength(5)
  })

  test('are never shared between owners', async () => {
    const { port, connections } = await receiver(says(answer()))
    const { post } = guarded()

    for (const pool of ['one', 'two', 'one', 'two']) await post(`http://127.0.0.1:${port}/`, { pool })

    expect(connections).toHaveLength(2)
  })

  test('are as many as asked for; the rest waits, and is not sent when its time is over', async () => {
    const { port, connections, requests, got } = await receiver(() => {})
    const { post, advance } = guarded()
    const url = `http://127.0.0.1:${port}/`

    const first = post(url, { connections: 1, timeoutMs: 3_000 })
    const late = post(url, { connections: 1, timeoutMs: 2_000 })
    const next = post(url, { connections: 1, timeoutMs: 9_000 })
    await got(1)
    advance(2_000)
    expect(await late).toMatchObject({ problem: 'timeout', phase: 'dns' })
    connections[0]?.write(answer(200))
    expect((await first).status).toBe(200)
    await got(2)
    connections[0]?.write(answer(202))

    expect((await next).status).toBe(202)
    expect(connections).toHaveLength(1)
    expect(requests).toHaveLength(2)
  })

  test('an attempt out of time gives its place to the next', async () => {
    const { port, connections, got, gone } = await receiver((socket, _, count) => {
      if (count > 1) socket.write(answer())
    })
    const { post, advance } = guarded()
    const url = `http://127.0.0.1:${port}/`

    const hangs = post(url, { connections: 1, timeoutMs: 1_000 })
    const next = post(url, { connections: 1, timeoutMs: 9_000 })
    await got(1)
    advance(1_000)

    expect(await hangs).toMatchObject({ problem: 'timeout', phase: 'sent' })
    expect((await next).status).toBe(200)
    expect(connections).toHaveLength(2)
    connections[1]?.destroy()
    await gone()
  })

  test('many attempts at once each get their own answer', async () => {
    const { port, connections } = await receiver((socket, request) => {
      socket.write(answer(200, /POST \/(\d+)/.exec(request)?.[1]))
    })
    const { post } = guarded()

    const all = await Promise.all(Array.from({ length: 200 }, (_, n) => post(`http://127.0.0.1:${port}/${n}`)))

    expect(all.map(({ body }) => body)).toEqual(Array.from({ length: 200 }, (_, n) => String(n)))
    expect(connections.length).toBeLessThanOrEqual(16)
  })

  test('one that the receiver closed without a word is a failed connection, and the next attempt opens another', async () => {
    const { port, connections } = await receiver((socket, _, count) => {
      if (count === 2) socket.destroy()
      else socket.write(answer())
    })
    const { post } = guarded()
    const url = `http://127.0.0.1:${port}/`

    expect((await post(url)).status).toBe(200)
    expect(await post(url)).toMatchObject({ problem: 'connection', phase: 'sent', status: null })
    expect((await post(url)).status).toBe(200)
    expect(connections).toHaveLength(2)
  })

  test('an unsolicited response closes the connection and does not affect the next response', async () => {
    const { port, connections } = await receiver((socket, _, count) => {
      socket.write(answer(200, String(count)) + (count === 1 ? answer(200, 'smuggled') : ''))
    })
    const { post } = guarded()
    const url = `http://127.0.0.1:${port}/`

    expect((await post(url)).body).toBe('1')
    expect((await post(url)).body).toBe('2')
    expect(connections).toHaveLength(2)
  })

  test('idle ones are closed after a minute, also those of a url that is no longer used; no timer stays', async () => {
    const before = await receiver(says(answer()))
    const after = await receiver(says(answer()))
    const { post, advance, waiting } = guarded()

    await post(`http://127.0.0.1:${before.port}/`)
    advance(50_000)
    await post(`http://127.0.0.1:${after.port}/`)
    advance(20_000)
    await before.gone()
    expect(waiting()).toBe(1)
    advance(50_000)
    await after.gone()

    expect(waiting()).toBe(0)
    expect((await post(`http://127.0.0.1:${after.port}/`)).status).toBe(200)
  })

  test('closing ends what runs and what waits, and nothing starts afterwards', async () => {
    const { port, connections, requests, got, gone } = await receiver(() => {})
    const { post, close, waiting } = guarded()
    const url = `http://127.0.0.1:${port}/`

    const open = [post(url, { connections: 1 }), post(url, { connections: 1 }), post(url, { connections: 1 })]
    await got(1)
    await close()

    for (const ended of await Promise.all(open)) expect(ended).toMatchObject({ problem: 'connection' })
    expect(await post(url)).toMatchObject({ problem: 'connection' })
    await gone()
    expect([connections.length, requests.length, waiting()]).toEqual([1, 1, 0])
  })
})

describe('failures', () => {
  test('a closed port, a reset and a name that does not exist are failed connections', async () => {
    const { port } = await receiver((socket) => void socket.resetAndDestroy())
    const { dnsServers } = await nameServer({ 'empty.test': {} })
    const { post } = guarded({ dnsServers })

    const results = [
      await post(`http://127.0.0.1:${await freePort()}/`),
      await post(`http://127.0.0.1:${port}/`),
      await post('https://missing.test/'),
      await post('https://empty.test/'),
    ]

    expect(results.map(({ problem, phase, detail }) => [problem, phase, detail])).toEqual([
      ['connection', 'connect', 'connection failed (ECONNREFUSED)'],
      ['connection', 'sent', 'connection failed (ECONNRESET)'],
      ['connection', 'dns', 'connection failed (ENOTFOUND)'],
      ['connection', 'dns', 'connection failed (ENODATA)'],
    ])
  })

  test.each([
    ['silence', ''],
    ['a status line that drips', 'HTTP/1.1 20'],
    ['headers that drip', 'HTTP/1.1 200 OK\r\nX-A: b\r\nX-'],
    ['an announcement alone', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('%s is given up when the time is over, not before, and the connection is closed', async (_, bytes) => {
    const { port, got, gone } = await receiver(says(bytes))
    const { post, advance } = guarded()
    let over = false

    const attempt = post(`http://127.0.0.1:${port}/`).finally(() => {
      over = true
    })
    await got(1)
    advance(4_999)
    await new Promise(setImmediate)
    expect(over).toBe(false)
    advance(1)

    expect(await attempt).toMatchObject({ problem: 'timeout', status: null, phase: 'sent', durationMs: 5_000 })
    await gone()
  })

  test.each([
    ['the time of the attempt', 1_000, 1_000],
    ['the four seconds of a connection', 30_000, 4_000],
  ])('a handshake that hangs ends with %s', async (_, timeoutMs, ms) => {
    // Plain TCP: accepts the ClientHello and never answers.
    const { port, got, gone } = await receiver(() => {})
    const { post, advance } = guarded()

    const attempt = post(`https://127.0.0.1:${port}/`, { timeoutMs })
    await got(1)
    advance(ms)

    expect(await attempt).toMatchObject({ problem: 'timeout', phase: 'tls', durationMs: ms })
    await gone()
  })

  test('a name that is never answered ends after two seconds', async () => {
    const { dnsServers, firstQuestion } = await nameServer({ 'silent.test': { silent: true } })
    const { post, advance } = guarded({ dnsServers })

    const asked = firstQuestion()
    const attempt = post('https://silent.test/')
    await asked
    advance(2_000)

    expect(await attempt).toMatchObject({ problem: 'timeout', phase: 'dns' })
  })

  test.each([
    ['garbage', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a broken length', 'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['one huge header', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['very many headers', `HTTP/1.1 200 OK\r\n${'X-A: bcdefgh\r\n'.repeat(5_000)}\r\n`],
    ['another version', 'HTTP/3.7 200 OK\r\n\r\n'],
  ])('%s is no HTTP', async (_, bytes) => {
    const { port, gone } = await receiver(says(bytes))
    const { post } = guarded()

    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ problem: 'protocol', status: null, phase: 'sent' })
    await gone()
  })

  test('headers without end are cut off', async () => {
    let sent = 0
    const { port, gone } = await receiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const more = () => {
        sent++
        if (socket.writable) socket.write(`X-${sent}: ${'y'.repeat(100)}\r\n`, more)
      }
      more()
    })
    const { post } = guarded()

    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ problem: 'protocol' })
    await gone()
  })

  test('a request that is not valid HTTP is reported as a result', async () => {
    const { port, requests } = await receiver(says(answer()))
    const { post } = guarded()
    const url = `http://127.0.0.1:${port}/`

    expect(await post(url, { headers: { 'x-a': 'b\r\nx-c: d' } })).toMatchObject({ problem: 'protocol' })
    for (const odd of ['', 'nonsense', 'ftp://127.0.0.1/', 'mailto:a@b.test', 'https://./', 'https://foo.0x../']) {
      expect([odd, await post(odd)]).toMatchObject([odd, { problem: 'not_allowed' }])
    }
    expect((await post(url)).status).toBe(200)
    expect(requests).toHaveLength(1)
  })
})

describe('TLS', () => {
  const secureNames = () => nameServer({ 'receiver.test': { a: ['127.0.0.1'] }, 'other.test': { a: ['127.0.0.1'] } })

  test('a trusted certificate of the right name is accepted, by name and by address, with and without a last dot', async () => {
    const { port, connections } = await receiver(says(answer()), trusted)
    const { post } = guarded({ ca, ...(await secureNames()) })

    for (const host of ['receiver.test', 'receiver.test.', 'RECEIVER.test', '127.0.0.1']) {
      expect([host, await post(`https://${host}:${port}/`)]).toMatchObject([host, { status: 200, problem: null }])
    }
    expect(connections).toHaveLength(2)
  })

  test.each([
    ['a stranger’s', () => stranger, 'receiver.test', {}],
    ['an expired one', () => expired, 'receiver.test', {}],
    ['one of another name', () => trusted, 'other.test', {}],
    ['one of another name, older TLS', () => trusted, 'other.test', { maxVersion: 'TLSv1.2' }],
    ['one of another address', () => elsewhere, '127.0.0.1', {}],
    ['only TLS 1.0', () => trusted, 'receiver.test', { minVersion: 'TLSv1', maxVersion: 'TLSv1' }],
    ['only TLS 1.1', () => trusted, 'receiver.test', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }],
  ] as const)('%s is refused, every time, regardless of the environment', async (_, certificate, host, versions) => {
    const options: TlsOptions = { ...certificate(), ...versions, ciphers: 'DEFAULT@SECLEVEL=0' }
    const { port, requests } = await receiver(says(answer()), options)
    const { post } = guarded({ ca, ...(await secureNames()) })
    setEnvironment({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })
    const warning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined)
    onTestFinished(() => warning.mockRestore())

    // More than once: a TLS session of the first attempt must not be resumed by the second.
    for (let n = 0; n < 3; n++) {
      expect(await post(`https://${host}:${port}/`)).toMatchObject({ problem: 'tls', phase: 'tls', status: null })
    }
    expect(requests).toEqual([])
  })

  test('plain HTTP where TLS is expected is a failure of TLS', async () => {
    const { port } = await receiver(says(answer()))
    const { post } = guarded()

    expect(await post(`https://127.0.0.1:${port}/`)).toMatchObject({ problem: 'tls', phase: 'tls' })
  })
})

function setEnvironment(variables: Record<string, string>): void {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name]
    process.env[name] = value
    onTestFinished(() => {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    })
  }
}

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))
const everywhere = hasIpv6 ? '::' : '0.0.0.0'
// Not every system has more of 127.0.0.0/8 than its first address, or IPv6.
const isHere = (host: string) => (hasIpv6 || !host.includes(':')) && host !== '127.255.255.254'

const loopbackForms = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '2130706433', '0x7f000001', '017700000001'],
  ...['0177.0.0.1', '0x7f.0.0.0x1', '0x7f.1', '127.0.0.1.', '①②⑦.⓪.⓪.①', '１２７．０．０．１', '127。0。0。1'],
  ...['%31%32%37.0.0.1', '[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', 'localhost', 'LOCALHOST', 'localhost.'],
]
const neverForms = [
  ...['0', '0.0.0.0', '0x0', '00.0.0.0', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:0:127.0.0.1]'],
  ...['[::127.0.0.1]', '[::ffff:8.8.8.8]', '[64:ff9b::7f00:1]', '[64:ff9b::8.8.8.8]', '[64:ff9b:1::1]'],
  ...['[2002:7f00:1::1]', '[2001:0:1::1]', '[fc00::1]', '[fdff::1]', '[fe80::1]', '[fec0::1]', '[ff02::1]'],
  ...['[2001:db8::1]', '[3fff::1]', '[100::1]', '[fd00:ec2::254]', '10.0.0.1', '012.0.0.1', '172.16.0.1'],
  ...['192.168.0.1', '3232235521', '100.64.0.1', '169.254.169.254', '169.254.1.1', '0xa9fea9fe', '2852039166'],
  ...['168.63.129.16', '198.18.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1', '192.0.0.8', '192.88.99.1'],
  ...['224.0.0.1', '240.0.0.1', '255.255.255.255', 'app.localhost', 'intranet', 'printer.local', 'nas.home.arpa'],
  ...['metadata.google.internal', 'localhost..', '127.0.0.1..', '0x7f.1..', '2130706433..', '.', '..', 'a..b'],
]

describe('forms of hosts', () => {
  test('there are enough of them', () => {
    expect(loopbackForms.length + neverForms.length).toBeGreaterThanOrEqual(42)
  })

  test('in production each is refused by its form and at the connection, and nothing connects', async () => {
    const { port, connections } = await receiver(says(answer()), undefined, everywhere)
    const { dnsServers, asked } = await nameServer({})
    const { urlProblem, post } = guarded({ ...production, dnsServers })

    for (const host of [...loopbackForms, ...neverForms]) {
      for (const scheme of ['https', 'http']) {
        const url = `${scheme}://${host}:${port}/hook`
        expect([url, urlProblem(url)]).toEqual([
          url,
          expect.stringMatching(/^must (name a public host|begin with https:)/),
        ])
        expect([url, await post(url)]).toMatchObject([url, { problem: 'not_allowed', status: null }])
      }
    }
    expect([connections.length, asked.length]).toEqual([0, 0])
  })

  test('with loopback receivers nothing else is opened', async () => {
    const { port, connections } = await receiver(says(answer()), undefined, everywhere)
    const { urlProblem, post } = guarded()

    for (const host of neverForms) {
      for (const scheme of ['https', 'http']) {
        const url = `${scheme}://${host}:${port}/hook`
        expect([url, urlProblem(url)]).toEqual([url, expect.any(String)])
        expect([url, await post(url)]).toMatchObject([url, { problem: 'not_allowed' }])
      }
    }
    expect(connections).toHaveLength(0)
    for (const host of loopbackForms.filter(isHere)) {
      const url = `http://${host}:${port}/hook`
      expect([url, urlProblem(url)]).toEqual([url, undefined])
      expect([url, (await post(url)).status]).toEqual([url, 200])
    }
  })
})

describe('names', () => {
  test('one that was public at registration and is not at delivery is not called', async () => {
    const { port, connections } = await receiver(says(answer()))
    const zone: Zone = { 'hooks.test': { a: ['1.1.1.1'] } }
    const { urlProblem, post } = guarded({ ...production, ...(await nameServer(zone)) })
    const url = `https://hooks.test:${port}/`
    expect(urlProblem(url)).toBeUndefined()

    zone['hooks.test'] = { a: ['127.0.0.1'] }

    expect(await post(url)).toMatchObject({ problem: 'not_allowed', phase: 'dns', status: null })
    expect(connections).toHaveLength(0)
  })

  test.each<[string, Zone[string]]>([
    ['public and private', { a: ['1.1.1.1', '10.0.0.1'] }],
    ['public and loopback', { a: ['1.1.1.1', '127.0.0.1'] }],
    ['public, and private in the other family', { a: ['1.1.1.1'], aaaa: ['fd00::1'] }],
    ['public, and loopback in the other family', { a: ['1.1.1.1'], aaaa: ['::1'] }],
    ['only a private AAAA', { aaaa: ['fd00::1'] }],
    ['only a loopback AAAA', { aaaa: ['::1'] }],
    ['a mapped AAAA', { aaaa: ['::ffff:7f00:1'] }],
    ['an alias of localhost', { cname: 'localhost', a: ['127.0.0.1'] }],
    ['an alias of localhost in the other family', { cname: 'localhost', aaaa: ['::1'] }],
    ['metadata', { a: ['169.254.169.254'] }],
    ['nothing', { a: ['0.0.0.0'] }],
    ['very many public ones and a private one', { a: [...Array<string>(20).fill('1.1.1.1'), '10.0.0.1'] }],
  ])('%s: no connection', async (_, record) => {
    const { port, connections } = await receiver(says(answer()), undefined, everywhere)
    const { post } = guarded({ ...production, ...(await nameServer({ 'hooks.test': record })) })

    expect(await post(`https://hooks.test:${port}/`)).toMatchObject({ problem: 'not_allowed', phase: 'dns' })
    expect(connections).toHaveLength(0)
  })

  test('an alias that leads nowhere is a failed connection', async () => {
    const { post } = guarded({ ...production, ...(await nameServer({ 'hooks.test': { cname: 'localhost' } })) })

    expect(await post('https://hooks.test/')).toMatchObject({ problem: 'connection', phase: 'dns' })
  })

  test('with loopback receivers a name of this machine means this machine alone', async () => {
    const { port, connections } = await receiver(says(answer()), trusted)
    const zone: Zone = {
      'receiver.test': { a: ['127.0.0.1'] },
      'mixed.test': { a: ['127.0.0.1', '1.1.1.1'] },
      'private.test': { a: ['10.0.0.1'] },
    }
    const { post } = guarded({ ca, ...(await nameServer(zone)) })

    expect((await post(`https://receiver.test:${port}/`)).status).toBe(200)
    for (const name of ['mixed.test', 'private.test']) {
      expect(await post(`https://${name}:${port}/`)).toMatchObject({ problem: 'not_allowed' })
    }
    // Plain HTTP is for hosts that are loopback by their form.
    expect(await post(`http://receiver.test:${port}/`)).toMatchObject({ problem: 'not_allowed' })
    expect(connections).toHaveLength(1)
  })

  test('an answer is kept for its time, at most a minute, and every connection is checked anew', async () => {
    const { port, connections } = await receiver(
      (socket) => void socket.end(answer(200, '', 'Connection: close\r\n')),
      {
        ...trusted,
      },
    )
    const zone: Zone = { 'receiver.test': { a: ['127.0.0.1'], ttl: 86_400 } }
    const { dnsServers, asked } = await nameServer(zone)
    const { post, advance } = guarded({ ca, dnsServers })
    const url = `https://receiver.test:${port}/`

    expect((await post(url)).status).toBe(200)
    zone['receiver.test'] = { a: ['10.0.0.1'], ttl: 0 }
    advance(59_999)
    expect((await post(url)).status).toBe(200)
    expect(asked).toHaveLength(2)
    advance(1)

    expect(await post(url)).toMatchObject({ problem: 'not_allowed' })
    expect([asked.length, connections.length]).toEqual([4, 2])
    zone['receiver.test'] = { a: ['127.0.0.1'] }
    expect((await post(url)).status).toBe(200)
  })

  test('setting the clock back does not extend the life of a cached answer', async () => {
    const zone: Zone = { 'hooks.test': { a: ['10.0.0.1'] } }
    const { dnsServers, asked } = await nameServer(zone)
    const { post, advance } = guarded({ ...production, dnsServers })

    expect((await post('https://hooks.test/')).problem).toBe('not_allowed')
    advance(-86_400_000)
    expect((await post('https://hooks.test/')).problem).toBe('not_allowed')

    expect(asked).toHaveLength(4)
  })

  test('a connection that stays open is not opened anew', async () => {
    const { port, connections } = await receiver(says(answer()), trusted)
    const zone: Zone = { 'receiver.test': { a: ['127.0.0.1'], ttl: 1 } }
    const { dnsServers, asked } = await nameServer(zone)
    const { post, advance } = guarded({ ca, dnsServers })
    const url = `https://receiver.test:${port}/`

    expect((await post(url)).status).toBe(200)
    zone['receiver.test'] = { a: ['10.0.0.1'] }
    advance(2_000)
    expect((await post(url)).status).toBe(200)
    expect([asked.length, connections.length]).toEqual([2, 1])

    expect(await post(url, { pool: 'another' })).toMatchObject({ problem: 'not_allowed' })
  })

  test('a failure is kept for five seconds, and one question serves many', async () => {
    const zone: Zone = {}
    const { port } = await receiver(says(answer()), trusted)
    const { dnsServers, asked } = await nameServer(zone)
    const { post, advance } = guarded({ ca, dnsServers })
    const url = `https://receiver.test:${port}/`

    const all = await Promise.all(['a', 'b', 'c', 'd'].map((pool) => post(url, { pool })))
    expect(all.map(({ problem }) => problem)).toEqual(Array(4).fill('connection'))
    zone['receiver.test'] = { a: ['127.0.0.1'] }
    advance(4_999)
    expect((await post(url)).problem).toBe('connection')
    expect(asked).toHaveLength(2)
    advance(1)

    expect((await post(url)).status).toBe(200)
  })

  test.runIf(hasIpv6)('localhost is this machine without a question, in both families', async () => {
    const { port, connections } = await receiver(says(answer()), undefined, '::1')
    const { dnsServers, asked } = await nameServer({})
    const { post } = guarded({ dnsServers })

    expect((await post(`http://localhost:${port}/`)).status).toBe(200)
    expect([connections.length, asked.length]).toEqual([1, 0])
  })
})

describe('ourselves', () => {
  test('our own names are no receivers, in any spelling and on any port', async () => {
    const zone: Zone = { 'phone.example.test': { a: ['127.0.0.1'] } }
    for (const loopback of [true, false]) {
      const { port, connections } = await receiver(says(answer()), trusted)
      const ownNames = ['Phone.Example.test.', '1.0.0.1', '[2606:4700::64]']
      const { urlProblem, post } = guarded({ loopback, ownNames, ca, ...(await nameServer(zone)) })

      for (const host of ['phone.example.test', 'PHONE.example.TEST.', '1.0.0.1', '[2606:4700:0::64]', '0x01000001']) {
        for (const at of ['', `:${port}`]) {
          const url = `https://${host}${at}/`
          expect([url, urlProblem(url)]).toEqual([url, 'must not name this installation'])
          expect([url, await post(url)]).toMatchObject([url, { problem: 'not_allowed' }])
        }
      }
      expect(urlProblem('https://not.phone.example.test/')).toBeUndefined()
      expect(connections).toHaveLength(0)
    }
  })

  test('a name that leads to our own public address is refused at the connection', async () => {
    const { dnsServers } = await nameServer({ 'sneaky.test': { a: ['1.0.0.1'] } })
    const { post } = guarded({ ...production, ownNames: ['1.0.0.1'], dnsServers })

    expect(await post('https://sneaky.test/')).toMatchObject({ problem: 'not_allowed', phase: 'dns' })
  })

  test('our own ports on loopback are no receivers; the other ports are', async () => {
    const ours = await receiver(says(answer()))
    const theirs = await receiver(says(answer()))
    const secure = await receiver(says(answer()), trusted)
    const { dnsServers } = await nameServer({ 'receiver.test': { a: ['127.0.0.1'] } })
    const ownNames = ['127.0.0.1', 'localhost', '[::1]']
    const { urlProblem, post } = guarded({ ownNames, ownPorts: [ours.port, secure.port, 80, 443], ca, dnsServers })

    for (const host of ['127.0.0.1', '127.9.9.9', 'localhost', 'LOCALHOST.', '[::1]', '2130706433']) {
      for (const url of [`http://${host}:${ours.port}/`, `http://${host}/`, `https://${host}/`]) {
        expect([url, urlProblem(url)]).toEqual([url, 'must not name this installation'])
        expect([url, await post(url)]).toMatchObject([url, { problem: 'not_allowed' }])
      }
    }
    expect(await post(`https://receiver.test:${secure.port}/`)).toMatchObject({ problem: 'not_allowed', phase: 'dns' })
    expect([ours.connections.length, secure.connections.length]).toEqual([0, 0])
    expect(urlProblem(`http://127.0.0.1:${theirs.port}/`)).toBeUndefined()
    expect((await post(`http://127.0.0.1:${theirs.port}/`)).status).toBe(200)
  })

  test('the addresses of this host are no receivers, even when the operator admits their range', async () => {
    const own = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal }) => !internal)
      .map(({ address }) => address)
    const { urlProblem, post } = guarded({ allowRanges: own })

    for (const address of own) {
      const url = `https://${isIP(address) === 6 ? `[${address}]` : address}/`
      expect([url, urlProblem(url)]).toEqual([url, 'must name a public host'])
      expect([url, await post(url)]).toMatchObject([url, { problem: 'not_allowed' }])
    }
  })
})

describe('ranges the operator admits', () => {
  const allowRanges = ['10.1.0.0/16', '192.168.7.7', 'fd00:1::/32']

  test('are called by HTTPS only, and nothing beside them', () => {
    const { urlProblem } = guarded({ ...production, allowRanges })

    for (const host of ['10.1.2.3', '192.168.7.7', '[fd00:1:2::3]']) {
      expect([host, urlProblem(`https://${host}/`), urlProblem(`http://${host}/`)]).toEqual([
        host,
        undefined,
        'must begin with https://',
      ])
    }
    for (const host of [
      '10.2.0.1',
      '192.168.7.8',
      '[fd00:2::1]',
      '[::ffff:10.1.2.3]',
      '127.0.0.1',
      '169.254.169.254',
    ]) {
      expect([host, urlProblem(`https://${host}/`)]).toEqual([host, 'must name a public host'])
    }
  })

  test('hold for names too, mixed with public addresses', () => {
    const policy = createAddressPolicy({ ...production, allowRanges, ownNames: [], ownPorts: [] })
    const secure = { protocol: 'https:', host: 'hooks.test', port: 443 }

    expect(policy.allows(secure, ['10.1.2.3', 'fd00:1::1', '1.1.1.1'])).toBe(true)
    expect(policy.allows(secure, ['10.1.2.3', '10.2.0.1'])).toBe(false)
    expect(policy.allows(secure, [])).toBe(false)
    expect(policy.allows({ ...secure, protocol: 'http:' }, ['10.1.2.3'])).toBe(false)
  })

  test('never open this machine, its neighbours or metadata, however wide they are', () => {
    const wide = ['0.0.0.0/0', '::/0', '127.0.0.0/8', '::1', 'fe80::/10', '169.254.0.0/16', '100.64.0.0/1']
    const { urlProblem } = guarded({ ...production, allowRanges: wide })

    const never = ['127.0.0.1', '0.0.0.0', '169.254.169.254', '224.0.0.1', '100.100.100.200', '168.63.129.16']
    const neverIpv6 = ['[::1]', '[::]', '[fe80::1]', '[ff02::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]']
    for (const host of [...never, ...neverIpv6, '[fd00:ec2::254]', '[2002:7f00:1::1]', 'localhost']) {
      expect([host, urlProblem(`https://${host}/`)]).toEqual([host, 'must name a public host'])
    }
    expect(urlProblem('https://10.9.9.9/')).toBeUndefined()
  })
})

test('a proxy of the environment is not used', async () => {
  const proxy = await receiver(says(answer(200, 'proxy')))
  const { port } = await receiver(says(answer(200, 'receiver')))
  const address = `http://127.0.0.1:${proxy.port}`
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  setEnvironment({ ...Object.fromEntries(names.map((name) => [name, address])), NODE_USE_ENV_PROXY: '1' })
  setEnvironment({ NO_PROXY: '', no_proxy: '' })
  const open = guarded()
  const closed = guarded(production)

  expect((await open.post(`http://127.0.0.1:${port}/`)).body).toBe('receiver')
  expect(await closed.post(`https://127.0.0.1:${port}/`)).toMatchObject({ problem: 'not_allowed' })
  expect(proxy.connections).toHaveLength(0)
})

describe('a receiver’s url', () => {
  // What the loopback option allows, URL by URL.
  test.each([
    ['https://example.com/hook', undefined, undefined],
    ['https://1.1.1.1:8443/hook?a=b', undefined, undefined],
    ['http://example.com/hook', 'must begin with https://', 'must begin with https://'],
    ['http://127.0.0.1:4000/hook', 'must begin with https://', undefined],
    ['https://127.0.0.1/hook', 'must name a public host', undefined],
    ['http://127.8.8.8/hook', 'must begin with https://', undefined],
    ['http://localhost:4000', 'must begin with https://', undefined],
    ['https://localhost:4000', 'must name a public host', undefined],
    ['http://[::1]:4000/hook', 'must begin with https://', undefined],
    ['http://app.localhost/hook', 'must begin with https://', 'must begin with https://'],
    ['http://10.0.0.1/hook', 'must begin with https://', 'must begin with https://'],
    ['https://10.0.0.1/hook', 'must name a public host', 'must name a public host'],
    ['https://169.254.169.254/hook', 'must name a public host', 'must name a public host'],
    ['ftp://127.0.0.1/hook', 'must begin with https://', 'must begin with https://'],
    ['https://user@example.com/', 'must not hold credentials', 'must not hold credentials'],
    ['http://user@127.0.0.1/', 'must not hold credentials', 'must not hold credentials'],
    ['https://example.com/hook#part', 'must not hold a fragment', 'must not hold a fragment'],
    ['https://example.com/hook#', 'must not hold a fragment', 'must not hold a fragment'],
    ['hook', 'must be an absolute URL', 'must be an absolute URL'],
  ])('%s', (url, off, on) => {
    expect([guarded(production).urlProblem(url), guarded().urlProblem(url)]).toEqual([off, on])
  })

  test('has at most 2,048 characters', () => {
    const { urlProblem } = guarded(production)
    const long = (length: number) => 'https://example.com/'.padEnd(length, 'a')

    expect(urlProblem(long(2_048))).toBeUndefined()
    expect(urlProblem(long(2_049))).toContain('2,048')
  })
})

describe('reading a file', () => {
  const get = (http: Pick<ReturnType<typeof guarded>, 'get'>, url: string, more: { maxBytes?: number } = {}) =>
    http.get({ pool: 'one', url, headers: { accept: 'audio/*' }, timeoutMs: 5_000, maxBytes: 100_000, ...more })
  const answering =
    (head: string, body = '') =>
    (socket: Socket) =>
      void socket.write(`HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)

  test('all of it comes, byte by byte, also when it is longer than an answer to a webhook may be', async () => {
    const file = 'x'.repeat(60_000)
    const { port, requests } = await receiver(answering('200 OK', file))

    const got = await get(guarded(), `http://127.0.0.1:${port}/hello.mp3?v=1`)

    expect([got.status, got.problem, got.extent, got.bytes.equals(Buffer.from(file))]).toEqual([
      200,
      null,
      'whole',
      true,
    ])
    expect(requests[0]).toMatch(/^GET \/hello\.mp3\?v=1 HTTP\/1\.1\r\n/)
  })

  test('what is too large is abandoned, and its connection is closed', async () => {
    const { port, gone } = await receiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n')
      socket.write('x'.repeat(20_000))
    })

    const got = await get(guarded(), `http://127.0.0.1:${port}/`, { maxBytes: 10_000 })

    expect([got.status, got.extent]).toEqual([200, 'too_large'])
    await gone()
  })

  test('one that drips is given up when its time is over', async () => {
    const http = guarded()
    const { port, got } = await receiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nxx')
    })
    const reading = get(http, `http://127.0.0.1:${port}/`)
    await got(1)
    // The first bytes of the body have been sent.
    await vi.waitFor(() => expect(http.waiting()).toBeGreaterThan(0))

    http.advance(6_000)

    expect(await reading).toMatchObject({ extent: 'part' })
  })

  test('a redirect is an answer like any other and is not followed', async () => {
    const second = await receiver(answering('200 OK', 'secret'))
    const first = await receiver(answering(`302 Found\r\nlocation: http://127.0.0.1:${second.port}/`))

    const got = await get(guarded(), `http://127.0.0.1:${first.port}/`)

    expect([got.status, second.requests]).toEqual([302, []])
  })

  test('no address of this machine or of a private network is read, and http does not change that', async () => {
    const { port, requests } = await receiver(answering('200 OK', 'secret'))
    const http = guarded(production)
    const addresses = [
      `http://127.0.0.1:${port}/`,
      `http://[::1]:${port}/`,
      'http://10.0.0.1/',
      'http://169.254.169.254/',
    ]

    for (const url of [...addresses, 'https://192.168.1.1/', 'file:///etc/passwd', 'no address']) {
      expect([url, (await get(http, url)).problem]).toEqual([url, 'not_allowed'])
    }
    const own = guarded({ ownPorts: [port] })
    expect((await get(own, `http://127.0.0.1:${port}/`)).problem).toBe('not_allowed')
    expect(requests).toEqual([])
  })

  test('a public file may be read by http, a receiver may not be called by it', () => {
    const policy = createAddressPolicy({ loopback: false, allowRanges: [], ownNames: ['ours.example'], ownPorts: [] })
    const target = { protocol: 'http:', host: 'files.example', port: 80 }

    expect(policy.hostProblem(target)).toBe('must begin with https://')
    expect(policy.allows(target, ['93.184.216.34'])).toBe(false)
    expect(policy.hostProblem({ ...target, plain: true })).toBeUndefined()
    expect(policy.allows({ ...target, plain: true }, ['93.184.216.34'])).toBe(true)
    expect(policy.allows({ ...target, plain: true }, ['93.184.216.34', '10.0.0.1'])).toBe(false)
    expect(policy.hostProblem({ ...target, host: 'ours.example', plain: true })).toBe('must not name this installation')
  })
})
