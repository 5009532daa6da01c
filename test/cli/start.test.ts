import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import SqliteFile from 'libsql'
import { describe, expect, test } from 'vitest'
import { freePort, freshPostgresUrl, temporaryFolder } from '../kit/databases.ts'
import { seeded } from './installation.ts'
import { type Env, hookswitch, production, sandbox, serve } from './program.ts'

interface Demo {
  api_id: string
  api_token: string
}

const demoOf = (env: Env): Demo => JSON.parse(readFileSync(path.join(env.DATA_DIR ?? '', 'demo.json'), 'utf8'))

/** A request whose headers have arrived and whose body has not. */
async function halfARequest(env: Env) {
  const { api_id, api_token } = demoOf(env)
  const body = JSON.stringify({ name: 'Half a tag', color: '#112233' })
  const asking = request({
    host: '127.0.0.1',
    port: Number(env.PORT),
    path: '/v1/tags',
    method: 'POST',
    auth: `${api_id}:${api_token}`,
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' },
  })
  asking.on('error', () => {})
  const answered = once(asking, 'response')
  answered.catch(() => {})
  asking.flushHeaders()
  await once(asking, 'continue')
  return {
    async finish(): Promise<number> {
      asking.end(body)
      const [response] = await answered
      response.resume()
      return response.statusCode
    },
  }
}

test('a sandbox prints what a newcomer needs, then ready, and keeps everything for the next start', async () => {
  const env = await sandbox()

  const first = await serve(env)
  const code = await first.stop()
  const demo = demoOf(env)
  const second = await serve(env)

  expect(code).toBe(0)
  expect(first.output()).toContain(`curl -u ${demo.api_id}:${demo.api_token} ${first.base}/v1/ping`)
  expect(first.output().trimEnd().split('\n').at(-1)).toBe(`ready ${first.base}`)
  expect(second.output()).toBe(first.output())
  expect(existsSync(path.join(env.DATA_DIR ?? '', 'admin.sock'))).toBe(true)
})

test('SIGTERM lets a request finish that has begun, then ends with 0', async () => {
  const env = await seeded('embedded')
  const server = await serve(env)
  const half = await halfARequest(env)

  server.signal('SIGTERM')
  await server.logged('stopping')

  expect(await half.finish()).toBe(201)
  expect(await server.ended).toBe(0)
  expect(existsSync(path.join(env.DATA_DIR ?? '', 'admin.sock'))).toBe(false)
})

test('a second signal stops at once', async () => {
  const env = await seeded('embedded')
  const server = await serve(env)
  await halfARequest(env)
  server.signal('SIGTERM')
  await server.logged('stopping')

  server.signal('SIGINT')

  expect(await server.ended).toBe(130)
})

test('a second start on the same folder or port fails with a message and leaves the first one running', async () => {
  const env = await seeded('embedded')
  const server = await serve(env)

  const sameFolder = await hookswitch(['start'], { ...env, PORT: String(await freePort()) })
  const samePort = await hookswitch([], { ...(await sandbox()), PORT: env.PORT ?? '', LOG_LEVEL: 'warn' })

  expect(sameFolder).toMatchObject({ code: 78, stdout: '' })
  expect(sameFolder.stderr).toMatch(/^hookswitch: The store in \S+ is already open in another process\. .*\n$/)
  expect(samePort).toMatchObject({ code: 1, stdout: '' })
  expect(samePort.stderr).toBe(
    `hookswitch: port ${env.PORT} of 127.0.0.1 is already in use; set PORT to another port, or stop the other process\n`,
  )
  const { api_id, api_token } = demoOf(env)
  const ping = await fetch(`${server.base}/v1/ping`, {
    headers: { authorization: `Basic ${Buffer.from(`${api_id}:${api_token}`).toString('base64')}` },
  })
  expect(ping.status).toBe(200)
  const list = await hookswitch(['company', 'list'], { DATA_DIR: env.DATA_DIR ?? '' })
  expect(list.code).toBe(0)
})

test('a process that was killed leaves nothing that stops the next one', async () => {
  const env = await seeded('embedded')
  const killed = await serve(env)
  killed.signal('SIGKILL')
  await killed.ended

  const next = await serve(env)

  expect(await next.stop()).toBe(0)
})

describe('a start that is refused ends with 78 and one clear line, and makes nothing', () => {
  const key = Buffer.alloc(32, 7).toString('base64')
  const database = 'postgres://u:p@127.0.0.1:1/none'
  const cases: [title: string, env: Env, line: RegExp][] = [
    ['no PUBLIC_URL', { PUBLIC_URL: '' }, /PUBLIC_URL is mandatory in production$/],
    ['a PUBLIC_URL without https', { PUBLIC_URL: 'http://phone.example.test' }, /PUBLIC_URL must be .*https:\/\/$/],
    ['neither certificate nor proxy', { TRUSTED_PROXIES: '' }, /set TLS_CERT and TLS_KEY, or TRUSTED_PROXIES$/],
    [
      'no key with PostgreSQL',
      { DATABASE_URL: database },
      /HOOKSWITCH_KEY is mandatory in production with PostgreSQL$/,
    ],
    ['a key out of a manual', { HOOKSWITCH_KEY: key }, /HOOKSWITCH_KEY is a known default; make a random one$/],
    [
      'loopback receivers',
      { HOOKSWITCH_ALLOW_LOOPBACK_RECEIVERS: '1' },
      /LOOPBACK_RECEIVERS=1 is refused in production$/,
    ],
    ['an unknown mode', { HOOKSWITCH_MODE: 'staging' }, /HOOKSWITCH_MODE must be one of sandbox, production$/],
    ['a forbidden range', { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }, /WEBHOOK_ALLOW_CIDRS must name private ranges only/],
    ['a certificate that is not there', { TLS_CERT: '/none', TLS_KEY: '/none' }, /TLS_CERT and TLS_KEY cannot be used/],
    [
      'several mistakes in one message',
      { PUBLIC_URL: '', PORT: 'x', LOG_LEVEL: 'loud' },
      /PORT must be .*; PUBLIC_URL is mandatory in production; LOG_LEVEL must be one of/,
    ],
  ]

  test.each(cases)('%s', async (_title, wrong, line) => {
    const env = await production(wrong)

    const ran = await hookswitch(['start'], env)

    expect(ran).toMatchObject({ code: 78, stdout: '' })
    expect(ran.stderr.match(/\n/g)).toHaveLength(1)
    expect(ran.stderr.trimEnd()).toMatch(line)
    expect(ran.stderr).not.toContain(key)
    expect(existsSync(env.DATA_DIR ?? '')).toBe(false)
  })

  test('a data folder that cannot be written', async () => {
    const file = path.join(await temporaryFolder(), 'file')
    writeFileSync(file, 'not a folder')

    const ran = await hookswitch(['start'], await production({ DATA_DIR: path.join(file, 'data') }))

    expect(ran).toMatchObject({ code: 78, stdout: '' })
    expect(ran.stderr).toMatch(/^hookswitch: DATA_DIR: \S+ is not writable \(ENOTDIR\); .*\n$/)
  })

  test('an installation key that is spoilt', async () => {
    const env = await production()
    mkdirSync(path.join(env.DATA_DIR ?? '', 'keys'), { recursive: true })
    writeFileSync(path.join(env.DATA_DIR ?? '', 'keys/installation.key'), 'spoilt')

    const ran = await hookswitch(['start'], env)

    expect(ran).toMatchObject({ code: 78, stdout: '' })
    expect(ran.stderr).toMatch(/^hookswitch: \S+installation\.key does not hold a key of 32 bytes; .*\n$/)
  })

  test('a store of a newer release', async () => {
    const env = await production()
    await hookswitch(['migrate'], env)
    const file = new SqliteFile(path.join(env.DATA_DIR ?? '', 'hookswitch.db'))
    file.exec("insert into schema_migration values (999, 'from_the_future', 0)")
    file.close()

    const ran = await hookswitch(['start'], env)

    expect(ran).toMatchObject({ code: 78, stdout: '' })
    expect(ran.stderr).toMatch(/^hookswitch: The store has schema 999, this release knows \d+\. .*\n$/)
  })

  test('a database that is not there', async (context) => {
    const url = await freshPostgresUrl()
    if (!url) return context.skip()

    const ran = await hookswitch(['start'], await sandbox({ DATABASE_URL: `${url}_not_there` }))

    expect(ran).toMatchObject({ code: 78, stdout: '' })
    expect(ran.stderr).toMatch(/^hookswitch: DATABASE_URL: database "\w+" does not exist\n$/)
  })
})

test('an unreachable database server is reported in one line, exit code 1', async () => {
  const url = `postgres://nobody@127.0.0.1:${await freePort()}/none`

  const ran = await hookswitch(['start'], await sandbox({ DATABASE_URL: url }))

  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toMatch(/^hookswitch: the database is unavailable \(.*ECONNREFUSED.*\)\n$/)
})
