import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { migrated, onBothStores } from '../../test/kit/stores.ts'
import { afterCommit, type Db, transaction } from './database.ts'
import { listen, notify, receiveNotifications } from './dialect.ts'
import { isDuplicate } from './errors.ts'

const write = (db: Db, key: string, value: string) => db.insertInto('setting').values({ key, value }).execute()
const keys = async (db: Db) => (await db.selectFrom('setting').select('key').orderBy('key').execute()).map((r) => r.key)

onBothStores('a transaction', (empty) => {
  test('leaves nothing behind when it fails', async () => {
    const { db } = await migrated(await empty())
    let committed = 0

    const work = transaction(db, async (tx) => {
      await write(tx, 'a', '1')
      afterCommit(tx, () => committed++)
      throw new Error('half way')
    })

    await expect(work).rejects.toThrow('half way')
    expect(await keys(db)).toEqual([])
    expect(committed).toBe(0)
    await transaction(db, (tx) => write(tx, 'b', '2'))
    expect(await keys(db)).toEqual(['b'])
  })

  test('is invisible to others before it commits, and runs its callbacks afterwards', async () => {
    const { db } = await migrated(await empty())
    const order: string[] = []
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    let written = () => {}
    const isWritten = new Promise<void>((resolve) => {
      written = resolve
    })

    const work = transaction(db, async (tx) => {
      await write(tx, 'a', '1')
      afterCommit(tx, () => order.push('after commit'))
      written()
      await held
      order.push('end of the work')
    })
    await isWritten
    const before = await keys(db)
    letGo()
    await work

    expect(before).toEqual([])
    expect(await keys(db)).toEqual(['a'])
    expect(order).toEqual(['end of the work', 'after commit'])
  })

  test('rejects the database itself and nested transactions inside', async () => {
    const { db } = await migrated(await empty())

    const direct = () => transaction(db, () => keys(db))
    const nested = () => transaction(db, (tx) => transaction(tx, () => keys(tx)))
    const second = () => transaction(db, () => transaction(db, (tx) => keys(tx)))

    await expect(direct()).rejects.toThrow('only `tx` may be used')
    await expect(nested()).rejects.toThrow('a transaction inside a transaction')
    await expect(second()).rejects.toThrow('only `tx` may be used')
    expect(await keys(db)).toEqual([])
  })

  test('fifty concurrent increments lose nothing', async () => {
    const { db } = await migrated(await empty())
    await write(db, 'count', '0')
    const company = { plan: 'custom', ai_package: 'none', created_at: 0, countries: null } as const
    const flags = { whatsapp: 0, analytics_plus: 0, ai_voice_agents: 0, active: 1, verified: 1 } as const
    await db
      .insertInto('company')
      .values({ name: '0', mandatory_tagging: 0, ...company, ...flags })
      .execute()

    await Promise.all(
      Array.from({ length: 50 }, () =>
        transaction(db, async (tx) => {
          // Locks the row on PostgreSQL; the embedded store has a single writer.
          await tx.updateTable('company').set({ active: 1 }).execute()
          const { value } = await tx.selectFrom('setting').select('value').executeTakeFirstOrThrow()
          await tx
            .updateTable('setting')
            .set({ value: String(Number(value) + 1) })
            .execute()
        }),
      ),
    )

    expect(await db.selectFrom('setting').select('value').execute()).toEqual([{ value: '50' }])
  })
})

onBothStores('values', (empty) => {
  test('a boolean and text with NUL are rejected without ending the process', async () => {
    const { db } = await migrated(await empty())
    const odd = (value: unknown) =>
      db
        .insertInto('setting')
        .values({ key: 'a', value: value as string })
        .execute()
    const flag = (value: unknown) =>
      db
        .updateTable('company')
        .set({ active: value as 1 })
        .where('active', '=', value as 1)
        .execute()

    await expect(odd('cut\0here')).rejects.toThrow()
    await expect(flag(true)).rejects.toThrow()
    await expect(flag(false)).rejects.toThrow()
    expect(await keys(db)).toEqual([])
  })

  test('undefined is refused wherever it reaches a query', async () => {
    const { db } = await migrated(await empty())
    await write(db, 'a', '1')

    await expect(sql`update setting set value = ${undefined} where key = 'a'`.execute(db)).rejects.toThrow()
    await expect(sql`select ${undefined} as x`.execute(db)).rejects.toThrow()
    expect(await keys(db)).toEqual(['a'])
  })

  test('come back as they went in: large integers, null, every kind of text', async () => {
    const { db } = await migrated(await empty())
    const text = 'é \u202e ‮ 𝄞 👩‍👩‍👧 \u0300 \r\n \t \\ \' " % _ ;--'
    await write(db, text, text)
    await db
      .insertInto('rate_window')
      .values({ company_id: 2 ** 53 - 1, minute: 2 ** 45, used: 7 })
      .execute()

    expect(await db.selectFrom('setting').selectAll().execute()).toEqual([{ key: text, value: text }])
    expect(await db.selectFrom('rate_window').selectAll().execute()).toEqual([
      { company_id: 2 ** 53 - 1, minute: 2 ** 45, used: 7 },
    ])
  })

  test('a duplicate and a dangling reference are different errors', async () => {
    const { db } = await migrated(await empty())
    await write(db, 'a', '1')

    const twice = await write(db, 'a', '2').catch((error) => error)
    const member = { team_id: 1, user_id: 1, company_id: 1, added_at: 0 }
    const broken = await db
      .insertInto('team_member')
      .values(member)
      .execute()
      .catch((error) => error)

    expect([isDuplicate(twice), isDuplicate(broken)]).toEqual([true, false])
  })
})

onBothStores('wake-up calls', (empty) => {
  test('a committed notification has arrived once pending notifications were received', async () => {
    const { db } = await migrated(await empty())
    const received: string[] = []
    listen(db, 'bell', (payload) => received.push(payload))
    // LISTEN takes effect asynchronously on PostgreSQL; statements of this connection follow it.
    await receiveNotifications(db)
    const sent = Array.from({ length: 100 }, (_, i) => String(i))

    const missing: string[] = []
    for (const payload of sent) {
      await transaction(db, (tx) => notify(tx, 'bell', payload))
      await receiveNotifications(db)
      if (!received.includes(payload)) missing.push(payload)
    }

    expect(missing).toEqual([])
  })

  test('are delivered after commit, not after rollback, and not to unsubscribed listeners', async () => {
    const { db } = await migrated(await empty())
    const received: string[] = []
    let ring = () => {}
    const rang = new Promise<void>((resolve) => {
      ring = resolve
    })
    const unsubscribe = listen(db, 'gone', (payload) => received.push(`gone ${payload}`))
    listen(db, 'bell', (payload) => {
      received.push(payload)
      if (payload === 'last') ring()
    })
    unsubscribe()
    // LISTEN takes effect asynchronously on PostgreSQL.
    while (!received.includes('there')) {
      await notify(db, 'bell', 'there')
      await new Promise((resolve) => setImmediate(resolve))
    }

    await transaction(db, async (tx) => {
      await notify(tx, 'bell', 'never')
      throw new Error('rolled back')
    }).catch(() => {})
    await transaction(db, async (tx) => {
      await notify(tx, 'bell', 'first')
      received.push('work done')
    })
    await notify(db, 'gone', 'x')
    await notify(db, 'bell', 'last')
    await rang

    expect(received.filter((word) => word !== 'there')).toEqual(['work done', 'first', 'last'])
  })
})
