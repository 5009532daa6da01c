import { createServer, type Socket } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { freshPostgresUrl } from '../../test/kit/databases.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { isUnavailable } from './errors.ts'
import { hotQuery } from './hot-query.ts'
import { NotificationListener, openPostgres } from './postgres.ts'
import { transaction } from './transaction.ts'

/** A clock whose timers fire only on request. */
function heldTimers() {
  const waiting = new Set<() => void>()
  const clock: Clock = {
    now: Date.now,
    machineNow: Date.now,
    steadyNow: () => performance.now(),
    after: () => () => {},
    machineAfter(_ms, run) {
      waiting.add(run)
      return () => waiting.delete(run)
    },
  }
  const fire = () => {
    const due = [...waiting]
    waiting.clear()
    for (const run of due) run()
  }
  return { clock, waiting, fire }
}

test('while the server is away one attempt at a time tries to listen again, however long it lasts', async () => {
  let attempts = 0
  let hangUp = (_socket: Socket) => {}
  const server = createServer((socket) => {
    attempts++
    hangUp(socket.on('error', () => {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const { clock, waiting, fire } = heldTimers()
  const notifications = new NotificationListener(`postgres://x@127.0.0.1:${port}/x`, clock)

  hangUp = (socket) => socket.destroy()
  await notifications.open().catch(() => {})
  for (let round = 1; round <= 6; round++) {
    await expect.poll(() => waiting.size).toBeGreaterThan(0)
    // The disconnect has several effects in the client; all of them must have been processed.
    await new Promise((resolve) => setImmediate(resolve))
    fire()
    await expect.poll(() => attempts).toBeGreaterThan(round)
  }
  await expect.poll(() => waiting.size).toBeGreaterThan(0)
  await notifications.close()

  expect(attempts).toBe(7)
})

async function killBackend(url: string, pid: number) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('select pg_terminate_backend($1)', [pid])
  await client.end()
}

test.skipIf(inject('postgres') === null)(
  'a connection that dies between two queries of a transaction fails it as unavailable, and the process lives',
  async () => {
    const url = (await freshPostgresUrl()) ?? ''
    const { db, close } = await openPostgres(url, 2, systemClock())
    onTestFinished(close)

    const failed = await transaction(db, async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      await killBackend(url, rows[0]?.pid ?? 0)
      // Queried repeatedly until the connection has ended: then every further query is refused.
      for (;;) await sql`select 1`.execute(tx)
    }).catch((error: unknown) => error)

    expect(isUnavailable(failed), String(failed)).toBe(true)
    expect((await sql<{ n: number }>`select 1 as n`.execute(db)).rows).toEqual([{ n: 1 }])
  },
)

test.skipIf(inject('postgres') === null)(
  'a statement that is not waited for is kept, or fails its transaction',
  async () => {
    const { db, close } = await openPostgres((await freshPostgresUrl()) ?? '', 2, systemClock())
    onTestFinished(close)
    await sql`create table counted (n integer primary key)`.execute(db)
    const add = hotQuery<{ n: number }, never>(
      (any, { n }) => sql<never>`insert into counted values (${n})`.compile(any),
      {
        unawaited: true,
      },
    )
    const kept = async () =>
      (await sql<{ n: number }>`select n from counted order by n`.execute(db)).rows.map(({ n }) => n)
    const duplicate = { code: '23505' }

    await transaction(db, async (tx) => {
      await add(tx, { n: 1 })
      await add(tx, { n: 2 })
    })
    const last = transaction(db, async (tx) => {
      await add(tx, { n: 3 })
      await add(tx, { n: 1 })
    })
    await expect(last).rejects.toMatchObject(duplicate)
    const followed = transaction(db, async (tx) => {
      await add(tx, { n: 2 })
      await sql`select 1`.execute(tx)
    })
    await expect(followed).rejects.toMatchObject(duplicate)
    const givenUp = transaction(db, async (tx) => {
      await add(tx, { n: 4 })
      throw new Error('changed my mind')
    })
    await expect(givenUp).rejects.toThrow('changed my mind')
    await expect(add(db, { n: 1 })).rejects.toMatchObject(duplicate)
    await add(db, { n: 5 })

    expect(await kept()).toEqual([1, 2, 5])
  },
)
