import type { Samples, Series } from './samples.ts'
import { bytesPerCall, type Filling, isGrowing, trendOf } from './trend.ts'

export interface Judged {
  lines: string[]
  problems: string[]
}

/** A table of all series with their trends, and a sentence for each series that grows. */
export function judge(samples: Samples, warmUpMs: number): Judged {
  const problems: string[] = []
  const rows = [...samples.series.values()].map((series) => {
    const { text, problem } = rowOf(series, warmUpMs)
    if (problem) problems.push(problem)
    return text
  })
  const disk = [
    ['database', samples.database],
    ['other files (recordings, voicemails, audio)', samples.files],
  ] as const
  const diskLines = disk.map(([name, fillings]) => {
    const { text, problem } = diskOf(name, fillings.slice(Math.floor(fillings.length / 10)))
    if (problem) problems.push(problem)
    return text
  })
  return { lines: [...aligned([head, ...rows]), '', ...diskLines], problems }
}

const head = ['series', 'median', 'maximum', 'per hour', 'growth', '']

function rowOf({ name, unit, points, allowance }: Series, warmUpMs: number): { text: string[]; problem?: string } {
  const trend = trendOf(points, warmUpMs)
  if (!trend) return { text: [name, 'too few samples'] }
  const shown = (value: number) => `${value.toFixed(unit === 'count' ? 0 : 1)}${unit === 'count' ? '' : ` ${unit}`}`
  const grows = allowance !== undefined && isGrowing(trend, allowance)
  const verdict = allowance === undefined ? '' : grows ? 'GROWS' : 'steady'
  const text = [name, shown(trend.level), shown(trend.max), shown(trend.perHour), shown(trend.growth), verdict]
  if (!grows) return { text }
  return { text, problem: `${name} grows by ${shown(trend.perHour)} per hour, ${shown(trend.growth)} so far` }
}

/** Rows and files are kept, so the disk fills: at the same rate per call, if nothing else is left behind. */
function diskOf(name: string, fillings: readonly Filling[]): { text: string; problem?: string } {
  const perCall = bytesPerCall(fillings)
  if (!perCall) return { text: `${name}: too few calls for bytes per call` }
  const { first, second } = perCall
  const text = `${name}: ${kib(first)} per call in the first half, ${kib(second)} in the second`
  const isMore = second > maxRatio * first && second - first > minBytes
  return isMore ? { text, problem: `${name} fills faster than calls explain: ${text}` } : { text }
}

const maxRatio = 1.5
const minBytes = 16_384
const kib = (bytes: number) => `${(bytes / 1_024).toFixed(0)} KiB`

function aligned(table: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}
