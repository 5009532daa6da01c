import type { Db } from '../../../db/database.ts'
import { wordsFromJson } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'

export interface KnownPhone {
  digits: string
  value: string
  contactId: number
}

/** Contacts with these digits, in international or national form; the oldest contact comes first. */
export async function phonesWith(db: Db, companyId: CompanyId, digits: readonly string[]): Promise<KnownPhone[]> {
  const rows = await db
    .selectFrom('contact_phone')
    .select(['digits', 'value', 'contact_id'])
    .where('company_id', '=', companyId)
    .where('digits', 'in', wordsFromJson(db, JSON.stringify(digits)) as never)
    .orderBy('contact_id')
    .execute()
  return rows.map((row) => ({ digits: row.digits, value: row.value, contactId: row.contact_id }))
}
