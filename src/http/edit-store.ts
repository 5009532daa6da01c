import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'

export interface LastEdit {
  /** Null for an API client. */
  userId: number | null
  /** Null if no edit is known. */
  at: number | null
}

/** The last edit of an object; other edits of it wait until the transaction ends. */
export async function lockEdit(db: Db, companyId: CompanyId, object: string): Promise<LastEdit> {
  const row = await db
    .insertInto('edit')
    .values({ company_id: companyId, object, edited_by: null, edited_at: null })
    .onConflict((conflict) => conflict.columns(['company_id', 'object']).doUpdateSet({ object }))
    .returning(['edited_by', 'edited_at'])
    .executeTakeFirstOrThrow()
  return { userId: row.edited_by, at: row.edited_at }
}

export async function saveEdit(
  db: Db,
  companyId: CompanyId,
  object: string,
  { userId, at }: { userId: number | null; at: number },
): Promise<void> {
  const edit = { edited_by: userId, edited_at: at }
  await db
    .insertInto('edit')
    .values({ company_id: companyId, object, ...edit })
    .onConflict((conflict) => conflict.columns(['company_id', 'object']).doUpdateSet(edit))
    .execute()
}

export async function editorName(db: Db, companyId: CompanyId, userId: number): Promise<string | undefined> {
  const user = await db
    .selectFrom('user')
    .select(['first_name', 'last_name'])
    .where('company_id', '=', companyId)
    .where('id', '=', userId)
    .executeTakeFirst()
  return user && `${user.first_name} ${user.last_name}`.trim()
}

/** Forms stay open for hours, not for weeks. */
export async function deleteOldEdits(db: Db, before: number): Promise<void> {
  await db.deleteFrom('edit').where('edited_at', '<', before).execute()
}
