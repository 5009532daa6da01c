import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { isInternationalForm } from '../../../domain/phone-number.ts'
import { readNational } from '../../../lib/phone-format.ts'
import { companyCountry, countriesOfCompany } from '../../accounts/index.ts'
import { contactLookup, formsOf, storedDigits } from './lookup.ts'
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

/** Of these E.164 numbers, those that no contact has. */
export async function phonesWithoutContact(db: Db, companyId: CompanyId, phones: readonly string[]): Promise<string[]> {
  if (phones.length === 0) return []
  const forms = await formsOf(phones.map((phone) => phone.slice(1)))
  const rows = await db
    .selectFrom('contact_phone')
    .select('digits')
    .where('company_id', '=', companyId)
    .where('digits', 'in', [...storedDigits(forms)])
    .execute()
  const taken = new Set(rows.map(({ digits }) => digits))
  return phones.filter((phone) => {
    const digits = phone.slice(1)
    return !taken.has(digits) && !taken.has(forms.get(digits)?.digits ?? '')
  })
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

/** The contact of an outside party, as calls show it: E.164 digits, and the country of the Number of the call. */
export async function contactOfPhone(
  db: Db,
  companyId: CompanyId,
  digits: string,
  numberCountry: string | undefined,
): Promise<Contact | undefined> {
  const forms = await formsOf([digits])
  const rows = await db
    .selectFrom('contact_phone')
    .select(['contact_id', 'digits', 'value'])
    .where('company_id', '=', companyId)
    .where('digits', 'in', [...storedDigits(forms)])
    .orderBy('contact_id', 'desc')
    .limit(40)
    .execute()
  if (rows.length === 0) return undefined
  const contacts = await contactsById(db, companyId, [...new Set(rows.map(({ contact_id }) => contact_id))])
  const byId = new Map(contacts.map((contact) => [contact.id, contact]))
  const phones = rows.flatMap(({ contact_id, digits: stored, value }) => {
    const contact = byId.get(contact_id)
    return contact ? [{ digits: stored, value, contact }] : []
  })
  const lookup = await contactLookup(phones, forms, {
    companyCountry: await companyCountry(db, companyId),
    numberCountries: numberCountry === undefined ? [] : [numberCountry],
  })
  return lookup(digits, numberCountry)
}
