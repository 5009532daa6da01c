import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { livingKeys } from '../../src/db/dialect.ts'
import { monday, onBothDatabases } from '../kit/app.ts'
import { heldClock } from '../kit/clocks.ts'
import { openOffice } from '../kit/phone.ts'

onBothDatabases('calls', (open) => {
  test('go on while their process reconnects to the database', async ({ skip }) => {
    const clock = heldClock(monday)
    const office = await openOffice(open, { clock })
    if (!office.app.database.shared) return skip('only one process uses the embedded store')
    const { a, ada, db } = office
    await office.beside()
    await office.connect(ada)
    const id = await office.call(await office.line())
    const { calls } = office.app.services
    const key = (await calls.ofUser(a.id, ada)) ?? ''
    await calls.send(key, { kind: 'answer', by: ada })
    const { owner } = await db.selectFrom('live_call').select('owner').executeTakeFirstOrThrow()
    const lock = Number(owner.split(':')[0])

    await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = ${lock}`.execute(
      db,
    )
    // The other process looks for calls of processes that have ended.
    clock.advanceMachine(3_100)
    await expect.poll(async () => (await livingKeys(db)).has(lock)).toBe(true)
    clock.advanceMachine(3_100)
    await office.settle()

    expect(await db.selectFrom('live_call').select('owner').execute()).toEqual([{ owner }])
    expect(await calls.send(key, { kind: 'hang_up', by: ada })).toEqual({ ok: true })
    await office.pass(31)
    expect(await office.eventNames(id)).toEqual(['created', 'ringing_on_agent', 'answered', 'hungup', 'ended'])
  })
})
