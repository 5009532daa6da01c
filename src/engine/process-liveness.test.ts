import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { monday } from '../../test/kit/app.ts'
import { heldClock } from '../../test/kit/clocks.ts'
import { freshPostgresUrl } from '../../test/kit/databases.ts'
import { livingKeys } from '../db/dialect.ts'
import { lifeLock, openPostgres } from '../db/postgres.ts'
import { createProcessLiveness } from './process-liveness.ts'

const key = 4711
const other = `${key}:process`

async function openWorld() {
  const url = (await freshPostgresUrl()) ?? ''
  const clock = heldClock(monday)
  const { db, close } = await openPostgres(url, 2, clock)
  onTestFinished(close)
  return {
    clock,
    liveness: createProcessLiveness({ db, clock }),
    /** The other process holds its lock until its connection ends. */
    async connect() {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(`select pg_advisory_lock(${lifeLock}, ${key})`)
      return async () => {
        await client.end()
        await expect.poll(() => livingKeys(db)).toEqual(new Set())
      }
    },
  }
}

const noPostgres = inject('postgres') === null

test.skipIf(noPostgres)('a process that reconnects within five seconds is not gone', async () => {
  const { clock, liveness, connect } = await openWorld()
  const disconnect = await connect()
  expect(await liveness.among([other])).toEqual([])

  await disconnect()
  const atOnce = await liveness.among([other])
  clock.advanceMachine(4_000)
  const later = await liveness.among([other])
  const disconnectAgain = await connect()
  const back = await liveness.among([other])
  clock.advanceMachine(10_000)
  await disconnectAgain()
  const again = await liveness.among([other])

  expect([atOnce, later, back, again]).toEqual([[], [], [], []])
})

test.skipIf(noPostgres)('a process that does not reconnect within five seconds is gone', async () => {
  const { clock, liveness } = await openWorld()

  const first = await liveness.among([other])
  clock.advanceMachine(5_000)
  const second = await liveness.among([other])

  expect([first, second]).toEqual([[], [other]])
})

test.skipIf(noPostgres)('looks that are far apart do not show that a process was gone in between', async () => {
  const { clock, liveness } = await openWorld()

  await liveness.among([other])
  clock.advanceMachine(16_000)
  const muchLater = await liveness.among([other])
  clock.advanceMachine(5_000)
  const confirmed = await liveness.among([other])

  expect([muchLater, confirmed]).toEqual([[], [other]])
})
