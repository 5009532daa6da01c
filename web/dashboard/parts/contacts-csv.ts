import { writeCsv } from '../../../src/domain/csv.ts'
import { type ImportColumn, type ImportTable, readImport, severalIn } from '../csv-import/table.ts'
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

export const importFields: ImportColumn<ImportField>[] = [
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

/** A column without a known name is recognized by its values. */
export const readTable = (text: string): ImportTable<ImportField> =>
  readImport(text, importFields, {
    email: /@.+\./,
    phone: /^[+\d(][\d\s().-]{5,}$/,
  })

/** The rows as the API imports them. */
export function importRows({ rows, mapping }: Pick<ImportTable<ImportField>, 'rows' | 'mapping'>) {
  const columnsOf = (field: ImportField) => mapping.flatMap((one, i) => (one === field ? [i] : []))
  const columns = new Map(importFields.map(({ value }) => [value, columnsOf(value)]))
  return rows.map((row) => {
    const cells = (field: ImportField) => (columns.get(field) ?? []).map((i) => row[i] ?? '').filter(Boolean)
    const text = (field: ImportField) => cells(field).join(' ') || undefined
    // A cell may hold several values, as in our own export.
    const several = (field: ImportField, label: string) =>
      cells(field).flatMap((cell) => severalIn(cell).map((value) => ({ label, value })))
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
