import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'

export interface SavedFilter {
  id: number
  page: string
  name: string
  query: string
}

const columns = ['id', 'page', 'name', 'query'] as const

export function savedFiltersOf(db: Db, companyId: CompanyId, userId: number): Promise<SavedFilter[]> {
  return db
    .selectFrom('saved_filter')
    .select(columns)
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .orderBy('page')
    .orderBy('name')
    .execute()
}

export function findSavedFilter(
  db: Db,
  companyId: CompanyId,
  userId: number,
  id: number,
): Promise<SavedFilter | undefined> {
  return db
    .selectFrom('saved_filter')
    .select(columns)
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** A filter with the same name on the same page is replaced. */
export function saveFilter(
  db: Db,
  companyId: CompanyId,
  userId: number,
  { page, name, query, at }: Omit<SavedFilter, 'id'> & { at: number },
): Promise<SavedFilter> {
  return db
    .insertInto('saved_filter')
    .values({ company_id: companyId, user_id: userId, page, name, query, created_at: at })
    .onConflict((same) => same.columns(['company_id', 'user_id', 'page', 'name']).doUpdateSet({ query }))
    .returning(columns)
    .executeTakeFirstOrThrow()
}

export async function deleteSavedFilter(db: Db, companyId: CompanyId, userId: number, id: number): Promise<void> {
  await db
    .deleteFrom('saved_filter')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .execute()
}
