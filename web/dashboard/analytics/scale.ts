/** Round numbers from nought to at least `most`: three to five of them. */
export function stepsUpTo(most: number): number[] {
  const rough = most / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? 1)
  const whole = Number.isInteger(step) ? step : Math.ceil(step)
  const count = Math.max(1, Math.ceil(most / whole))
  return Array.from({ length: count + 1 }, (_, i) => i * whole)
}

const labelWidth = 46

/** Every how many bars there is room for a label. */
export function labelEvery(bars: number, width: number): number {
  if (bars === 0 || width === 0) return 1
  return Math.max(1, Math.ceil(bars / Math.max(1, Math.floor(width / labelWidth))))
}
