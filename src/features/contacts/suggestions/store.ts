import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { normaliseForSearch } from '../../../domain/phone-number.ts'
import { searchWords } from '../../../domain/search-words.ts'
import type { Window } from '../../../http/paging.ts'
import { otherBeginning } from '../../../lib/phone-format.ts'
import { companyCountry } from '../../accounts/index.ts'
import { type Contact, contactsById } from '../contacts/store.ts'
import { contactsNamed } from '../names/store.ts'

/** Contacts whose phone number starts with the digits of the text, or whose name or company contains it. */
export async function suggestedIds(db: Db, companyId: CompanyId, text: string, limit: number): Promise<number[]> {
  const digits = /^[+\d\s().-]+$/.test(text) ? normaliseForSearch(text) : ''
  if (digits === '') return byName(db, companyId, text, limit)
  const country = await companyCountry(db, companyId)
  const other = country === null ? null : await otherBeginning(text, country)
  const found = await byDigits(db, companyId, digits, limit)
  const alike = other === null ? [] : await byDigits(db, companyId, other, limit)
  return [...new Set([...found, ...alike])].sort((a, b) => a - b).slice(0, limit)
}

async function byDigits(db: Db, companyId: CompanyId, digits: string, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('contact_phone')
    .select('contact_id')
    .distinct()
    .where('company_id', '=', companyId)
    .where('digits', '>=', digits)
    // The sign behind 9: all numbers that begin alike lie between the two.
    .where('digits', '<', `${digits}:`)
    .orderBy('contact_id')
    .limit(limit)
    .execute()
  return rows.map(({ contact_id }) => contact_id)
}

async function byName(db: Db, companyId: CompanyId, text: string, limit: number): Promise<number[]> {
  return contactsNamed(db, companyId, searchWords([text]), { order: 'desc', max: limit })
}

/** Contacts whose name or company contains every word, at most `maxFound`. */
export async function pageOfNamed(
  db: Db,
  companyId: CompanyId,
  words: readonly string[],
  { limit, offset, order }: Pick<Window, 'limit' | 'offset' | 'order'>,
): Promise<{ contacts: Contact[]; total: number }> {
  const found = await contactsNamed(db, companyId, words, { order })
  return { contacts: await contactsById(db, companyId, found.slice(offset, offset + limit)), total: found.length }
}
