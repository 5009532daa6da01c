import type { Db } from './database.ts'

// The newest migrations tell older releases whether they can use the schema.

export const compatibilitySetting = 'schema_compatibility'

/** The schema that a release must know at least: that of the last migration that breaks earlier releases. */
export const oldestOf = (applied: readonly { breaks?: string }[]): number =>
  1 + applied.findLastIndex(({ breaks }) => breaks !== undefined)

/** Part of the transaction of each migration. */
export async function storeCompatibility(tx: Db, applied: readonly { breaks?: string }[]): Promise<void> {
  const value = JSON.stringify({ schema: applied.length, oldest: oldestOf(applied) })
  await tx
    .insertInto('setting')
    .values({ key: compatibilitySetting, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

/** The schema that a release must know at least; the given one if it does not say. */
export async function oldestUsable(db: Db, schema: number): Promise<number> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', compatibilitySetting).executeTakeFirst()
  const stored: { schema?: unknown; oldest?: unknown } = row ? JSON.parse(row.value) : {}
  return stored.schema === schema && typeof stored.oldest === 'number' ? stored.oldest : schema
}
