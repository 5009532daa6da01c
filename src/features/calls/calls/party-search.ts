import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { digitsOnly, normaliseForSearch } from '../../../domain/phone-number.ts'
import { searchWords } from '../../../domain/search-words.ts'
import { contactsNamed, phonesOfContacts } from '../../contacts/index.ts'
import type { CallSearch } from './search-rows-store.ts'

const maxNamed = 200
const minDigits = 2

/** The numbers of contacts with such a name or company, or a part of a number. */
export async function partyIn(db: Db, companyId: CompanyId, text: string): Promise<CallSearch['party']> {
  if (text.trim() === '') return undefined
  if (/^[+\d\s().-]+$/.test(text)) {
    // A national number starts with a zero that E.164 does not have.
    const digits = normaliseForSearch(text).replace(/^0+/, '')
    return { numbers: [], digits: digits.length < minDigits ? '' : digits }
  }
  const ids = await contactsNamed(db, companyId, searchWords([text]), { order: 'desc', max: maxNamed })
  return { numbers: (await phonesOfContacts(db, companyId, ids)).map(digitsOnly), digits: '' }
}
