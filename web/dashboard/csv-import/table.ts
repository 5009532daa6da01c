import { readCsv } from '../../../src/domain/csv.ts'

// A table of text to import: its header, its rows, and what each column is imported as.

export interface ImportColumn<Field extends string> {
  value: Field | 'ignore'
  label: string
  /** Names of the column in several languages. */
  words: RegExp
}

export interface ImportTable<Field extends string> {
  header: string[]
  /** Row of the file that the first of `rows` is. */
  firstRow: 1 | 2
  rows: string[][]
  mapping: (Field | 'ignore')[]
}

const isValue = (cell: string) => /^[+\d][\d\s().-]{5,}$/.test(cell) || /@.+\./.test(cell)

/** A table without a header is recognized by a phone number or address in its first line. */
export function readImport<Field extends string>(
  text: string,
  columns: readonly ImportColumn<Field>[],
  /** What all values of a column without a known name look like. */
  looks: Partial<Record<Field, RegExp>>,
): ImportTable<Field> {
  const [first = [], ...others] = readCsv(text)
  const isData = first.some(isValue)
  const rows = isData ? [first, ...others] : others
  const width = rows.reduce((max, row) => Math.max(max, row.length), first.length)
  const header = Array.from({ length: width }, (_, i) => (isData ? '' : (first[i] ?? '')) || `Column ${i + 1}`)
  const fieldFor = (name: string, column: number): Field | 'ignore' => {
    const named = columns.find(({ words }) => words.test(name.trim()))
    if (named) return named.value
    const cells = rows
      .slice(0, 20)
      .map((row) => row[column] ?? '')
      .filter(Boolean)
    if (cells.length === 0) return 'ignore'
    const known = Object.entries<RegExp | undefined>(looks).find(([, look]) => cells.every((cell) => look?.test(cell)))
    return columns.find(({ value }) => value === known?.[0])?.value ?? 'ignore'
  }
  return { header, firstRow: isData ? 1 : 2, rows, mapping: header.map(fieldFor) }
}

/** A cell may hold several values, as in our own exports. */
export const severalIn = (cell: string): string[] => cell.split(/\s*[;|\n]\s*/).filter(Boolean)
