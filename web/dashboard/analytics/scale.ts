/** Three to five round axis values from zero to at least `max`. */
export function stepsUpTo(max: number): number[] {
  const rough = max / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? 1)
  const whole = Number.isInteger(step) ? step : Math.ceil(step)
  const count = Math.max(1, Math.ceil(max / whole))
  return Array.from({ length: count + 1 }, (_, i) => i * whole)
}

const labelWidth = 46

/** Interval between bar labels that fits the width. */
export function labelEvery(bars: number, width: number): number {
  if (bars === 0 || width === 0) return 1
  return Math.max(1, Math.ceil(bars / Math.max(1, Math.floor(width / labelWidth))))
}
