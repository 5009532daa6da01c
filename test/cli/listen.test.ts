import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Client } from '../kit/app.ts'
import { temporaryFolder } from '../kit/databases.ts'
import { receiver } from '../kit/receiver.ts'
import { seeded } from './installation.ts'
import { api, type Env, hookswitch, production, type Running, running, sandbox, serve } from './program.ts'

interface Demo {
  base_url: string
  api_id: string
  api_token: string
}

const demoFile = (env: Env) => path.join(env.DATA_DIR ?? '', 'demo.json')
const demoOf = (env: Env): Demo => JSON.parse(readFileSync(demoFile(env), 'utf8'))
const here = ({ DATA_DIR = '' }: Env): Env => ({ DATA_DIR })

async function started() {
  const env = await seeded('embedded')
  const server = await serve(env)
  return { env, server, office: api(server.base, demoOf(env)) }
}

/** The id in the event. */
async function newContact(office: Client, firstName: string): Promise<number> {
  const made = await office('POST', '/v1/contacts', {
    first_name: firstName,
    phone_numbers: [{ label: 'Work', value: '+33176360695' }],
  })
  expect(made.status).toBe(201)
  return made.json.contact.id
}

async function listening(env: Env, ...words: string[]): Promise<Running & { secret: string }> {
  const listener = running(['listen', ...words], here(env))
  await listener.prints(/[Ss]igning.secret.*\n/)
  return { ...listener, secret: /whsec_[\w+/=]+/.exec(listener.stdout())?.[0] ?? 'none' }
}

const linesAbout = (text: string, event: string) => text.split('\n').filter((line) => line.includes(`  ${event} `))

/** A server in front of another with a handler for each request. */
async function front(handle: (asked: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function passOn(asked: IncomingMessage, response: ServerResponse, base: string) {
  const headers = { ...asked.headers, 'x-forwarded-proto': 'https' }
  const onward = request(base + (asked.url ?? ''), { method: asked.method, headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 0, answer.headers)
    answer.on('error', () => {}).pipe(response)
  })
  onward.on('error', () => response.destroy())
  response.on('close', () => onward.destroy())
  asked.pipe(onward)
}

test('listen shows an event as it happens, and forwards it signed and unchanged', async () => {
  const { env, server, office } = await started()
  const own = await receiver()
  const listener = await listening(env, '--events', 'contact.*', '--forward-to', own.url)
  own.verifyWith(listener.secret)

  const id = await newContact(office, 'Ada')
  await listener.prints(/contact\.created.*→ .*\n/)
  listener.signal('SIGINT')

  expect(await listener.ended).toBe(0)
  expect(listener.stderr()).toBe('')
  const [first, second, third, fourth] = listener.stdout().split('\n')
  expect(first).toMatch(
    new RegExp(`^Listening to contact\\.\\* of ${server.base}, after position \\d+\\. Stop with Ctrl\\+C\\.$`),
  )
  expect(second).toBe(`Signing secret: ${listener.secret}`)
  expect(third).toBe(`Forwarding to ${own.url}`)
  expect(fourth).toMatch(/^\d\d:\d\d:\d\d {2}contact\.created +contact \d+ +Ada +→ 204 in \d+ ms$/)
  expect(own.got).toHaveLength(1)
  const [got] = own.got
  expect(got?.body).toMatchObject({ event: 'contact.created', resource: 'contact', data: { id } })
  expect(Object.keys(got?.headers ?? {}).filter((name) => !name.startsWith('webhook-'))).toEqual([
    'content-type',
    'user-agent',
    'host',
    'connection',
    'content-length',
  ])
  expect(got?.headers['user-agent']).toBe('Hookswitch-Webhooks/1')
})

test('with --json every line is a frame, and the first one has the secret', async () => {
  const { env, office } = await started()
  const listener = await listening(env, '--json')

  await newContact(office, 'Ada')
  await listener.prints(/contact\.created.*\n/)

  const [hello, event] = listener
    .stdout()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(hello).toEqual({
    listener: { token: expect.any(String), signing_secret: listener.secret, position: expect.any(Number) },
  })
  expect(event).toEqual({
    position: expect.any(Number),
    headers: expect.objectContaining({ 'webhook-signature': expect.stringMatching(/^v1,/) }),
    body: expect.stringContaining('"event":"contact.created"'),
  })
})

test('a restart of the server neither loses nor repeats an event', async () => {
  const { env, server, office } = await started()
  const own = await receiver()
  const listener = await listening(env, '--forward-to', own.url)
  // One secret for the whole session: a receiver keeps it after the reconnection.
  own.verifyWith(/whsec_[\w+/=]+/.exec(listener.stdout())?.[0] ?? 'none')
  await newContact(office, 'Before')
  await listener.prints(/Before.*→ 204/)

  await server.stop()
  await listener.prints(/Connection lost: the server closed the stream\. Reconnecting\./)
  await listener.prints(/Connection lost: \S+ cannot be reached \(connection refused\)\. Reconnecting\./)
  await serve(env)
  await newContact(office, 'Meanwhile')
  await listener.prints(/Reconnected; continuing after position \d+\.\n/)
  await newContact(office, 'Afterwards')
  await listener.prints(/Afterwards.*→ 204/)

  const names = own.got.map(({ body }) => body.data.first_name)
  expect(names).toEqual(['Before', 'Meanwhile', 'Afterwards'])
  expect(linesAbout(listener.stdout(), 'contact.created')).toHaveLength(3)
})

test('after a connection breaks, listen resumes with the next event', async () => {
  const { env, server, office } = await started()
  for (const name of ['Ada', 'Bodil', 'Cy']) await newContact(office, name)
  let opened = 0
  const cutting = await front((asked, response) => {
    opened++
    if (opened > 1) return passOn(asked, response, server.base)
    request(server.base + (asked.url ?? ''), { headers: asked.headers, agent: false }, (answer) => {
      response.writeHead(200, answer.headers)
      let text = ''
      answer.on('error', () => {}).setEncoding('utf8')
      answer.on('data', (piece: string) => {
        text += piece
        const second = text.indexOf('Bodil')
        if (second < 0) return
        answer.removeAllListeners('data').destroy()
        // Half of the second event gets through.
        response.write(text.slice(0, text.lastIndexOf('id: ', second) + 40), () => response.destroy())
      })
    }).end()
  })

  const listener = running(['listen', '--after', '0', '--events', 'contact.created', '--url', cutting], here(env))
  await listener.prints(/Cy\n/)

  expect(linesAbout(listener.stdout(), 'contact.created').map((line) => line.split(' ').at(-1))).toEqual([
    'Ada',
    'Bodil',
    'Cy',
  ])
  expect(listener.stderr()).toMatch(/^Connection lost: .+\. Reconnecting\.\n$/)
  expect(opened).toBe(2)
})

test('a failing receiver is reported, and the next event is still sent', async () => {
  const { env, office } = await started()
  const own = await receiver(500)
  const listener = await listening(env, '--forward-to', own.url)

  await newContact(office, 'Refused')
  await listener.prints(/Refused +→ 500 in \d+ ms\n/)
  own.behave((_got, response) => response.writeHead(302, { location: '/elsewhere' }).end())
  await newContact(office, 'Redirected')
  await listener.prints(/Redirected +→ 302 in \d+ ms, redirect to \/elsewhere not followed\n/)
  own.behave((_got, _response, raw) => raw.socket.destroy())
  await newContact(office, 'Dropped')
  await listener.prints(/Dropped +→ (connection reset|socket hang up)\n/)
  own.behave(() => {})
  await newContact(office, 'Hung')
  await listener.prints(/Hung +→ no response within 5 s\n/)
  await own.close()
  await newContact(office, 'Closed')
  await listener.prints(/Closed +→ connection refused\n/)

  expect(own.got.map(({ path }) => path)).toEqual(['/hook', '/hook', '/hook', '/hook'])
})

test('--replay-since starts with the events since that time, --after with the events after a position', async () => {
  const { env, office } = await started()
  for (const name of ['Ada', 'Bodil', 'Cy']) await newContact(office, name)
  const log = await office('GET', '/v1/events?events=contact.created')
  const position = log.json.events.at(-2).position

  const since = running(['listen', '--replay-since', '1h', '--events', 'contact.created'], here(env))
  const after = running(['listen', '--after', String(position), '--events', 'contact.created'], here(env))
  await since.prints(/Cy\n/)
  await after.prints(/Cy\n/)

  expect(linesAbout(since.stdout(), 'contact.created')).toHaveLength(3)
  expect(linesAbout(after.stdout(), 'contact.created')).toHaveLength(1)
})

test('trigger sends a test event to a registered receiver and prints its response', async () => {
  const { env, office } = await started()
  const customer = await receiver()
  const { webhook, signing_secret } = (
    await office('POST', '/v1/webhooks', { url: customer.url, events: ['contact.created'] })
  ).json
  customer.verifyWith(signing_secret)
  const listener = await listening(env)

  const all = await hookswitch(['trigger', 'contact.created'], here(env))
  const one = await hookswitch(['trigger', '--webhook', webhook.webhook_id], here(env))
  customer.behave(500)
  const refused = await hookswitch(['trigger', 'user.created', '--webhook', webhook.webhook_id], here(env))
  const json = await hookswitch(['trigger', 'number.created', '--json'], here(env))
  await listener.prints(/number\.created.*\n/)

  expect(all).toMatchObject({ code: 0, stderr: '' })
  expect(all.stdout).toMatch(
    /^Event contact\.created created: evt_\w+\.\n→ http:\/\/127\.0\.0\.1:\d+\/hook {2}204 in \d+ ms\n$/,
  )
  expect(one).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Event webhook\.test created: evt_\w+\.\n→ \S+ {2}204 in/),
  })
  expect(refused).toMatchObject({ code: 1, stderr: '' })
  expect(refused.stdout).toMatch(
    /\/hook {2}not accepted: 500\. The receiver failed; respond with any 2xx to accept the request\.\n$/,
  )
  expect(json.json).toMatchObject({ event: { event: 'number.created', test: true }, deliveries: [], unseen: 0 })
  expect(customer.got.map(({ body, headers }) => [body.event, headers['webhook-test']])).toEqual([
    ['contact.created', 'true'],
    ['webhook.test', 'true'],
    ['user.created', 'true'],
  ])
  expect(linesAbout(listener.stdout(), '(test)')).toHaveLength(4)
})

test('trigger without an event lists those that have a sample, without a server', async () => {
  const listed = await hookswitch(['trigger'], {})

  expect(listed).toMatchObject({ code: 0, stderr: '' })
  expect(listed.stdout).toMatch(/^EVENT +SENT WHEN\n/)
  expect(listed.stdout).toMatch(/^contact\.created +A contact is created\.$/m)
})

test('a refused request is reported in one line, exit code 1', async () => {
  const { env, server } = await started()
  const demo = demoOf(env)
  const words = ['--url', server.base, '--api-id', demo.api_id, '--api-token', 'wrong']

  const unknown = await hookswitch(['trigger', 'contact.exploded'], here(env))
  const unknownToo = await hookswitch(['listen', '--events', 'contact.exploded'], here(env))
  const noWebhook = await hookswitch(['trigger', '--webhook', 'none'], here(env))
  const wrongKey = await hookswitch(['listen', ...words], {})
  const open = await Promise.all([1, 2, 3, 4, 5].map(() => listening(env)))
  const sixth = await hookswitch(['listen'], here(env))

  const failure = (why: string) => ({
    code: 1,
    stdout: '',
    stderr: `hookswitch: ${server.base} responded with ${why}\n`,
  })
  expect(unknown).toMatchObject(failure('400: `event` is contact.exploded, which is not an event of this API'))
  expect(unknownToo).toMatchObject(failure('400: `events` names contact.exploded, which is not an event of this API'))
  expect(noWebhook).toMatchObject(failure('404: Check ID of the resource'))
  expect(wrongKey.stderr).toContain(`responded with 403: Send valid credentials`)
  expect(wrongKey.stderr).toContain(`(with API key ${demo.api_id} from the command line)`)
  expect(wrongKey).toMatchObject({ code: 1, stdout: '' })
  expect(sixth).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('at most 5 streams') })
  expect(open).toHaveLength(5)
})

test('without a server, or without its URL, it reports that', async () => {
  const nowhere = here(await sandbox())
  const file = path.join(await temporaryFolder(), 'key.json')
  writeFileSync(file, JSON.stringify({ base_url: 'http://127.0.0.1:1', api_id: 'x', api_token: 'y' }))

  const unknown = await hookswitch(['listen'], nowhere)
  const away = await hookswitch(['listen', '--credentials', file], nowhere)

  expect(unknown).toMatchObject({ code: 78, stdout: '' })
  expect(unknown.stderr).toMatch(
    /demo\.json cannot be read \(ENOENT\); set DATA_DIR .*, or use --url and --credentials\n$/,
  )
  expect(away).toMatchObject({ code: 1, stdout: '' })
  expect(away.stderr).toMatch(/^hookswitch: http:\/\/127\.0\.0\.1:1 cannot be reached \(.*\)\n$/)
})

test('a production server is listened to with a key in a file, and one webhook can be tried there', async () => {
  const env = await production()
  const server = await serve(env)
  const words = ['company', 'create', '--name', 'Acme', '--owner-email', 'owner@acme.test', '--json']
  const { json: key } = await hookswitch(words, here(env))
  const proxy = await front((asked, response) => passOn(asked, response, server.base))
  const file = path.join(await temporaryFolder(), 'key.json')
  writeFileSync(file, JSON.stringify(key))
  const where = ['--url', proxy, '--credentials', file]
  const office = api(server.base, key)
  const registered = await office('POST', '/v1/webhooks', { url: 'https://hooks.invalid/', events: ['user.created'] })

  const listener = running(['listen', ...where], {})
  await listener.prints(/Signing secret/)
  await newContact(office, 'Ada')
  await listener.prints(/contact\.created.*Ada\n/)
  const all = await hookswitch(['trigger', 'user.created', ...where], {})
  const one = await hookswitch(['trigger', '--webhook', registered.json.webhook.webhook_id, ...where], {})
  listener.signal('SIGTERM')

  expect(await listener.ended).toBe(0)
  expect(all).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('responded with 403: Sample events for all webhooks'),
  })
  expect(one).toMatchObject({ code: 1, stderr: '' })
  expect(one.stdout).toMatch(
    /hooks\.invalid\/ {2}not accepted: The destination could not be reached or is not allowed\.\n$/,
  )
})
