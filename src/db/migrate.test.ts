import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import SqliteFile from 'libsql'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/kit/databases.ts'
import { migrated, onBothStores, silent } from '../../test/kit/stores.ts'
import { systemClock } from '../lib/clock.ts'
import type { Db } from './database.ts'
import { NewerSchema } from './errors.ts'
import { appliedVersion, migrate, migrations, schemaState, schemaVersion } from './migrate.ts'
import * as first from './migrations/0001_accounts.ts'
import { storeCompatibility } from './schema-compatibility.ts'

const options = { clock: systemClock(), log: silent }

/** A store of the first release: one migration and one row. */
async function makeOldStore(db: Db) {
  await sql`create table schema_migration (
    number integer primary key, name text not null, applied_at bigint not null)`.execute(db)
  await first.up(db)
  await db.insertInto('schema_migration').values({ number: 1, name: 'accounts', applied_at: 1 }).execute()
  await db.insertInto('setting').values({ key: 'kept', value: 'from before' }).execute()
}

const settingOf = async (db: Db, key: string) =>
  (await db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst())?.value

/** As a newer release does, after its migrations. */
async function migrateFurther(db: Db, later: { breaks?: string }[]) {
  for (const index of later.keys()) {
    const number = schemaVersion + index + 1
    await db.insertInto('schema_migration').values({ number, name: 'later', applied_at: 1 }).execute()
    await storeCompatibility(db, [...migrations, ...later.slice(0, index + 1)])
  }
}

const blankCompany = {
  name: 'Acme',
  plan: 'custom',
  ai_package: 'none',
  whatsapp: 0,
  analytics_plus: 0,
  ai_voice_agents: 0,
  active: 1,
  verified: 1,
  mandatory_tagging: 0,
  created_at: 0,
} as const

onBothStores('migrations', (empty) => {
  test('an empty store gets the whole schema, and a second run finds nothing to do', async () => {
    const database = await (await empty()).open()

    const once = await migrate(database, options)
    const twice = await migrate(database, options)

    expect([once, twice]).toEqual([schemaVersion, 0])
    expect(await schemaState(database.db)).toBe('current')
    expect(await database.db.selectFrom('company').selectAll().execute()).toEqual([])
  })

  test('a store keeps its rows and its version when it is opened again', async () => {
    const store = await empty()
    const before = await migrated(store)
    await before.db.insertInto('setting').values({ key: 'a', value: 'b' }).execute()
    await before.close()

    const after = await store.open()

    expect(await migrate(after, options)).toBe(0)
    expect(await settingOf(after.db, 'a')).toBe('b')
  })

  test('migrations that start together on an empty store do not race', async () => {
    const store = await empty()
    const databases =
      store.options.kind === 'embedded' ? [await store.open()] : await Promise.all([1, 2, 3, 4].map(() => store.open()))

    const applied = await Promise.all([...databases, ...databases].map((database) => migrate(database, options)))

    expect(applied.reduce((sum, n) => sum + n, 0)).toBe(schemaVersion)
  })

  test('an older store is brought forward, after a copy of it was made', async () => {
    const database = await (await empty()).open()
    await makeOldStore(database.db)
    const backupFolder = path.join(await temporaryFolder(), 'backups')

    expect(await migrate(database, { ...options, backupFolder })).toBe(schemaVersion - 1)

    expect(await settingOf(database.db, 'kept')).toBe('from before')
    if (!database.copyTo) return
    const [copy = '', ...others] = await readdir(backupFolder)
    expect(others).toEqual([])
    expect(copy).toMatch(/^before-schema-2-\d+\.db$/)
    const file = new SqliteFile(path.join(backupFolder, copy))
    expect(file.prepare('select max(number) as n from schema_migration').get()).toMatchObject({ n: 1 })
    expect(file.prepare('select value from setting').get()).toMatchObject({ value: 'from before' })
    file.close()
  })

  test('names that differ only in case or in blanks become unique: the oldest keeps its name', async () => {
    const { db } = await (await empty()).open()
    const change = migrations.findIndex(({ name }) => name === 'name_keys')
    for (const migration of migrations.slice(0, change)) await migration.up(db)
    const company = await db.insertInto('company').values(blankCompany).returning('id').executeTakeFirstOrThrow()
    const names = ['VIP', 'vip', ' Vip ', 'vip (2)', 'École', 'ÉCOLE', 'Other']
    for (const [n, name] of names.entries()) {
      await sql`insert into tag (company_id, name, color, created_at) values (${company.id}, ${name}, '#fff', ${n})`.execute(
        db,
      )
      await sql`insert into team (company_id, name, created_at) values (${company.id}, ${name}, ${n})`.execute(db)
    }

    await migrations[change]?.up(db)

    for (const table of ['tag', 'team'] as const) {
      const rows = await db.selectFrom(table).select('name').orderBy('id').execute()
      expect(rows.map(({ name }) => name)).toEqual([
        'VIP',
        'vip (2)',
        'Vip (3)',
        'vip (2) (2)',
        'École',
        'ÉCOLE (2)',
        'Other',
      ])
    }
  })

  test('pending speech-to-text and transcript jobs of an older release are renamed and kept', async () => {
    const { db } = await (await empty()).open()
    const change = migrations.findIndex(({ name }) => name === 'speech_jobs')
    for (const migration of migrations.slice(0, change)) await migration.up(db)
    const payloads = { 'call.listen': '{"callId":1}', 'call.transcribe': '{"callId":2}', 'call.assets': '{"callId":3}' }
    for (const [kind, payload] of Object.entries(payloads)) {
      await sql`insert into job (kind, payload, run_at, attempts, leased_until) values (${kind}, ${payload}, 5, 1, 0)`.execute(
        db,
      )
    }

    await migrations[change]?.up(db)

    expect(
      await db.selectFrom('job').select(['kind', 'payload', 'run_at', 'attempts']).orderBy('id').execute(),
    ).toEqual([
      { kind: 'call.speech_to_text', payload: '{"callId":1}', run_at: 5, attempts: 1 },
      { kind: 'call.build_transcript', payload: '{"callId":2}', run_at: 5, attempts: 1 },
      { kind: 'call.assets', payload: '{"callId":3}', run_at: 5, attempts: 1 },
    ])
  })

  test('a store of a newer release is refused and left as it is', async () => {
    const { db, ...database } = await migrated(await empty())
    const future = schemaVersion + 1
    await db.insertInto('schema_migration').values({ number: future, name: 'later', applied_at: 1 }).execute()

    await expect(migrate({ db, ...database }, options)).rejects.toThrow(NewerSchema)

    expect(await appliedVersion(db)).toBe(future)
    expect(await schemaState(db)).toBe('unusable')
  })

  test('a store of a newer release that only expanded the schema is used as it is', async () => {
    const { db, ...database } = await migrated(await empty())
    await migrateFurther(db, [{}])

    expect(await migrate({ db, ...database }, options)).toBe(0)

    expect([await appliedVersion(db), await schemaState(db)]).toEqual([schemaVersion + 1, 'newer'])
  })

  test('a store of a newer release with a migration that breaks this one is refused', async () => {
    const { db, ...database } = await migrated(await empty())
    await migrateFurther(db, [{ breaks: 'columns were removed' }, {}])

    await expect(migrate({ db, ...database }, options)).rejects.toThrow(NewerSchema)

    expect(await schemaState(db)).toBe('unusable')
  })
})
