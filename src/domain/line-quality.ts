import type { Quality } from './voice.ts'

/** `unknown`: nothing has arrived that could be judged. */
export type LineGrade = 'good' | 'fair' | 'poor' | 'unknown'

/** The limits of the phone app's own measurement, for both parts of the way. */
export function gradeOf(quality: Pick<Quality, 'lossPct' | 'jitterMs'> | null): LineGrade {
  if (!quality) return 'unknown'
  const { lossPct, jitterMs } = quality
  if (lossPct > 5 || jitterMs > 60) return 'poor'
  return lossPct > 1.5 || jitterMs > 30 ? 'fair' : 'good'
}
