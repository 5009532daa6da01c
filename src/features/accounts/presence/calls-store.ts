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

/** Forwarded to an external number that has not answered. */
export async function isLostOutside(db: Db, companyId: CompanyId, id: number): Promise<boolean> {
  const [row] = await transferState(db, { companyId, id })
  if (row?.transferred_out !== 1) return false
  const parties: CallRecord['participants'] = JSON.parse(row.participants)
  return parties.filter(({ kind }) => kind === 'external').length < 2
}
