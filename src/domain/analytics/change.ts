interface Difference {
  way: 'up' | 'down' | 'same'
  /** `+25 %`; without a value to compare with, `+3`. */
  words: string
}

const signed = (n: number, written: (value: number) => string) =>
  `${n > 0 ? '+' : n < 0 ? '−' : '±'}${written(Math.abs(n))}`
const plain = (value: number) => value.toLocaleString()

/** The change from the period before: in per cent, or in points where the figures are percentages. */
export function differenceOf(now: number, before: number, arePercentages = false, written = plain): Difference {
  const difference = now - before
  const way = difference > 0 ? 'up' : difference < 0 ? 'down' : 'same'
  if (arePercentages)
    return { way, words: signed(Math.round(difference), (points) => `${points} ${points === 1 ? 'point' : 'points'}`) }
  if (before === 0) return { way, words: signed(difference, written) }
  return { way, words: signed(Math.round((difference / before) * 100), (n) => `${plain(n)} %`) }
}
