import { median, quantile } from '../kit.ts'

// Whether a series of samples grows: Theil–Sen, the median of the slopes between all pairs of samples, which single
// peaks do not move.

export interface Point {
  /** Milliseconds since the beginning. */
  at: number
  value: number
  /** The process that it was measured on: a new one begins anew. */
  process: number
}

export interface Trend {
  /** Median of the samples. */
  level: number
  max: number
  perHour: number
  /** Over the longest time that one process was measured. */
  growth: number
  /** Three quarters of all pairs grow. */
  isSteady: boolean
}

/** Growth up to this is no finding: an absolute amount, or a share of the level, whichever is more. */
export interface Allowance {
  amount: number
  share: number
}

const hour = 3_600_000
const minSamples = 6

/** The first samples of each process are left out; undefined where too few remain. */
export function trendOf(points: readonly Point[], warmUpMs: number): Trend | undefined {
  const processes = [...new Set(points.map(({ process }) => process))]
  const groups = processes.map((one) =>
    warm(
      points.filter(({ process }) => process === one),
      warmUpMs,
    ),
  )
  const used = groups.flat()
  const long = groups.filter(({ length }) => length >= minSamples)
  if (long.length === 0) return undefined
  const slopes = long.flatMap(slopesOf)
  const slope = median(slopes)
  const span = Math.max(...long.map(spanOf))
  return {
    level: median(used.map(({ value }) => value)),
    max: Math.max(...used.map(({ value }) => value)),
    perHour: slope * hour,
    growth: slope * span,
    isSteady: quantile(slopes, 0.25) > 0,
  }
}

export const isGrowing = ({ level, growth, isSteady }: Trend, { amount, share }: Allowance): boolean =>
  isSteady && growth > Math.max(amount, share * level)

function warm(group: readonly Point[], warmUpMs: number): Point[] {
  const begin = group[0]?.at ?? 0
  return group.filter(({ at }) => at - begin >= warmUpMs)
}

const spanOf = (group: readonly Point[]) => (group.at(-1)?.at ?? 0) - (group[0]?.at ?? 0)

function slopesOf(group: readonly Point[]): number[] {
  return group.flatMap((from, index) =>
    group.slice(index + 1).map((to) => (to.value - from.value) / Math.max(1, to.at - from.at)),
  )
}

/** Bytes on disk beside the calls that had been made by then. */
export interface Filling {
  calls: number
  bytes: number
}

/** Growth per call in each half: rows explain growth that stays the same per call. Undefined with too few calls. */
export function bytesPerCall(samples: readonly Filling[]): { first: number; second: number } | undefined {
  const [begin, middle, end] = [samples[0], samples[Math.floor(samples.length / 2)], samples.at(-1)]
  if (!begin || !middle || !end) return undefined
  const between = (from: Filling, to: Filling) => (to.bytes - from.bytes) / (to.calls - from.calls)
  const isEnough = middle.calls - begin.calls >= minCalls && end.calls - middle.calls >= minCalls
  return isEnough ? { first: between(begin, middle), second: between(middle, end) } : undefined
}

const minCalls = 20
