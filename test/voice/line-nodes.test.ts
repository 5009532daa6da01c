import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'
import { toWav } from '../../src/media/formats.ts'
import { tones } from '../../src/media/pcm.ts'
import { type OpenApp, onBothDatabases, type TestApp, testApp } from '../kit/app.ts'
import { box } from '../kit/flows.ts'
import { legsPerNode, startLineNodeService } from '../kit/line-node-service.ts'
import { freePort } from '../kit/postgres.ts'
import { recordedFor } from '../kit/recordings.ts'
import { pitch } from '../kit/tones.ts'
import { dialOut, openBusyOffice, trunkIsUp } from '../kit/voice.ts'

// Several line nodes: on one machine, and on hosts of their own.

const secret = 'a secret that both hosts know, for tests only'

test('with two line nodes calls are spread, and each call is on one of them', async () => {
  const office = await openBusyOffice(testApp, {}, { LINE_NODES: '2' })
  const { app } = office
  const talks = [await dialOut(office, 'ada'), await dialOut(office, 'bea')]

  await expect.poll(() => legsPerNode(app)).toEqual([2, 2])
  for (const { agent } of talks) await agent.received.onlyTone('caller')
  for (const sound of office.carrier.calleeSounds) await sound.received.onlyTone('agent')

  process.kill(await pidOfNode(app.dataDir, 'line-node-2.sock'), 'SIGKILL')

  await expect
    .poll(async () => (await callsOf(app)).map(({ status }) => status).toSorted())
    .toEqual(['answered', 'done'])
  await expect.poll(() => legsPerNode(app)).toEqual([2, 0])
  await dialOut(office, 'eve')
  await expect.poll(() => legsPerNode(app)).toEqual([2, 2])
})

onBothDatabases('a line node on another host', (open) => {
  test('carries calls while servers come and go, and its recordings arrive', async ({ skip }) => {
    const { office, dataDir } = await openRemote(open, skip)
    await office.flow({ box: box() }, 'box')
    const call = await office.carrier.call(office.line.digits)
    await call.answered
    await recordedFor({ dataDir }, 1, 1)
    expect(await legsPerNode(office.app)).toEqual([1])

    await office.app.app.drain()
    const app = await office.app.restart()
    await expect.poll(() => legsPerNode(app)).toEqual([1])
    await recordedFor({ dataDir }, 2, 1)
    expect(call.byes).toEqual([])
    call.hangUp()

    await expect.poll(async () => (await callsOf(app))[0]?.voicemail).toMatch(/^http/)
    const [{ voicemail }] = await callsOf(app)
    expect((await (await fetch(voicemail)).arrayBuffer()).byteLength).toBeGreaterThan(1_000)
  })

  test('plays audio that was uploaded to the server', async ({ skip }) => {
    const { office } = await openRemote(open, skip)
    const file = toWav(tones([{ frequency: pitch.prompt, ms: 8_000 }], 16_000), 16_000)
    const upload = { name: 'welcome.wav', data: file.toString('base64') }
    const { json } = await office.app.a.own('POST', '/v1/sounds/uploads', upload)
    const hello = { type: 'audio', media: json.sound.url, branches: { next: 'bye' } }
    await office.flow({ hello, bye: { type: 'hang_up', media: null } }, 'hello')

    const call = await office.carrier.call(office.line.digits)
    await call.answered

    await call.sound.received.onlyTone('prompt')
    call.hangUp()
  })

  test('that is gone ends its calls; once it is back, it takes calls again', async ({ skip }) => {
    const { office, dataDir, nodes, startNode } = await openRemote(open, skip)
    const { app } = office
    await office.flow({ box: box() }, 'box')
    const call = await office.carrier.call(office.line.digits)
    await call.answered

    process.kill(await pidOfNode(dataDir, 'line-node.sock'), 'SIGKILL')
    await once(nodes[0] as ChildProcess, 'exit')
    await expect.poll(() => callsOf(app)).toMatchObject([{ status: 'done' }])
    await expect.poll(() => trunkState(app)).toBe(0)
    startNode()
    await trunkIsUp(app)

    const next = await office.carrier.call(office.line.digits)
    await next.answered
    next.hangUp()
  })

  test('that does not respond when a server starts: its calls go on once it does', async ({ skip }) => {
    const { office, dataDir } = await openRemote(open, skip)
    await office.flow({ box: box() }, 'box')
    const call = await office.carrier.call(office.line.digits)
    await call.answered
    await recordedFor({ dataDir }, 1, 1)
    await office.app.app.drain()
    await office.app.stop()
    const node = await pidOfNode(dataDir, 'line-node.sock')
    process.kill(node, 'SIGSTOP')
    onTestFinished(() => void process.kill(node, 'SIGCONT'))

    const app = await office.app.restart()
    await expect.poll(() => app.logged()).toMatch(/"event":"line_node\.start_failed"/)
    process.kill(node, 'SIGCONT')

    await expect.poll(() => app.logged()).toMatch(/"event":"call\.resumed"/)
    expect(call.byes).toEqual([])
    call.hangUp()
    await expect.poll(async () => (await callsOf(app))[0]?.voicemail).toMatch(/^http/)
  })

  test('that has another secret is not used', async ({ skip }) => {
    const { office, nodes } = await openRemote(open, skip)
    const app = await office.app.beside({ LINE_NODE_SECRET: 'another secret of sufficient length' })

    await expect.poll(() => app.logged()).toMatch(/"event":"line_node\.start_failed"/)
    expect(await legsPerNode(app)).toEqual([0])
    expect(nodes[0]?.exitCode).toBeNull()
  })
})

/** An office whose server has no line node of its own. */
async function openRemote(open: OpenApp, skip: (why: string) => void) {
  if (inject('postgres') === null) skip('PostgreSQL is missing')
  const address = `127.0.0.1:${await freePort()}`
  const dataDir = path.join(inject('runFolder'), address.replace(':', '-'))
  await mkdir(dataDir, { recursive: true })
  const nodes: ChildProcess[] = []

  function startNode({ databaseUrl }: TestApp, env: Record<string, string>): void {
    const more = {
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl ?? '',
      LINE_NODE_LISTEN: address,
      LINE_NODE_SECRET: secret,
    }
    nodes.push(startLineNodeService({ ...env, ...more }))
  }

  const settings = { LINE_NODES: '0', LINE_NODE_SECRET: secret }
  const openWithNode: OpenApp = async (options) => {
    const app = await open(options)
    if (!app.app.database.shared) skip('nodes on other hosts need PostgreSQL')
    startNode(app, options?.env ?? {})
    return app
  }
  const office = await openBusyOffice(openWithNode, {}, settings)
  return { office, dataDir, nodes, startNode: () => startNode(office.app, office.env) }
}

const trunkState = async ({ db }: TestApp) => (await db.selectFrom('trunk').select('up').executeTakeFirst())?.up

/** The program, found by its socket and data folder. */
async function pidOfNode(dataDir: string, socket: string): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,args='])
  const own = stdout.split('\n').filter((text) => text.includes(`${dataDir}/${socket}`))
  expect(own).toHaveLength(1)
  return Number.parseInt(own[0] ?? '', 10)
}

// biome-ignore lint/suspicious/noExplicitAny: calls as clients see them
async function callsOf({ a }: Pick<TestApp, 'a'>): Promise<any[]> {
  return (await a.api('GET', '/v1/calls?per_page=50')).json.calls
}
