import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { nameKey } from '../../../domain/name-key.ts'
import { normaliseForSearch } from '../../../domain/phone-number.ts'

/** The Numbers of the company by name and by digits. A name that two Numbers have is that of the older one. */
export async function numbersByName(db: Db, companyId: CompanyId) {
  const rows = await db
    .selectFrom('number')
    .select(['id', 'name', 'digits'])
    .where('company_id', '=', companyId)
    .orderBy('id', 'desc')
    .execute()
  return {
    names: new Map(rows.map(({ id, name }) => [nameKey(name), id])),
    digits: new Map(rows.map(({ id, digits }) => [normaliseForSearch(digits), id])),
  }
}
