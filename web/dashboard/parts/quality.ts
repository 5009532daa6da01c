// The audio quality of a call, as the chart shows it.

export interface QualityFigures {
  loss_percent: number
  jitter_ms: number
  round_trip_ms: number | null
  mos: number
}

export interface LegQuality {
  party: 'customer' | 'agent' | 'supervisor' | 'external'
  user_id: number | null
  started_at: string
  ended_at: string
  received: (QualityFigures & { min_mos: number }) | null
  sent: (QualityFigures & { min_mos: number }) | null
  samples: { at: string; seconds: number; received: QualityFigures | null; sent: QualityFigures | null }[]
}

export type QualityMeasure = 'mos' | 'loss_percent' | 'jitter_ms' | 'round_trip_ms'

export const measures: Record<
  QualityMeasure,
  { label: string; unit: string; digits: number; axis: readonly number[] }
> = {
  mos: { label: 'MOS', unit: '', digits: 1, axis: [1, 2, 3, 4, 5] },
  loss_percent: { label: 'Packet loss', unit: ' %', digits: 1, axis: [0, 2, 5, 10, 20, 50, 100] },
  jitter_ms: { label: 'Jitter', unit: ' ms', digits: 0, axis: [0, 10, 20, 50, 100, 200, 500, 1_000] },
  round_trip_ms: { label: 'Round trip', unit: ' ms', digits: 0, axis: [0, 50, 100, 200, 400, 1_000, 2_000, 5_000] },
}

export function written(measure: QualityMeasure, value: number | null | undefined): string {
  if (value === null || value === undefined) return '–'
  const { unit, digits } = measures[measure]
  const minimumFractionDigits = measure === 'mos' ? digits : 0
  return `${value.toLocaleString(undefined, { minimumFractionDigits, maximumFractionDigits: digits })}${unit}`
}

export interface ChartPoint {
  /** Seconds since the start of the leg. */
  at: number
  received: number | null
  sent: number | null
}

export function chartPointsOf({ started_at, samples }: LegQuality, measure: QualityMeasure): ChartPoint[] {
  const start = Date.parse(started_at)
  return samples.map(({ at, received, sent }) => ({
    at: (Date.parse(at) - start) / 1_000,
    received: received?.[measure] ?? null,
    sent: sent?.[measure] ?? null,
  }))
}

/** The ends of the axis: fixed for MOS, otherwise the next round value above the highest. */
export function axisOf(measure: QualityMeasure, points: readonly ChartPoint[]): { from: number; to: number } {
  const { axis } = measures[measure]
  const from = axis[0] ?? 0
  if (measure === 'mos') return { from, to: axis.at(-1) ?? 5 }
  const highest = Math.max(0, ...points.flatMap(({ received, sent }) => [received ?? 0, sent ?? 0]))
  return { from, to: axis.find((step) => step > from && step >= highest) ?? highest }
}

/** Unbroken stretches of measured values, as SVG paths; a single value becomes a short line. */
export function pathsOf(
  points: readonly ChartPoint[],
  direction: 'received' | 'sent',
  x: (at: number) => number,
  y: (value: number) => number,
): string[] {
  const stretches: [number, number][][] = [[]]
  for (const point of points) {
    const value = point[direction]
    if (value === null) stretches.push([])
    else stretches.at(-1)?.push([x(point.at), y(value)])
  }
  return stretches
    .filter((stretch) => stretch.length > 0)
    .map((stretch) => {
      const [first = [0, 0]] = stretch
      const rest = stretch.length === 1 ? [[first[0] + 2, first[1]]] : stretch.slice(1)
      return `M${[first, ...rest].map(([px = 0, py = 0]) => `${px.toFixed(1)},${py.toFixed(1)}`).join('L')}`
    })
}

export const directionWords = { received: 'Received', sent: 'Sent' } as const

export type Grade = 'Good' | 'Fair' | 'Poor' | 'Bad'

/** The categories of ITU-T G.109, with its two best ones together. */
export function gradeOfMos(mos: number): Grade {
  if (mos >= 4) return 'Good'
  if (mos >= 3.6) return 'Fair'
  return mos >= 3.1 ? 'Poor' : 'Bad'
}
