import type { Db } from '../../../db/database.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { CallRecord } from '../../../domain/call/record.ts'

const transferState = hotQuery((db, { companyId, id }: { companyId: CompanyId; id: number }) =>
  db
    .selectFrom('call')
    .select(['transferred_out', 'participants'])
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .compile(),
)

/** What decides about the wrap-up of a call that has ended; undefined if it was deleted. */
export async function wrapUpFacts(db: Db, companyId: CompanyId, id: number) {
  const row = await db
    .selectFrom('call')
    .leftJoin('call_tag', 'call_tag.call_id', 'call.id')
    .select(['call.answered_at', 'call_tag.tag_id'])
    .where('call.company_id', '=', companyId)
    .where('call.id', '=', id)
    .limit(1)
    .executeTakeFirst()
  return row && { isAnswered: row.answered_at !== null, isTagged: row.tag_id !== null }
}

/** Forwarded to an external number that has not answered. */
export async function isLostOutside(db: Db, companyId: CompanyId, id: number): Promise<boolean> {
  const [row] = await transferState(db, { companyId, id })
  if (row?.transferred_out !== 1) return false
  const parties: CallRecord['participants'] = JSON.parse(row.participants)
  return parties.filter(({ kind }) => kind === 'external').length < 2
}
