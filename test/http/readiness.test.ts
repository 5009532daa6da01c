import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { expect, inject, onTestFinished, test } from 'vitest'
import { readinessChecks } from '../../src/http/readiness.ts'
import { testApp } from '../kit/app.ts'
import { freePort, freshPostgresUrl, temporaryFolder } from '../kit/databases.ts'

const readyz = async ({ anonymous }: Awaited<ReturnType<typeof testApp>>) => {
  const { status, json } = await anonymous('GET', '/readyz')
  return { status, checks: json.checks as Record<string, string> }
}

test('a healthy process is ready in every check', async () => {
  const app = await testApp()

  expect(await readyz(app)).toEqual({
    status: 200,
    checks: {
      store: 'ok',
      schema: 'ok',
      key: 'ok',
      files: 'ok',
      disk: 'ok',
      outbox: 'ok',
      sip: 'ok',
      line_nodes: 'ok',
    },
  })
})

test('a process whose file store cannot be written is not ready', async () => {
  const folder = path.join(await temporaryFolder(), 'files')
  const app = await testApp({ env: { FILES_URL: folder } })
  expect((await readyz(app)).status).toBe(200)
  rmSync(folder, { recursive: true, force: true })
  writeFileSync(folder, 'a file in place of the folder')
  chmodSync(folder, 0o400)

  expect(await readyz(app)).toMatchObject({ status: 503, checks: { store: 'ok', files: 'does not answer' } })
})

test('a process for calls whose SIP port is taken is not ready once it has a trunk', async () => {
  const port = await freePort()
  const taken = createSocket('udp4')
  taken.bind(port, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const app = await testApp({ voice: true, env: { SIP_BIND: '127.0.0.1', SIP_PORT: String(port) } })
  const before = await readyz(app)

  const trunk = { name: 'Carrier', host: '127.0.0.2', addresses: ['127.0.0.2'] }
  expect((await app.a.own('POST', '/v1/trunks', trunk)).status).toBe(201)
  let after = await readyz(app)
  while (after.status === 200) after = await readyz(app)

  expect(before.status).toBe(200)
  expect(after.checks.sip).toBe(`port ${port} cannot be opened (EADDRINUSE); check SIP_PORT and SIP_BIND`)
})

test.skipIf(inject('postgres') === null)('a process without a free database connection is not ready', async () => {
  const url = await freshPostgresUrl()
  const app = await testApp({ env: { DATABASE_URL: url ?? '', DATABASE_POOL_SIZE: '2' } })
  const held = Array.from({ length: 2 }, () => holdConnection(app.db))
  const releases = await Promise.all(held)

  const busy = await readyz(app)
  for (const release of releases) release()
  let after = await readyz(app)
  while (after.status !== 200) after = await readyz(app)

  expect(busy).toMatchObject({ status: 503 })
  expect(busy.checks.store).toMatch(/does not answer|connections are in use/)
})

/** A transaction that occupies its connection until released. */
function holdConnection(db: Awaited<ReturnType<typeof testApp>>['db']): Promise<() => void> {
  return new Promise((taken) => {
    void db.transaction().execute(async (tx) => {
      await sql`select 1`.execute(tx)
      await new Promise<void>((release) => taken(release))
    })
  })
}

test('each role has the checks of its work, and a port that another process holds only degrades where there is other work', async () => {
  const sources = {
    store: async () => true,
    schemaState: async () => 'current' as const,
    keyIsCurrent: async () => true,
    pool: undefined,
    fileStore: async () => true,
    hasRoomOnDisk: () => true,
    deliveryLagMs: async () => 61_000,
    portProblem: () => ({ port: 5060, code: 'EADDRINUSE', isHeldByAnother: true }),
    lostLineNodes: () => ['host:1'],
  }
  const api = readinessChecks({ ...sources, roles: { api: true, calls: false, worker: false } })
  const calls = readinessChecks({ ...sources, roles: { api: false, calls: true, worker: false } })
  const worker = readinessChecks({ ...sources, roles: { api: false, calls: false, worker: true } })
  const all = readinessChecks({ ...sources, roles: { api: true, calls: true, worker: true } })

  expect([api, calls, worker].map((checks) => Object.keys(checks).slice(5))).toEqual([
    [],
    ['sip', 'line_nodes'],
    ['outbox'],
  ])
  expect(await calls.sip?.()).toMatch(/^port 5060 cannot be opened/)
  expect(await all.sip?.()).toMatchObject({ degraded: expect.stringContaining('5060') })
  expect(await calls.line_nodes?.()).toEqual({ degraded: 'not connected: host:1' })
  expect(await worker.outbox?.()).toBe('deliveries are a minute late')
})
