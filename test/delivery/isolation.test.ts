import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { second } from '../../src/lib/clock.ts'
import { type Client, monday, onBothDatabases, type TestApp } from '../kit/app.ts'
import { heldClock } from '../kit/clocks.ts'
import { receiver } from '../kit/receiver.ts'
import { unresponsivePort } from '../kit/unresponsive-port.ts'
import { addCompany, addContact, addHook, contactEvents } from '../kit/webhooks.ts'

// 200 bad receivers of five kinds next to 20 good ones. No timeout fires unless the test advances machine time.

const companies = 10
const badOfEachKind = 4
const goodOnes = 2
const kinds = ['unresponsive', 'hanging', 'dripping', 'endless', 'failing'] as const
const widths: Record<string, number> = { proven: 435, unproven: 2_000, failing: 51, backlog: 25 }

/** A server that treats connections as configured; counts those that have sent a request. */
async function serving(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  let requests = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', () => {
      requests++
      answer(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  )
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/`, requests: () => requests }
}

/** Sends its status line byte by byte and never completes it. */
function drip(socket: Socket): void {
  const text = 'HTTP/1.1 200 OK, and so on and so forth'
  let next = 0
  const timer = setInterval(() => socket.write(text[next++ % text.length] ?? ' '), 20).unref()
  socket.on('close', () => clearInterval(timer))
}

/** Accepts the request and never stops responding. */
function talk(socket: Socket): void {
  socket.write('HTTP/1.1 500 No\r\ncontent-type: text/plain\r\n\r\n')
  const more = () => {
    while (!socket.destroyed && socket.write('and another thing '.repeat(200)));
  }
  socket.on('drain', more)
  more()
}

async function lanesOf({ anonymous }: TestApp): Promise<Record<string, number>> {
  const { text } = await anonymous('GET', '/metrics')
  const found = [...text.matchAll(/^hookswitch_outbox_in_flight\{lane="(\w+)"\} (\d+)$/gm)]
  return Object.fromEntries(found.map(([, lane, n]) => [lane, Number(n)]))
}

onBothDatabases('bad receivers', (open) => {
  test('never delay a good one, whether or not the bad ones are known yet', async () => {
    const clock = heldClock(monday)
    // Longer than the test takes on a busy machine: the clock adds real time to what the test advances.
    let world = await open({ clock, env: { WEBHOOK_TIMEOUT_MS: '30000' } })
    const bad = {
      unresponsive: { url: `http://127.0.0.1:${await unresponsivePort()}/` },
      hanging: await serving(() => {}),
      dripping: await serving(drip),
      endless: await serving(talk),
      failing: await serving((socket) => socket.end('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n')),
    }
    const good = await receiver()
    const made = await Promise.all(Array.from({ length: companies }, (_, i) => addCompany(world, `Company ${i}`)))
    const badIds: string[] = []
    const goodIds: string[] = []
    await Promise.all(
      made.map(async ({ api }) => {
        for (const kind of kinds) {
          for (let i = 0; i < badOfEachKind; i++) badIds.push((await addHook(api, bad[kind], contactEvents)).id)
        }
        for (let i = 0; i < goodOnes; i++) goodIds.push((await addHook(api, good, contactEvents)).id)
      }),
    )
    expect([badIds.length, goodIds.length]).toEqual([200, 20])
    let most: Record<string, number> = {}
    const look = async () => {
      const lanes = await lanesOf(world)
      for (const [lane, n] of Object.entries(lanes)) most[lane] = Math.max(most[lane] ?? 0, n)
      return lanes
    }
    const happen = async (clients: readonly Client[], rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        await Promise.all(clients.map((api) => addContact(api)))
        await look()
      }
    }
    /** Advances time only by the pause between two claims, and only when nothing arrives without it. */
    const arrived = async (n: number) => {
      for (let looks = 1; good.got.length < n; looks++) {
        if (looks % 100 === 0) clock.advanceMachine(2)
        await look()
      }
      expect(good.got.length).toBe(n)
    }
    const stuck = () => bad.hanging.requests() + bad.dripping.requests()
    const rounds = 3
    const perRound = companies * goodOnes

    // No receiver is known yet: all are served at once, and no hanging attempt has ended.
    await happen(
      made.map(({ api }) => api),
      rounds,
    )
    await arrived(rounds * perRound)
    expect(good.got.every(({ headers }) => headers['webhook-attempt'] === '1')).toBe(true)
    while (stuck() < 2 * companies * badOfEachKind) await look()
    const early = await look()
    expect(stuck()).toBe(2 * companies * badOfEachKind)
    expect(early.unproven).toBeGreaterThanOrEqual(3 * companies * badOfEachKind)

    // The bad ones are paused and time passes: hanging attempts have timed out, and nothing is left.
    const drained = async () => {
      await world.db.updateTable('webhook').set({ status: 'paused' }).where('id', 'in', badIds).execute()
      let done = false
      const settling = world.settle().finally(() => {
        done = true
      })
      while (!done) {
        if (Object.values(await look()).some((n) => n > 0)) clock.advanceMachine(5 * second)
      }
      await settling
    }
    await drained()
    expect(Object.values(await lanesOf(world))).toEqual([0, 0, 0, 0])

    // Now health is known: good receivers have their own lane, bad ones a narrow one.
    console.log(`empty health, most in flight ${JSON.stringify(most)}`)
    const before = most
    most = {}
    const { db } = world
    const states = await db.selectFrom('webhook').select('health').where('id', 'in', goodIds).execute()
    expect(states.every(({ health }) => health === 'proven')).toBe(true)
    const known = { status: 'active', health: 'failing', consecutive_failures: 9, failing_since: monday } as const
    await db.updateTable('webhook').set(known).where('id', 'in', badIds).execute()
    world = await world.restart()
    const count = good.got.length
    const again = made.map(({ key }) => world.as(key))
    await happen(again, rounds)
    await arrived(count + rounds * perRound)
    expect(good.got.every(({ headers }) => headers['webhook-attempt'] === '1')).toBe(true)
    const late = await look()
    expect(late.failing).toBeGreaterThan(0)

    for (const seen of [before, most]) {
      for (const [lane, n] of Object.entries(seen)) expect([lane, n <= (widths[lane] ?? 0)]).toEqual([lane, true])
    }
    await drained()
    expect(Object.values(await lanesOf(world))).toEqual([0, 0, 0, 0])
    const { n } = await world.db
      .selectFrom('delivery')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where('state', '=', 'leased')
      .executeTakeFirstOrThrow()
    expect(Number(n)).toBe(0)
    console.log(
      `known health, most in flight ${JSON.stringify(most)}; ${good.got.length} good deliveries, ${stuck()} that hung`,
    )
  })
})
