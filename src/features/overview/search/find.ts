import { minPhonePart } from '../../../db/phone-parts.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { readableSince } from '../../../domain/call/history.ts'
import { isInternationalForm, normaliseForSearch } from '../../../domain/phone-number.ts'
import { folded, searchWords } from '../../../domain/search-words.ts'
import { otherBeginning, readNational } from '../../../lib/phone-format.ts'
import type { Services } from '../../../services.ts'
import { companyCountry } from '../../accounts/index.ts'
import { latestCallsWith, partiesWith } from '../../calls/index.ts'
import { type Contact, contactsById, contactsNamed } from '../../contacts/index.ts'
import { contactsWithPhones, type NamedObject, objectsNamed, phonesHolding, type SearchedKind } from './store.ts'

/** Results of each kind. */
const maxResults = 5
const maxWords = 8
/** Numbers and contacts whose calls are considered. */
const maxParties = 50

export interface SearchInput {
  text: string
  kinds: readonly SearchedKind[]
  /** Only calls of this user. */
  ownOf: number | undefined
}

/** Everything of the company whose name contains all words, or whose phone number contains the digits. */
export async function findEverything(services: Services, companyId: CompanyId, { text, kinds, ownOf }: SearchInput) {
  const { db, clock } = services
  const words = searchWords([text]).slice(0, maxWords)
  const country = await companyCountry(db, companyId)
  const parts = await phonePartsIn(text, country)
  const phones = await phonesWith(services, companyId, text, parts)
  const named = await contactsNamed(db, companyId, words, { order: 'desc', max: maxParties })
  const withPhone = await contactsWithPhones(db, companyId, phones.ofContacts, maxParties)
  const contacts = await contactsById(db, companyId, [...new Set([...named, ...withPhone])])
  const digits = new Set([...phones.ofCalls, ...(await numbersOf(contacts, country))])
  const calls = await latestCallsWith(db, companyId, {
    digits: [...digits],
    ownOf,
    since: readableSince(clock.now()),
    limit: maxResults,
  })
  const objects = await objectsNamed(db, companyId, kinds, { words, digits: parts[0] })
  return { calls, contacts: contacts.slice(0, maxResults), objects: ranked(objects, words, parts[0]) }
}

/** The searched parts of a phone number, in the notation of E.164 and of the country; none for other texts. */
async function phonePartsIn(text: string, country: string | null): Promise<string[]> {
  if (!/^[+\d\s()./-]+$/.test(text)) return []
  const digits = normaliseForSearch(text)
  const other = country === null ? null : await otherBeginning(text, country)
  const withoutTrunkPrefix = isInternationalForm(text) ? digits : digits.replace(/^0/, '')
  const parts = [...new Set([digits, ...(other === null ? [] : [other]), withoutTrunkPrefix])]
  return parts.filter((part) => part.length >= minPhonePart)
}

async function phonesWith({ db }: Services, companyId: CompanyId, text: string, parts: readonly string[]) {
  // A country code is the beginning of a number.
  const isMeant = (digits: string) => !isInternationalForm(text) || parts.some((part) => digits.startsWith(part))
  const found = async (search: (part: string) => Promise<string[]>) => {
    const lists = await Promise.all(parts.map(search))
    return [...new Set(lists.flat())].filter(isMeant).slice(0, maxParties)
  }
  return {
    ofCalls: await found((part) => partiesWith(db, companyId, part)),
    ofContacts: await found((part) => phonesHolding(db, companyId, part, 2 * maxParties)),
  }
}

/** The numbers of contacts as calls have them: a contact may store a national number. */
async function numbersOf(contacts: readonly Contact[], country: string | null): Promise<string[]> {
  const values = contacts.flatMap(({ phones }) => phones.map(({ value }) => value))
  const numbers = await Promise.all(
    values.map(async (value) => {
      const national = country === null || isInternationalForm(value) ? null : await readNational(value, country)
      return national === null ? [normaliseForSearch(value)] : [normaliseForSearch(value), national]
    }),
  )
  return [...new Set(numbers.flat())].filter(Boolean).slice(0, maxParties)
}

/** By kind, the name that starts with the text first. */
function ranked(objects: readonly NamedObject[], words: readonly string[], digits: string | undefined) {
  const byKind = new Map<SearchedKind, { object: NamedObject; rank: number }[]>()
  for (const object of objects) {
    const name = folded(object.name)
    const text = object.kind === 'tag' ? name : folded(`${object.name} ${object.detail} ${object.more}`)
    const isNamed = words.every((word) => text.includes(word))
    if (!isNamed && !(digits !== undefined && text.includes(digits))) continue
    const [first = ''] = words
    const rank = name.startsWith(first) ? 0 : name.includes(` ${first}`) ? 1 : 2
    byKind.set(object.kind, [...(byKind.get(object.kind) ?? []), { object, rank }])
  }
  return (kind: SearchedKind): NamedObject[] =>
    (byKind.get(kind) ?? [])
      .sort((a, b) => a.rank - b.rank || (a.object.name < b.object.name ? -1 : 1))
      .slice(0, maxResults)
      .map(({ object }) => object)
}
