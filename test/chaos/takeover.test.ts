import { readFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { onPostgresInFullRun } from '../kit/databases.ts'
import { createFleet } from './fleet.ts'
import { placeOf } from './place.ts'
import { pollUntil } from './poll.ts'
import { endAll } from './server.ts'

onPostgresInFullRun(
  'a call ends when its process was last seen, although the process that takes it over is killed as well',
  async () => {
    onTestFinished(endAll)
    const fleet = await createFleet(await placeOf('postgres'))
    onTestFinished(() => fleet.close())
    const [one, two] = fleet.members
    if (!one || !two) throw new Error('two processes share a database')
    await two.api?.('PUT', '/sandbox/v1/clock', { mode: 'frozen' })
    const [number] = JSON.parse(readFileSync(path.join(one.dataDir, 'demo.json'), 'utf8')).numbers
    const ring = { from: '+33612340001', to: number.digits, script: [{ hear: 3_600 }], patience: 3_600 }
    const lost = (await one.api?.('POST', '/sandbox/v1/calls', ring))?.json.call_id
    const owner = await fleet.read((db) => ownerOf(db, lost))
    const before = (await two.api?.('GET', '/sandbox/v1/clock'))?.json.now

    await fleet.end(one, 'SIGKILL')
    await two.api?.('PUT', '/sandbox/v1/clock', { advance_seconds: 600 })
    // A process that carries a call notes that it is alive.
    await two.api?.('POST', '/sandbox/v1/calls', { ...ring, from: '+33612340002' })
    await fleet.read(async (db) => {
      await db.transaction().execute(async (tx) => {
        // The process that takes the call over waits at its first step after the claim.
        await sql`lock table dialled in access exclusive mode`.execute(tx)
        await pollUntil(async () => (await ownerOf(tx, lost)) !== owner, 'the call is taken over')
        await fleet.end(two, 'SIGKILL')
      })
    })
    await fleet.start(one)
    const ended = async () => fleet.read((db) => endOf(db, lost))
    await pollUntil(async () => (await ended()) !== null, 'the call is ended')

    expect(new Date((await ended()) ?? 0).toISOString()).toBe(new Date(before).toISOString())
  },
)

const ownerOf = async (db: Db, callId: number) =>
  (await db.selectFrom('live_call').select('owner').where('call_id', '=', callId).executeTakeFirst())?.owner

const endOf = async (db: Db, callId: number) =>
  (await db.selectFrom('call').select('ended_at').where('id', '=', callId).executeTakeFirstOrThrow()).ended_at
