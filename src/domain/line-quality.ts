import type { Quality } from './voice.ts'

/** `unknown`: no media has arrived to measure. */
export type LineGrade = 'good' | 'fair' | 'poor' | 'unknown'

/** The thresholds of the phone app's own measurement, applied to both directions. */
export function gradeOf(quality: Pick<Quality, 'lossPct' | 'jitterMs'> | null): LineGrade {
  if (!quality) return 'unknown'
  const { lossPct, jitterMs } = quality
  if (lossPct > 5 || jitterMs > 60) return 'poor'
  return lossPct > 1.5 || jitterMs > 30 ? 'fair' : 'good'
}
