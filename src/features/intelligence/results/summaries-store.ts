import type { Db } from '../../../db/database.ts'
import { idsFromJson, unindexed } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'

/** Summaries by call. */
export async function summariesOf(
  db: Db,
  companyId: CompanyId,
  callIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (callIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('insight')
    .select(['call_id', 'content'])
    .where('call_id', 'in', idsFromJson(db, JSON.stringify(callIds)))
    .where('kind', '=', 'summary')
    .where(unindexed('company_id'), '=', companyId)
    .execute()
  return new Map(rows.map(({ call_id, content }) => [call_id, JSON.parse(content) as string]))
}
