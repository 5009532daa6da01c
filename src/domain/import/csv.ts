import { readCsv } from '../csv.ts'
import { type SourceObject, sourcePhone } from './values.ts'

// CSV files as an import reads them: each row becomes an object of the public API, so that the same checks and writers
// apply. Names of columns are those of the API; case, spaces and hyphens are ignored.

export const csvKinds = ['users', 'contacts', 'calls'] as const
type CsvKind = (typeof csvKinds)[number]
/** The text of each file. */
export type CsvFiles = Partial<Record<CsvKind, string>>
export const maxCsvCharacters = 8 * 1024 * 1024

const columns = {
  users: ['email', 'name', 'first_name', 'last_name', 'language', 'time_zone', 'wrap_up_time', 'extension'],
  contacts: ['first_name', 'last_name', 'company_name', 'information', 'phone_numbers', 'emails'],
  calls: [
    ...['direction', 'number', 'external_number', 'started_at', 'answered_at', 'ended_at', 'duration', 'user_email'],
    ...['missed_call_reason', 'tags', 'comment'],
  ],
} as const satisfies Record<CsvKind, readonly string[]>

const required: Record<CsvKind, readonly string[]> = {
  users: ['email'],
  contacts: ['phone_numbers'],
  calls: ['direction', 'number', 'external_number', 'started_at'],
}

type Cells = Readonly<Record<string, string>>

/** `idOf` identifies a row by its content: the same row has the same id in the next import. */
export function objectsInCsv(
  kind: CsvKind,
  text: string,
  idOf: (content: string) => string,
): SourceObject[] | { problem: string } {
  const [header = [], ...rows] = readCsv(text)
  const names = header.map((name) => name.toLowerCase().replace(/[\s-]+/g, '_'))
  const missing = required[kind].filter((name) => !names.includes(name))
  if (missing.length > 0) return { problem: `the column ${missing.join(', ')} is missing` }
  const known: readonly string[] = columns[kind]
  return rows.map((row) => {
    const cells: Cells = Object.fromEntries(
      names.flatMap((name, i) => (known.includes(name) && row[i] ? [[name, row[i]]] : [])),
    )
    const id = kind === 'users' ? (cells.email ?? '').toLowerCase() : idOf(JSON.stringify([kind, cells]))
    return { id, ...readers[kind](cells) }
  })
}

/** Several values in a cell. */
const severalIn = (cell: string | undefined) =>
  (cell ?? '')
    .split(/[;|\n]/)
    .map((one) => one.trim())
    .filter(Boolean)

const work = (value: string) => ({ label: 'Work', value })

const readers: Record<CsvKind, (cells: Cells) => SourceObject> = {
  users: ({ name, first_name: first, last_name: last, wrap_up_time: wrapUp, ...others }) => ({
    ...others,
    name: name ?? [first, last].filter(Boolean).join(' '),
    ...(wrapUp !== undefined && { wrap_up_time: Number(wrapUp) }),
  }),
  contacts: ({ phone_numbers: phones, emails, ...others }) => ({
    ...others,
    phone_numbers: severalIn(phones).map(work),
    emails: severalIn(emails).map(work),
  }),
  calls(cells) {
    const startedAt = timeIn(cells.started_at)
    const seconds = Number(cells.duration)
    const endedAt =
      timeIn(cells.ended_at) ??
      (startedAt !== null && cells.duration && seconds >= 0 ? startedAt + Math.round(seconds * 1_000) : null)
    const digits = sourcePhone(cells.number) ?? cells.number ?? ''
    const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())
    return {
      direction: cells.direction?.toLowerCase(),
      status: 'done',
      raw_digits: cells.external_number,
      number: { id: digits, digits, name: digits },
      started_at: iso(startedAt),
      answered_at: iso(timeIn(cells.answered_at)),
      ended_at: iso(endedAt) ?? '',
      missed_call_reason: cells.missed_call_reason?.toLowerCase() ?? null,
      transferred_to: null,
      ...(cells.user_email && { user: { id: cells.user_email.toLowerCase() } }),
      tags: severalIn(cells.tags).map((name) => ({ id: name.toLowerCase() })),
      comments: cells.comment ? [{ content: cells.comment }] : [],
    }
  },
}

/** ISO 8601, in UTC unless it has an offset, or UNIX seconds; milliseconds. */
function timeIn(cell: string | undefined): number | null {
  if (!cell) return null
  if (/^\d{9,11}$/.test(cell)) return Number(cell) * 1_000
  const isLocal = /^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?$/.test(cell)
  const at = Date.parse(isLocal ? `${cell.replace(' ', 'T')}${cell.length > 10 ? 'Z' : ''}` : cell)
  return Number.isNaN(at) ? null : at
}
