import { type ImportColumn, type ImportTable, readImport, severalIn } from '../csv-import/table.ts'

// Users as a table of text: which column has what.

export type UserField =
  | 'email'
  | 'first_name'
  | 'last_name'
  | 'name'
  | 'roles'
  | 'teams'
  | 'numbers'
  | 'extension'
  | 'wrap_up_time'

export const userFields: ImportColumn<UserField>[] = [
  { value: 'email', label: 'Email', words: /e-?mail|courriel|correo/i },
  {
    value: 'first_name',
    label: 'First name',
    words: /^(first|given|fore)[\s_-]?name$|^pr[ée]nom$|^vorname$|^nombre$/i,
  },
  {
    value: 'last_name',
    label: 'Last name',
    words: /^(last|family|sur)[\s_-]?name$|^nom$|^nachname$|^apellidos?$/i,
  },
  { value: 'name', label: 'Full name', words: /^(full|display)?[\s_-]?name$/i },
  { value: 'roles', label: 'Roles', words: /^roles?$|^r[ôo]le$|^rolle$|^rol$/i },
  { value: 'teams', label: 'Teams', words: /^teams?$|^[ée]quipes?$|^equipos?$|^groups?$/i },
  { value: 'extension', label: 'Extension', words: /^ext(ension)?\.?$|^nebenstelle$|^durchwahl$/i },
  { value: 'numbers', label: 'Numbers', words: /^(phone[\s_-]?)?numbers?$|^num[ée]ros?$|^nummern?$/i },
  { value: 'wrap_up_time', label: 'Wrap-up time', words: /^wrap[\s_-]?up/i },
  { value: 'ignore', label: 'Do not import', words: /$^/ },
]

export const readUsers = (text: string): ImportTable<UserField> => readImport(text, userFields, { email: /@.+\./ })

/** The rows as the API imports them. A full name is divided after its first word. */
export function userRows({ rows, mapping }: Pick<ImportTable<UserField>, 'rows' | 'mapping'>) {
  const columnsOf = (field: UserField) => mapping.flatMap((one, i) => (one === field ? [i] : []))
  const columns = new Map(mapping.flatMap((field) => (field === 'ignore' ? [] : [[field, columnsOf(field)] as const])))
  return rows.map((row) => {
    const cells = (field: UserField) => (columns.get(field) ?? []).map((i) => row[i] ?? '').filter(Boolean)
    const text = (field: UserField) => cells(field).join(' ') || undefined
    // Roles, teams and numbers have no commas in their names in our own export, but people write them.
    const several = (field: UserField) => cells(field).flatMap(severalIn)
    const [first, ...rest] = (text('name') ?? '').split(/\s+/)
    return {
      email: text('email'),
      first_name: text('first_name') ?? (first || undefined),
      last_name: text('last_name') ?? (rest.join(' ') || undefined),
      roles: several('roles').flatMap((cell) => cell.split(/\s*,\s*/)),
      teams: several('teams'),
      numbers: several('numbers'),
      extension: text('extension'),
      wrap_up_time: text('wrap_up_time'),
    }
  })
}
