import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { appliedVersion, migrate, schemaState, schemaVersion } from '../../src/db/migrate.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { temporaryFolder } from '../kit/databases.ts'
import { isFullRun } from '../kit/depth.ts'
import { schemaOf } from '../kit/schema.ts'
import { addRows, lostOrChanged, migrateTo, type Rows, rowsOf } from '../kit/schema-steps.ts'
import { onBothStores, silent } from '../kit/stores.ts'

// Every version of the schema is that of some installation: its data is intact in the schema of this release.

const clock = systemClock()

onBothStores('the migrations', (empty) => {
  test('keep every row of every table, whichever version wrote it', async () => {
    const { db } = await (await empty()).open()
    const written: Rows[] = []

    await migrateTo(db, schemaVersion, async (version) => {
      written.push(await addRows(db, await schemaOf(db), version))
    })

    const now = await rowsOf(db, await schemaOf(db))
    expect(written).toHaveLength(schemaVersion)
    expect(written.flatMap((rows) => lostOrChanged(rows, now))).toEqual([])
  })
})

const versions = Array.from({ length: schemaVersion - 1 }, (_, index) => index + 1)

test.each(
  isFullRun ? versions : versions.filter((version) => version % 15 === 1),
)('a store with schema %i is migrated to that of this release, after a copy of it was made', async (version) => {
  const folder = await temporaryFolder()
  const { db, ...database } = await openDatabase({ kind: 'embedded', folder, lasting: false }, clock)
  onTestFinished(() => database.close())
  await migrateTo(db, version)
  const schema = await schemaOf(db)
  const written = [await addRows(db, schema, 1), await addRows(db, schema, 2)]
  const backupFolder = path.join(folder, 'backups')

  const applied = await migrate({ db, ...database }, { clock, log: silent, backupFolder })

  expect([applied, await appliedVersion(db), await schemaState(db)]).toEqual([
    schemaVersion - version,
    schemaVersion,
    'current',
  ])
  expect(await readdir(backupFolder)).toEqual([
    expect.stringMatching(new RegExp(`^before-schema-${version + 1}-\\d+\\.db$`)),
  ])
  const now = await rowsOf(db, await schemaOf(db))
  expect(written.flatMap((rows) => lostOrChanged(rows, now))).toEqual([])
})
