import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { isEmail } from '../../../domain/email.ts'
import { isE164, isInternationalForm, normaliseForSearch } from '../../../domain/phone-number.ts'
import { readNational } from '../../../lib/phone-format.ts'
import { companyCountry } from '../../accounts/index.ts'
import { formsOf, storedDigits } from '../contacts/lookup.ts'
import type { NewContact } from '../contacts/write-store.ts'
import { phonesWith } from './store.ts'

// Checks the rows of an import before anything is written.

export interface GivenRow {
  first_name?: string | undefined
  last_name?: string | undefined
  company_name?: string | undefined
  information?: string | undefined
  phone_numbers?: { label?: string | undefined; value: string }[] | undefined
  emails?: { label?: string | undefined; value: string }[] | undefined
}

export interface RowError {
  field: string
  message: string
}

export interface CheckedRow {
  contact: NewContact
  errors: RowError[]
  /** The contact that already has one of its numbers. */
  duplicateOf: number | null
  /** An earlier row with the same number, from 0. */
  sameAs: number | null
}

const fieldNames = {
  first_name: 'First name',
  last_name: 'Last name',
  company_name: 'Company',
  information: 'Information',
}
const maxDetails = 20
const maxLabel = 255
const rowsPerTurn = 200

export async function checkRows(db: Db, companyId: CompanyId, rows: readonly GivenRow[]): Promise<CheckedRow[]> {
  const country = await companyCountry(db, companyId)
  const checked: CheckedRow[] = []
  for (const [i, row] of rows.entries()) {
    checked.push(await checkRow(row, country))
    // Thousands of rows must not delay calls and requests.
    if (i % rowsPerTurn === 0) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  markSameRows(checked)
  for (let from = 0; from < checked.length; from += rowsPerTurn) {
    await markDuplicates(db, companyId, checked.slice(from, from + rowsPerTurn))
  }
  return checked
}

async function checkRow(row: GivenRow, country: string | null): Promise<CheckedRow> {
  const errors: RowError[] = []
  const words = (field: keyof typeof fieldNames, value: string | undefined, max: number) => {
    const text = value?.trim() ?? ''
    if (text.length > max) {
      const message = `${fieldNames[field]} is longer than ${max.toLocaleString('en')} characters`
      errors.push({ field, message })
    }
    return text === '' ? null : text
  }
  const contact: NewContact = {
    firstName: words('first_name', row.first_name, 255),
    lastName: words('last_name', row.last_name, 255),
    companyName: words('company_name', row.company_name, 255),
    information: words('information', row.information, 10_000),
    phones: [],
    emails: [],
  }
  for (const { label, value } of row.phone_numbers ?? []) {
    if (value.trim() === '') continue
    const read = await readPhone(value.trim(), country)
    if (read.startsWith('+')) contact.phones.push({ label: labelOf(label), value: read })
    else errors.push({ field: 'phone_numbers', message: `“${shortened(value)}”: ${read}` })
  }
  for (const { label, value } of row.emails ?? []) {
    const address = value.trim()
    if (address === '') continue
    if (isEmail(address)) contact.emails.push({ label: labelOf(label), value: address })
    else errors.push({ field: 'emails', message: `“${shortened(value)}” is not an email address` })
  }
  contact.phones = distinct(contact.phones)
  contact.emails = distinct(contact.emails)
  const hasPhoneError = errors.some(({ field }) => field === 'phone_numbers')
  if (contact.phones.length === 0 && !hasPhoneError) {
    errors.push({ field: 'phone_numbers', message: 'A contact needs a phone number' })
  }
  for (const [field, list] of [
    ['phone_numbers', contact.phones],
    ['emails', contact.emails],
  ] as const) {
    if (list.length > maxDetails) {
      const message = `More than ${maxDetails} ${field === 'emails' ? 'email addresses' : 'phone numbers'}`
      errors.push({ field, message })
    }
  }
  return { contact, errors, duplicateOf: null, sameAs: null }
}

const labelOf = (label: string | undefined) => label?.trim().slice(0, maxLabel) || 'Work'
const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text.trim())
const distinct = (details: NewContact['phones']) => [
  ...new Map(details.map((detail) => [detail.value.toLowerCase(), detail])).values(),
]

/** E.164, or why it is none. A number without country code is read in the country of the company. */
async function readPhone(text: string, country: string | null): Promise<string> {
  if (/\p{L}/u.test(text) || !/\d/.test(text)) return 'not a phone number'
  if (isInternationalForm(text)) {
    const e164 = `+${normaliseForSearch(text)}`
    return isE164(e164) ? e164 : 'not a phone number'
  }
  if (country === null) return 'add the country code, or set the country of the company'
  const national = await readNational(text, country)
  if (national !== null) return `+${national}`
  return `not a phone number of ${country}; add the country code`
}

const digitsOf = ({ contact }: CheckedRow) => contact.phones.map(({ value }) => normaliseForSearch(value))

function markSameRows(rows: readonly CheckedRow[]): void {
  const first = new Map<string, number>()
  for (const [i, row] of rows.entries()) {
    for (const digits of digitsOf(row)) {
      const earlier = first.get(digits)
      if (earlier === undefined) first.set(digits, i)
      else if (earlier !== i) row.sameAs ??= earlier
    }
  }
}

async function markDuplicates(db: Db, companyId: CompanyId, rows: readonly CheckedRow[]): Promise<void> {
  const forms = await formsOf(new Set(rows.flatMap(digitsOf)))
  const known = await phonesWith(db, companyId, [...storedDigits(forms)])
  const exact = new Map(known.toReversed().map(({ digits, contactId }) => [digits, contactId]))
  const national = new Map(
    known.flatMap(({ digits, value, contactId }) => (isInternationalForm(value) ? [] : [[digits, contactId] as const])),
  )
  for (const row of rows) {
    for (const digits of digitsOf(row)) {
      row.duplicateOf ??= exact.get(digits) ?? national.get(forms.get(digits)?.digits ?? '') ?? null
    }
  }
}
