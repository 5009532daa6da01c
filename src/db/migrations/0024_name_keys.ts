import { nameKey } from '../../domain/name-key.ts'
import type { Db } from '../database.ts'

const batch = 500

/**
 * Names of tags and teams are unique regardless of case. Of equal names the oldest keeps its form and the others get a
 * number: `vip`, `VIP (2)`.
 */
export async function up(db: Db) {
  for (const table of ['tag', 'team'] as const) {
    // First, because trimming may make two names equal temporarily.
    await db.schema.dropIndex(`${table}_name`).execute()
    await db.schema.alterTable(table).addColumn('name_key', 'text').execute()
    await fillKeys(db, table)
    await db.schema.createIndex(`${table}_name_key`).on(table).columns(['company_id', 'name_key']).unique().execute()
  }
}

async function fillKeys(db: Db, table: 'tag' | 'team') {
  const taken = new Set<string>()
  const remember = (companyId: number, name: string) => taken.add(`${companyId} ${nameKey(name)}`)
  const isTaken = (companyId: number, name: string) => taken.has(`${companyId} ${nameKey(name)}`)
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom(table)
      .select(['id', 'company_id', 'name'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(batch)
      .execute()
    for (const { id, company_id: companyId, name } of rows) {
      const plain = name.trim()
      let unique = plain
      for (let n = 2; isTaken(companyId, unique); n++) unique = `${plain} (${n})`
      remember(companyId, unique)
      await db
        .updateTable(table)
        .set({ name: unique, name_key: nameKey(unique) })
        .where('id', '=', id)
        .execute()
      after = id
    }
    if (rows.length < batch) return
  }
}
