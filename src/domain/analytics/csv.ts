export type Cell = string | number | boolean | null

/**
 * RFC 4180. A cell that a spreadsheet would take for a formula gets an apostrophe in front: names and titles are written
 * by customers, and one of them may want to run something on the reader's machine.
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
  const safe = formula.test(cell) ? `'${cell}` : cell
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

// Most cells are words and numbers, of which nothing has to be looked at twice.
const plain = /^[A-Za-z0-9][A-Za-z0-9 _.:+-]*$/
const formula = /^[=+\-@\t]/
const special = /[",\r\n]/

/** Lists in one cell. */
export const joined = (words: readonly string[]) => words.join('; ')

/** With two decimals; of nothing, nothing. */
export const percent = (part: number, whole: number) => (whole === 0 ? '0.00' : ((part / whole) * 100).toFixed(2))

/** Of durations: whole seconds. */
export const average = (sum: number, count: number) => (count === 0 ? 0 : Math.round(sum / count))

/** Of the times that are shown, so that whoever subtracts gets the same. */
export const secondsBetween = (from: number, to: number) => Math.floor(to / 1_000) - Math.floor(from / 1_000)
