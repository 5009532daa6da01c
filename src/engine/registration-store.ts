import type { Db } from '../db/database.ts'

// Which line node holds the registration of a trunk. `beat` counts renewals, and tells who was faster.

export interface RegistrationLease {
  node: string
  beat: number
}

export async function registrationLease(db: Db, trunkId: number): Promise<RegistrationLease | undefined> {
  const row = await db
    .selectFrom('trunk_registration')
    .select(['node', 'beat'])
    .where('trunk_id', '=', trunkId)
    .executeTakeFirst()
  return row && { node: row.node, beat: Number(row.beat) }
}

/** Takes or renews the lease as it was read before; false: another process was faster. */
export async function takeRegistrationLease(
  db: Db,
  trunkId: number,
  node: string,
  before: RegistrationLease | undefined,
): Promise<boolean> {
  if (!before) {
    const { numInsertedOrUpdatedRows: n } = await db
      .insertInto('trunk_registration')
      .values({ trunk_id: trunkId, node, beat: 1 })
      .onConflict((conflict) => conflict.column('trunk_id').doNothing())
      .executeTakeFirst()
    return Number(n ?? 0) > 0
  }
  const { numUpdatedRows } = await db
    .updateTable('trunk_registration')
    .set({ node, beat: before.beat + 1 })
    .where('trunk_id', '=', trunkId)
    .where('beat', '=', before.beat)
    .executeTakeFirst()
  return Number(numUpdatedRows) > 0
}
