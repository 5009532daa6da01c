import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { isInternationalForm } from '../../../domain/phone-number.ts'
import { readNational } from '../../../lib/phone-format.ts'
import { countriesOfCompany } from '../../accounts/index.ts'
import { type Contact, contactsById } from './store.ts'

/** E.164 numbers of contacts: national formats are parsed for the countries of the company and of its Numbers. */
export async function phonesOfContacts(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('contact_phone')
    .select(['digits', 'value'])
    .where('company_id', '=', companyId)
    .where('contact_id', 'in', [...ids])
    .execute()
  const countries = await countriesOfCompany(db, companyId)
  const read = await Promise.all(
    rows.map(async ({ digits, value }) => {
      if (isInternationalForm(value)) return [digits]
      return [digits, ...(await Promise.all(countries.map((country) => readNational(value, country))))]
    }),
  )
  return [...new Set(read.flat())].flatMap((digits) => (digits === null ? [] : `+${digits}`))
}

/** Contacts with this number, in search format. */
export async function contactsWithPhone(db: Db, companyId: CompanyId, digits: string): Promise<Contact[]> {
  const rows = await db
    .selectFrom('contact_phone')
    .select('contact_id')
    .where('company_id', '=', companyId)
    .where('digits', '=', digits)
    .orderBy('contact_id')
    .limit(20)
    .execute()
  return contactsById(db, companyId, [...new Set(rows.map(({ contact_id }) => contact_id))])
}
