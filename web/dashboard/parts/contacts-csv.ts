import { readCsv, writeCsv } from '../../../src/domain/csv.ts'
import type { Contact } from './contact-drawer.tsx'

// Contacts as a table of text: which column has what, and the rows of an export.

export type ImportField =
  | 'first_name'
  | 'last_name'
  | 'company_name'
  | 'information'
  | 'phone'
  | 'mobile'
  | 'email'
  | 'ignore'

export const importFields: { value: ImportField; label: string; words: RegExp }[] = [
  {
    value: 'first_name',
    label: 'First name',
    words: /^(first|given|fore)[\s_-]?name$|^pr[ée]nom$|^vorname$|^nombre$/i,
  },
  {
    value: 'last_name',
    label: 'Last name',
    words: /^(last|family|sur)[\s_-]?name$|^name$|^full[\s_-]?name$|^nom$|^nachname$|^apellidos?$/i,
  },
  { value: 'company_name', label: 'Company', words: /company|organi[sz]ation|soci[ée]t[ée]|firma|entreprise|empresa/i },
  { value: 'mobile', label: 'Mobile number', words: /mobile|cell|handy|portable|m[óo]vil/i },
  { value: 'phone', label: 'Phone number', words: /phone|\btel\b|t[ée]l[ée]|telefon|number|^nummer$/i },
  { value: 'email', label: 'Email', words: /e-?mail|courriel|correo/i },
  { value: 'information', label: 'Information', words: /note|info|comment|remark|bemerkung/i },
  { value: 'ignore', label: 'Do not import', words: /$^/ },
]

export interface ImportTable {
  header: string[]
  rows: string[][]
  mapping: ImportField[]
}

/** A table without a header is recognized by a phone number or address in its first line. */
export function readTable(text: string): ImportTable {
  const [first = [], ...others] = readCsv(text)
  const isData = first.some((cell) => /^[+\d][\d\s().-]{5,}$/.test(cell) || /@.+\./.test(cell))
  const rows = isData ? [first, ...others] : others
  const width = Math.max(first.length, ...others.map((row) => row.length))
  const header = Array.from({ length: width }, (_, i) => (isData ? '' : (first[i] ?? '')) || `Column ${i + 1}`)
  return { header, rows, mapping: header.map((name, i) => fieldFor(name, rows, i)) }
}

function fieldFor(name: string, rows: readonly string[][], column: number): ImportField {
  const named = importFields.find(({ words }) => words.test(name.trim()))
  if (named) return named.value
  const cells = rows
    .slice(0, 20)
    .map((row) => row[column] ?? '')
    .filter(Boolean)
  if (cells.length > 0 && cells.every((cell) => /@.+\./.test(cell))) return 'email'
  if (cells.length > 0 && cells.every((cell) => /^[+\d(][\d\s().-]{5,}$/.test(cell))) return 'phone'
  return 'ignore'
}

/** The rows as the API imports them. */
export function importRows({ rows, mapping }: Pick<ImportTable, 'rows' | 'mapping'>) {
  const columnsOf = (field: ImportField) => mapping.flatMap((one, i) => (one === field ? [i] : []))
  const columns = new Map(importFields.map(({ value }) => [value, columnsOf(value)]))
  return rows.map((row) => {
    const cells = (field: ImportField) => (columns.get(field) ?? []).map((i) => row[i] ?? '').filter(Boolean)
    const text = (field: ImportField) => cells(field).join(' ') || undefined
    // A cell may hold several values, as in our own export.
    const several = (field: ImportField, label: string) =>
      cells(field).flatMap((cell) =>
        cell
          .split(/\s*[;|\n]\s*/)
          .filter(Boolean)
          .map((value) => ({ label, value })),
      )
    return {
      first_name: text('first_name'),
      last_name: text('last_name'),
      company_name: text('company_name'),
      information: text('information'),
      phone_numbers: [...several('phone', 'Work'), ...several('mobile', 'Mobile')],
      emails: several('email', 'Work'),
    }
  })
}

/** Can be imported again. */
export const contactsAsCsv = (contacts: readonly Contact[]) =>
  writeCsv([
    ['First name', 'Last name', 'Company', 'Phone numbers', 'Emails', 'Information'],
    ...contacts.map((contact) => [
      contact.first_name,
      contact.last_name,
      contact.company_name,
      contact.phone_numbers.map(({ value }) => value).join('; '),
      contact.emails.map(({ value }) => value).join('; '),
      contact.information,
    ]),
  ])
