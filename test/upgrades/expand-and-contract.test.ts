import { expect, test } from 'vitest'
import { migrate, migrations, schemaVersion } from '../../src/db/migrate.ts'
import { compatibilitySetting, oldestOf } from '../../src/db/schema-compatibility.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { contractions } from '../kit/contractions.ts'
import { schemaOf } from '../kit/schema.ts'
import { migrateTo } from '../kit/schema-steps.ts'
import { onBothStores, silent } from '../kit/stores.ts'

// A migration expands the schema, so that processes of the previous release go on beside those of this one. What they no
// longer use is removed by a later release, in a migration with `breaks`. Data cannot be checked here: see CONTRIBUTING.md.

/** The last migration of the last release. No release was tagged before 0.2.0: test/kit/previous-release.ts has its commit. */
const released = { version: '0.1.0', migration: 'devices' }

/** Changes that earlier releases do not notice. */
const harmless: Record<string, string> = {
  'contact_phone.phone_part_insert: new trigger': 'fills an index that earlier releases do not read',
  'contact_phone.phone_part_change: new trigger': 'fills the same index',
  'contact_phone.phone_part_leave: new trigger': 'fills the same index',
  'contact_phone.phone_part_delete: new trigger': 'fills the same index',
  'transcript.transcript_word_goes_with_transcript: new trigger': 'deletes from a table of later releases',
}

const releasedSchema = 1 + migrations.findIndex(({ name }) => name === released.migration)

onBothStores('migrations since the last release', (empty) => {
  test('remove and rename nothing, and add no condition that its statements do not meet', async () => {
    const { db } = await (await empty()).open()
    const from = Math.max(releasedSchema, oldestOf(migrations))
    await migrateTo(db, from)
    const before = await schemaOf(db)

    await migrate({ db, shared: false, close: async () => {} }, { clock: systemClock(), log: silent })

    const found = contractions(before, await schemaOf(db))
    expect(found.filter((change) => !(change in harmless))).toEqual([])
  })
})

test('each kind of change that earlier releases would notice is found', () => {
  const column = { type: 'text', nullable: true, hasDefault: false, isKey: false }
  const table = (columns: object, more: object = {}) => ({
    columns,
    indexes: {},
    references: {},
    triggers: [],
    ...more,
  })
  const before = {
    call: table(
      { id: { ...column, nullable: false, isKey: true }, note: column, kept: { ...column, hasDefault: true } },
      { indexes: { call_note: { unique: false, definition: '(note)' } } },
    ),
    tag: table({}),
  }
  const changedTo = (call: object) => contractions(before as never, { call, tag: table({}) } as never)
  const { id, note, kept } = before.call.columns as Record<'id' | 'note' | 'kept', typeof column>
  const { indexes } = before.call

  expect(contractions(before as never, { call: before.call } as never)).toEqual(['tag: removed or renamed'])
  expect(changedTo(before.call)).toEqual([])
  expect(changedTo(table({ id, note, kept, more: column }, { indexes }))).toEqual([])
  expect(changedTo(table({ id, kept }, { indexes }))).toEqual(['call.note: removed or renamed'])
  expect(changedTo(table({ id, note: { ...note, nullable: false, type: 'bigint' }, kept }, { indexes }))).toEqual([
    'call.note: another type',
    'call.note: not null',
  ])
  expect(changedTo(table({ id, note, kept: { ...kept, hasDefault: false } }, { indexes }))).toEqual([
    'call.kept: no default',
  ])
  expect(changedTo(table({ id, note, kept, more: { ...column, nullable: false } }, { indexes }))).toEqual([
    'call.more: new, not null and without a default',
  ])
  expect(changedTo(table({ id, note, kept }))).toEqual(['call.call_note: index removed or renamed'])
  const unique = { unique: true, definition: '(note)' }
  expect(changedTo(table({ id, note, kept }, { indexes: { ...indexes, one_note: unique } }))).toEqual([
    'call.one_note: new unique index',
  ])
  const references = { note: { table: 'tag', column: 'id' } }
  expect(changedTo(table({ id, note, kept }, { indexes, references }))).toEqual(['call.note: new foreign key'])
  expect(changedTo(table({ id, note, kept }, { indexes, triggers: ['refuse'] }))).toEqual(['call.refuse: new trigger'])
})

onBothStores('a migrated store', (empty) => {
  test('names the oldest schema that a release must know', async () => {
    const { db } = await (await empty()).open()

    await migrate({ db, shared: false, close: async () => {} }, { clock: systemClock(), log: silent })

    const row = await db
      .selectFrom('setting')
      .select('value')
      .where('key', '=', compatibilitySetting)
      .executeTakeFirst()
    expect(JSON.parse(row?.value ?? '')).toEqual({ schema: schemaVersion, oldest: oldestOf(migrations) })
    expect(migrations[oldestOf(migrations) - 1]).toHaveProperty('breaks')
  })
})
