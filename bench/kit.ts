import { availableParallelism, loadavg } from 'node:os'

/** One line of the final table. `baseline` and `ratio` are absent where the bar is absolute. */
export interface Row {
  row: string
  figure: string
  baseline?: string
  ratio?: number
  aim?: Aim
}

/** What the ratio, or for an absolute bar the value, must be; a bar on the clock counts on an idle machine only. */
export type Aim = ({ atLeast: number } | { atMost: number }) & { of?: number; onClock?: true }

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))]
  if (value === undefined) throw new Error('nothing was measured')
  return value
}

/**
 * Every subject once per round, so that other load on the machine affects all; every other round backwards, so
 * that none is always the first. Gives the medians.
 */
export async function interleaved<K extends string>(
  rounds: number,
  subjects: Record<K, () => Promise<number>>,
): Promise<Record<K, number>> {
  const names = Object.keys(subjects) as K[]
  const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, number[]>
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? names : [...names].reverse()
    for (const name of order) measured[name].push(await subjects[name]())
  }
  return Object.fromEntries(names.map((name) => [name, median(measured[name])])) as Record<K, number>
}

/** Said beside the figures: on a busy machine only ratios mean something. */
export function print(line: string): void {
  const [now = 0] = loadavg()
  console.log(`${line}  [load ${now.toFixed(2)} on ${availableParallelism()} cores]`)
}

export const perSecond = (value: number) => `${Math.round(value)}/s`
export const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`
export const microseconds = (value: number) => `${value.toFixed(1)} µs`

function verdict({ ratio, aim }: Row): string {
  if (!aim) return ''
  const value = aim.of ?? ratio ?? Number.NaN
  if ('atLeast' in aim ? value >= aim.atLeast : value <= aim.atMost) return 'PASS'
  return aim.onClock && (loadavg()[0] ?? 0) > availableParallelism() / 2 ? 'MISS (busy machine: repeat)' : 'MISS'
}

function aimText(aim: Aim | undefined): string {
  if (!aim) return ''
  return 'atLeast' in aim ? `≥ ${aim.atLeast}` : `≤ ${aim.atMost}`
}

export function printTable(rows: readonly Row[]): void {
  const cells = rows.map((row) => [
    row.row,
    row.figure,
    row.baseline ?? '',
    row.ratio === undefined ? '' : row.ratio.toFixed(2),
    aimText(row.aim),
    verdict(row),
  ])
  const all = [['row', 'figure', 'baseline', 'ratio', 'aim', ''], ...cells]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0))) ?? []
  console.log()
  for (const line of all)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  print('\nload at the end')
}
