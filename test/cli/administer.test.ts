import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { freshPostgresUrl } from '../kit/databases.ts'
import { seeded } from './installation.ts'
import { api, hookswitch, production, sandbox, serve } from './program.ts'
import { everything } from './tables.ts'

const acme = ['company', 'create', '--name', 'Acme', '--owner-email', 'owner@acme.test']

test('a production installation begins with company create, and its key opens the API', async () => {
  const env = await production()
  const server = await serve(env)
  const { DATA_DIR = '' } = env

  // Beside a running server nothing but the data folder is known.
  const made = await hookswitch([...acme, '--json'], { DATA_DIR })

  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(made.json).toMatchObject({ company_id: 1, owner_id: 1, api_id: expect.stringMatching(/^[0-9a-f]{32}$/) })
  expect(made.json.invitation_link).toMatch(/^https:\/\/phone\.example\.test\/invitation\/[0-9a-f]{64}$/)
  expect(await api(server.base, made.json)('GET', '/v1/ping')).toMatchObject({ status: 200 })
  expect(server.output()).toBe('ready https://phone.example.test\n')
  expect(statSync(path.join(DATA_DIR, 'admin.sock')).mode & 0o777).toBe(0o600)
})

test('company create prints its secrets once, as text, and without a server too', async () => {
  const env = await production()

  const made = await hookswitch(acme, env)
  const server = await serve(env)
  const list = await hookswitch(['company', 'list'], env)
  const keys = await hookswitch(['keys', 'list'], env)

  const token = /api_token {3}([0-9a-f]{64})$/m.exec(made.stdout)?.[1] ?? 'none'
  const apiId = /api_id {6}([0-9a-f]{32})$/m.exec(made.stdout)?.[1] ?? 'none'
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(made.stdout).toContain('invitation  https://phone.example.test/invitation/')
  expect(list.stdout).toBe('ID  NAME\n1   Acme\n')
  expect(keys.stdout).toContain(apiId)
  expect(keys.stdout).not.toContain(token)
  const ping = await api(server.base, { api_id: apiId, api_token: token })('GET', '/v1/ping')
  expect(ping.status).toBe(200)
})

test('the owner has the given name, or the one in the email address', async () => {
  const env = await sandbox()
  await serve(env)
  const create = (email: string, ...rest: string[]) =>
    hookswitch(['company', 'create', '--name', 'Acme', '--owner-email', email, ...rest, '--json'], env)

  const made = [
    await create('owner@acme.test', '--owner-name', ' Ada  King Lovelace '),
    await create('grace.hopper+phone@acme.test'),
    await create('office@acme.test'),
    await create('24@acme.test'),
  ]
  const blank = await create('x@acme.test', '--owner-name', ' ')

  const { user = [] } = await everything(env)
  const names = made.map(({ json }) => {
    const owner = user.find(({ id }) => id === json.owner_id)
    return [owner?.first_name, owner?.last_name]
  })
  expect(names).toEqual([
    ['Ada', 'King Lovelace'],
    ['Grace', 'Hopper'],
    ['Office', ''],
    ['24', ''],
  ])
  expect(blank).toMatchObject({ code: 1, stderr: 'hookswitch: --owner-name is required\n' })
})

test('a revoked key is refused by the running server at once', async () => {
  const env = await seeded('embedded')
  const server = await serve(env)
  const { DATA_DIR = '' } = env
  const made = await hookswitch(['keys', 'create', '--name', 'CI', '--company', '1', '--json'], { DATA_DIR })
  const ci = api(server.base, made.json)
  expect((await ci('GET', '/v1/ping')).status).toBe(200)

  const revoked = await hookswitch(['keys', 'revoke', String(made.json.id), '--company', '1'], { DATA_DIR })

  expect(revoked).toMatchObject({ code: 0, stdout: `API key ${made.json.id} revoked.\n` })
  expect((await ci('GET', '/v1/ping')).status).toBe(403)
  const again = await hookswitch(['keys', 'revoke', String(made.json.id), '--company', '1'], { DATA_DIR })
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toBe(
    `hookswitch: there is no API key ${made.json.id}; list the keys with \`hookswitch keys list\`\n`,
  )
})

test('numbers are added, linked, validated and removed in the running server', async () => {
  const env = await seeded('embedded')
  const server = await serve(env)
  const { DATA_DIR = '' } = env
  const demo = JSON.parse(readFileSync(path.join(DATA_DIR, 'demo.json'), 'utf8'))
  const [user, other] = demo.users
  const call = api(server.base, demo)
  const numbers = (...words: string[]) => hookswitch(['numbers', ...words, '--company', '1', '--json'], { DATA_DIR })

  const added = await numbers('add', '+33199000404', '--name', 'Front', '--time-zone', 'Europe/Paris', '--classic')
  const linked = await numbers('link', '+33199000404', user.email, String(other.id))
  const validated = await numbers('validate', String(added.json.id))

  expect(added.json).toMatchObject({ digits: '+33199000404', name: 'Front', kind: 'classic', validated: false })
  expect(linked.json).toEqual({ linked: [user.id, other.id], to: '+33199000404' })
  expect(validated.json).toEqual({ validated: '+33199000404' })
  const seen = await call('GET', `/v1/numbers/${added.json.id}`)
  expect(seen.json.number).toMatchObject({ name: 'Front', time_zone: 'Europe/Paris' })
  expect(seen.json.number.users.map(({ id }: { id: number }) => id)).toEqual([user.id, other.id])
  expect((await numbers('list')).json.numbers).toContainEqual({ ...added.json, validated: true })

  const removed = await numbers('remove', '+33199000404')

  expect(removed.json).toEqual({ removed: '+33199000404' })
  expect((await call('GET', `/v1/numbers/${added.json.id}`)).status).toBe(404)
  const { event = [] } = await everything(env)
  const names = event.filter(({ resource_key }) => resource_key === `number:${added.json.id}`).map(({ name }) => name)
  expect(names).toEqual(['number.created', 'number.deleted'])
})

test('numbers can be managed while no server runs', async () => {
  const env = await production()
  await hookswitch(acme, env)

  const added = await hookswitch(['numbers', 'add', '+33199000404', '--validated'], env)
  const linked = await hookswitch(['numbers', 'link', '1', 'owner@acme.test'], env)
  const list = await hookswitch(['numbers', 'list'], env)

  expect(added.stdout).toBe('Number 1 added: +33199000404, +33199000404, flow, verified.\n')
  expect(linked.stdout).toBe('User 1 linked to +33199000404.\n')
  expect(list.stdout).toBe('ID  NUMBER        KIND  VERIFIED  NAME\n1   +33199000404  flow  yes       +33199000404\n')
  const { number_user: links = [], event = [] } = await everything(env)
  expect(links).toEqual([{ number_id: 1, user_id: 1, company_id: 1 }])
  expect(event.map(({ name }) => name)).toContain('number.created')
})

test('a rejected command prints one line and exits with code 1', async () => {
  const env = await sandbox()
  const { DATA_DIR = '' } = env
  const none = await hookswitch(['keys', 'list'], env)
  await serve(env)
  const refusals: [words: string[], sentence: RegExp][] = [
    [['company', 'create', '--name', 'X', '--owner-email', 'nobody'], /^--owner-email must be an email address$/],
    [['company', 'create', '--name', ' ', '--owner-email', 'a@b.test'], /^--name is required$/],
    [
      ['keys', 'list'],
      /^several companies exist; choose one with --company ID: 1 \(Demo Company\), 2 \(Second Company\)$/,
    ],
    [['keys', 'list', '--company', 'x'], /^there is no company x; the companies are 1 /],
    [['numbers', 'add', '0199', '--company', '1'], /^the number must be in E\.164 format: /],
    [['numbers', 'add', '+33199000101', '--company', '2'], /^\+33199000101 already belongs to company 1$/],
    [
      ['numbers', 'add', '+33199000404', '--company', '1', '--time-zone', 'Paris'],
      /^--time-zone must be an IANA time zone/,
    ],
    [['numbers', 'remove', '+33199000101', '--company', '2'], /^the company has no number \+33199000101; /],
    [['numbers', 'link', '+33199000101', 'x@y.test', '--company', '1'], /^x@y\.test is not a user of the company$/],
  ]

  const results = await Promise.all(refusals.map(([words]) => hookswitch(words, { DATA_DIR })))

  expect(none).toMatchObject({ code: 1, stdout: '' })
  expect(none.stderr).toMatch(/^hookswitch: there is no company yet; create one with `hookswitch company create`\n$/)
  for (const [index, [, sentence]] of refusals.entries()) {
    const { code, stdout, stderr } = results[index] ?? {}
    expect({ code, stdout, lines: stderr?.match(/\n/g)?.length }).toEqual({ code: 1, stdout: '', lines: 1 })
    expect(stderr?.trim().replace(/^hookswitch: /, '')).toMatch(sentence)
  }
})

test('seed makes the demo companies and demo.json, in a sandbox only', async () => {
  const env = await sandbox()

  const seeded = await hookswitch(['seed', '--seed', '7', '--json'], env)
  const again = await hookswitch(['seed'], env)
  const other = await hookswitch(['seed', '--seed', '8'], env)
  const refused = await hookswitch(['seed'], await production())

  expect(seeded.json).toEqual(JSON.parse(readFileSync(path.join(env.DATA_DIR ?? '', 'demo.json'), 'utf8')))
  expect(seeded.json).toMatchObject({ seed: 7, api_id: expect.any(String), second_company: expect.any(Object) })
  expect(again.stdout).toContain(`api_token  ${seeded.json.api_token}`)
  expect(other).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('created from seed 7') })
  expect(refused).toMatchObject({ code: 78, stdout: '' })
})

test('migrate prints what it applied', async () => {
  const { DATA_DIR = '' } = await sandbox()

  const first = await hookswitch(['migrate'], { DATA_DIR })
  const second = await hookswitch(['migrate', '--json'], { DATA_DIR })

  expect(first.stdout).toMatch(/^Applied migrations:\n {2}1 accounts\n[\s\S]*\nSchema version: \d+\.\n$/)
  expect(second.json).toEqual({ schema: expect.any(Number), applied: [] })
})

test('on PostgreSQL commands work beside the server and without one', async (context) => {
  const url = await freshPostgresUrl()
  if (!url) return context.skip()
  const installation = { DATABASE_URL: url, HOOKSWITCH_KEY: randomBytes(32).toString('base64') }
  const env = await sandbox(installation)
  const offline = await hookswitch([...acme, '--json'], env)
  const server = await serve(env)
  const { DATA_DIR = '' } = env

  const online = await hookswitch(['keys', 'create', '--company', '1', '--json'], { DATA_DIR })
  const elsewhere = await hookswitch(['keys', 'create', '--company', '1', '--json'], await sandbox(installation))

  for (const made of [offline, online, elsewhere]) {
    expect((await api(server.base, made.json)('GET', '/v1/ping')).status).toBe(200)
  }
})

test('a company that is switched off is refused until it is switched on again', async () => {
  const env = await production({ TENANCY: 'multi' })
  const server = await serve(env)
  const made = await hookswitch([...acme, '--json'], env)
  const ping = api(server.base, made.json)

  const off = await hookswitch(['company', 'set', '--active', 'no', '--plan', 'essentials'], env)
  const refused = await ping('GET', '/v1/ping')
  const on = await hookswitch(['company', 'set', '--active', 'yes'], env)
  const wrong = await hookswitch(['company', 'set', '--plan', 'golden'], env)

  expect(off.stdout).toBe('Company 1 (Acme): plan essentials, AI package none, not active, verified.\n')
  expect(refused.status).toBe(403)
  expect(on.stdout).toBe('Company 1 (Acme): plan essentials, AI package none, active, verified.\n')
  expect((await ping('GET', '/v1/ping')).status).toBe(200)
  expect(wrong).toMatchObject({
    code: 1,
    stderr: 'hookswitch: --plan must be one of essentials, professional, custom\n',
  })
})

test('a command given while the server is still starting waits for it', async () => {
  const env = await production()
  const starting = serve(env)

  const made = await hookswitch([...acme, '--json'], env)

  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect((await api((await starting).base, made.json)('GET', '/v1/ping')).status).toBe(200)
})

test('trunks of the operator are added, assigned, listed and removed', async () => {
  const env = await production()
  await hookswitch(acme, env)

  const added = await hookswitch(
    ['trunks', 'add', 'Carrier', '--host', 'sip.carrier.example', '--addresses', '0.0.0.0/1', '--company', '1'],
    env,
  )
  const list = await hookswitch(['trunks', 'list', '--json'], env)
  const changed = await hookswitch(['trunks', 'set', '1', '--priority', '3', '--json'], env)
  const taken = await hookswitch(['trunks', 'unassign', '1', '1'], env)
  const wrong = await hookswitch(['trunks', 'add', 'X', '--host', 'h', '--transport', 'sctp'], env)
  const removed = await hookswitch(['trunks', 'remove', '1'], env)

  expect(added).toMatchObject({ code: 0, stdout: 'Trunk 1 (Carrier) serves company 1.\n' })
  expect(list.json.trunks).toMatchObject([{ id: 1, name: 'Carrier', addresses: ['0.0.0.0/1'], companies: [1] }])
  expect(changed.json).toMatchObject({ id: 1, priority: 3, host: 'sip.carrier.example' })
  expect(taken.stdout).toBe('Trunk 1 (Carrier) serves no company.\n')
  expect(wrong).toMatchObject({ code: 1, stderr: 'hookswitch: --transport must be one of udp, tcp, tls, auto\n' })
  expect(removed.stdout).toBe('Trunk 1 removed.\n')
  expect((await hookswitch(['trunks', 'list'], env)).stdout).toBe('No shared trunks.\n')
  // Only a server opens SIP ports.
  const socket = createSocket('udp4').bind(Number(env.SIP_PORT), '127.0.0.1')
  await once(socket, 'listening')
  socket.close()
})
