import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { isInternationalForm, normaliseForSearch } from '../../../domain/phone-number.ts'
import { searchWords } from '../../../domain/search-words.ts'
import { otherBeginning, readNational } from '../../../lib/phone-format.ts'
import { companyCountry } from '../../accounts/index.ts'
import { contactsById, contactsNamed } from '../../contacts/index.ts'
import { maxParties, partiesWith } from './party-store.ts'

const maxWords = 8

/** External numbers, as stored with calls, that a search by text or contact means; undefined: any. */
export async function partiesSearched(
  db: Db,
  companyId: CompanyId,
  { text, contact_id: contactId }: { text?: string; contact_id?: number },
): Promise<string[] | undefined> {
  const words = text?.trim() ?? ''
  const ofContact = contactId === undefined ? undefined : await numbersOf(db, companyId, [contactId])
  if (words === '') return ofContact
  const found = await meant(db, companyId, words)
  return ofContact ? found.filter((digits) => ofContact.includes(digits)) : found
}

/** A part of a number, or a contact's name. */
async function meant(db: Db, companyId: CompanyId, text: string): Promise<string[]> {
  const isNumber = /\d/.test(text) && /^[\d\s+()./-]+$/.test(text)
  const found = isNumber ? await byPart(db, companyId, text) : await byName(db, companyId, text)
  return found.slice(0, maxParties)
}

async function byPart(db: Db, companyId: CompanyId, text: string): Promise<string[]> {
  const country = await companyCountry(db, companyId)
  const typed = normaliseForSearch(text)
  const other = country === null || isInternationalForm(text) ? null : await otherBeginning(text, country)
  const parts = [...new Set([typed, other ?? ''])].filter(Boolean)
  const found = await Promise.all(parts.map((part) => partiesWith(db, companyId, part)))
  return [...new Set(found.flat())]
}

async function byName(db: Db, companyId: CompanyId, text: string): Promise<string[]> {
  const words = searchWords([text]).slice(0, maxWords)
  if (words.length === 0) return []
  const ids = await contactsNamed(db, companyId, words, { order: 'desc', max: maxParties })
  return numbersOf(db, companyId, ids)
}

async function numbersOf(db: Db, companyId: CompanyId, contactIds: readonly number[]): Promise<string[]> {
  const contacts = await contactsById(db, companyId, contactIds)
  const country = await companyCountry(db, companyId)
  const forms = contacts
    .flatMap(({ phones }) => phones)
    .map(async ({ value }) => {
      const national = country === null || isInternationalForm(value) ? null : await readNational(value, country)
      return national ?? normaliseForSearch(value)
    })
  return [...new Set(await Promise.all(forms))].filter(Boolean)
}
