import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { nameKey } from '../../../domain/name-key.ts'
import type { Window } from '../../../http/paging.ts'

export interface Tag {
  id: number
  name: string
  color: string
  description: string | null
}

const rows = (db: Db, companyId: CompanyId) =>
  db.selectFrom('tag').select(['id', 'name', 'color', 'description']).where('company_id', '=', companyId)

export function findTag(db: Db, companyId: CompanyId, id: number): Promise<Tag | undefined> {
  return rows(db, companyId).where('id', '=', id).executeTakeFirst()
}

export function findTagNamed(db: Db, companyId: CompanyId, name: string): Promise<Tag | undefined> {
  return rows(db, companyId).where('name_key', '=', nameKey(name)).executeTakeFirst()
}

export async function pageOfTags(db: Db, companyId: CompanyId, window: Window) {
  const tags = await rows(db, companyId)
    .orderBy('created_at', window.order)
    .orderBy('id', window.order)
    .limit(window.limit)
    .offset(window.offset)
    .execute()
  const { total } = await db
    .selectFrom('tag')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow()
  return { tags, total }
}

/** Returns the tag with this name, and creates it if needed; a concurrent call returns the same one. */
export async function ensureTag(db: Db, companyId: CompanyId, tag: { name: string; color: string }, at: number) {
  const named = db
    .selectFrom('tag')
    .select('id')
    .where('company_id', '=', companyId)
    .where('name_key', '=', nameKey(tag.name))
  const known = await named.executeTakeFirst()
  if (known) return known.id
  const made = await db
    .insertInto('tag')
    .values({ company_id: companyId, ...tag, name_key: nameKey(tag.name), description: null, created_at: at })
    .onConflict((conflict) => conflict.columns(['company_id', 'name_key']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return (made ?? (await named.executeTakeFirstOrThrow())).id
}

/** Throws a duplicate error if the name is taken. */
export async function insertTag(db: Db, companyId: CompanyId, tag: { name: string; color: string }, at: number) {
  return db
    .insertInto('tag')
    .values({ company_id: companyId, ...tag, name_key: nameKey(tag.name), description: null, created_at: at })
    .returning(['id', 'name', 'color', 'description'])
    .executeTakeFirstOrThrow()
}

/** Throws a duplicate error if the name is taken. */
export async function updateTag(
  db: Db,
  companyId: CompanyId,
  id: number,
  change: { name?: string; color?: string },
): Promise<Tag | undefined> {
  return db
    .updateTable('tag')
    .set({ ...change, ...(change.name !== undefined && { name_key: nameKey(change.name) }) })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .returning(['id', 'name', 'color', 'description'])
    .executeTakeFirst()
}

export async function deleteTag(db: Db, companyId: CompanyId, id: number): Promise<boolean> {
  const result = await db.deleteFrom('tag').where('company_id', '=', companyId).where('id', '=', id).executeTakeFirst()
  return result.numDeletedRows > 0n
}
