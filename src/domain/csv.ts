import { type Cell, csvLine } from './analytics/csv.ts'

// CSV as spreadsheets read and write it, and safe to open there.

export const writeCsv = (rows: readonly (readonly Cell[])[]): string => rows.map(csvLine).join('')

/** Removes the apostrophe that `csvLine` puts before formulas: an export can be imported again. */
const unescaped = (text: string) => (/^'[=+\-@\t]/.test(text) ? text.slice(1) : text)

/** Rows of cells without surrounding spaces; empty lines are skipped. Comma, semicolon or tab separate cells. */
export function readCsv(input: string): string[][] {
  const text = input.replace(/^\uFEFF/, '')
  const separator = separatorOf(text)
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    row.push(unescaped(cell.trim()))
    cell = ''
  }
  const endRow = () => {
    endCell()
    if (row.some((value) => value !== '')) rows.push(row)
    row = []
  }
  for (let i = 0; i < text.length; i++) {
    const sign = text[i] ?? ''
    if (isQuoted) {
      if (sign !== '"') cell += sign
      else if (text[i + 1] === '"') {
        cell += '"'
        i++
      } else isQuoted = false
    } else if (sign === '"' && cell.trim() === '') {
      cell = ''
      isQuoted = true
    } else if (sign === separator) endCell()
    else if (sign === '\n' || sign === '\r') endRow()
    else cell += sign
  }
  endRow()
  return rows
}

/** The one that is most frequent in the first line, outside quotes. */
function separatorOf(text: string): string {
  const line = (/^[\r\n]*([^\r\n]*)/.exec(text)?.[1] ?? '').replace(/"[^"]*"/g, '')
  const counted = [',', ';', '\t'].map((sign) => ({ sign, n: line.split(sign).length }))
  return counted.reduce((best, one) => (one.n > best.n ? one : best)).sign
}
