export type Cell = string | number | boolean | null

/**
 * RFC 4180. A cell that a spreadsheet would evaluate as a formula is prefixed with an apostrophe: names and titles
 * are customer input and could otherwise run code on the reader's machine (CSV injection). Phone numbers stay as they
 * are: a plus and digits call no function.
 */
export function csvLine(cells: readonly Cell[]): string {
  let line = ''
  for (let i = 0; i < cells.length; i++) line += (i === 0 ? '' : ',') + textOf(cells[i] ?? null)
  return `${line}\r\n`
}

function textOf(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  if (plain.test(cell)) return cell
  const safe = formula.test(cell) && !phoneNumbers.test(cell) ? `'${cell}` : cell
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

// Fast path: most cells are plain words and numbers.
const plain = /^[A-Za-z0-9][A-Za-z0-9 _.:+-]*$/
const formula = /^[=+\-@\t\r]/
const phoneNumbers = /^\+\d[\d ]*(?:; \+?\d[\d ]*)*$/
const special = /[",\r\n]/

/** Joins a list into one cell. */
export const joined = (words: readonly string[]) => words.join('; ')

/** Two decimals; an empty cell for no value. */
export const percent = (part: number, whole: number) => (whole === 0 ? '0.00' : ((part / whole) * 100).toFixed(2))

/** Duration in whole seconds. */
export const average = (sum: number, count: number) => (count === 0 ? 0 : Math.round(sum / count))

/** Computed from the displayed times, so that a reader who subtracts them gets the same result. */
export const secondsBetween = (from: number, to: number) => Math.floor(to / 1_000) - Math.floor(from / 1_000)
