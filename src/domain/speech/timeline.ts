import type { Segment } from '../intelligence/engines.ts'

/** When what was recorded was recorded. In a pause nothing is; `until` is null when it lasted to the end. */
export interface Timeline {
  /** Of the wall clock, in ms, like all of these but the offset. */
  startedAt: number
  pauses: readonly { offsetMs: number; from: number; until: number | null }[]
}

/** When that was, which lies so far into the recording. */
export function timeOf({ startedAt, pauses }: Timeline, offsetMs: number): number {
  const paused = pauses.filter((pause) => pause.offsetMs <= offsetMs)
  return startedAt + offsetMs + paused.reduce((sum, { from, until }) => sum + Math.max(0, (until ?? from) - from), 0)
}

/** Where in the recording that moment lies; one in a pause is where the pause is. */
export function offsetOf({ startedAt, pauses }: Timeline, at: number): number {
  let lost = 0
  for (const { offsetMs, from, until } of pauses) {
    if (at < from) break
    if (until === null || at < until) return offsetMs
    lost += until - from
  }
  return Math.max(0, at - startedAt - lost)
}

/** From then to then, as a span of the recording. */
export const spanOf = (timeline: Timeline, from: number, until: number): Segment => ({
  startMs: offsetOf(timeline, from),
  endMs: offsetOf(timeline, until),
})
