import type { Segment } from '../intelligence/engines.ts'

/** Recorded intervals. Nothing is recorded during a pause; `until` is null when the recording lasted to the end. */
export interface RecordingTimeline {
  /** Wall clock in ms, like all fields but the offset. */
  startedAt: number
  pauses: readonly { offsetMs: number; from: number; until: number | null }[]
}

/** The wall-clock time at an offset of the recording. */
export function timeOf({ startedAt, pauses }: RecordingTimeline, offsetMs: number): number {
  const paused = pauses.filter((pause) => pause.offsetMs <= offsetMs)
  return startedAt + offsetMs + paused.reduce((sum, { from, until }) => sum + Math.max(0, (until ?? from) - from), 0)
}

/** The offset in the recording at a time; during a pause, the offset of the pause. */
export function offsetOf({ startedAt, pauses }: RecordingTimeline, at: number): number {
  let lost = 0
  for (const { offsetMs, from, until } of pauses) {
    if (at < from) break
    if (until === null || at < until) return offsetMs
    lost += until - from
  }
  return Math.max(0, at - startedAt - lost)
}

/** A wall-clock interval, as a span of the recording. */
export const spanOf = (timeline: RecordingTimeline, from: number, until: number): Segment => ({
  startMs: offsetOf(timeline, from),
  endMs: offsetOf(timeline, until),
})
