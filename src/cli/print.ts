/** Formats rows as aligned columns. */
export function alignColumns(rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map((row) => row.map(printable))
  const widths: number[] = []
  for (const row of cells) {
    for (const [place, cell] of row.entries()) widths[place] = Math.max(widths[place] ?? 0, cell.length)
  }
  return cells
    .map((row) => row.map((cell, place) => cell.padEnd(widths[place] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Replaces control characters, so that user input cannot change the terminal. */
export const printable = (value: unknown): string => String(value ?? '').replace(/\p{Cc}/gu, '?')
