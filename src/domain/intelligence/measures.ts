import type { Answered, ratingAnswers } from './scorecard.ts'
import { sentimentOf } from './sentiment.ts'
import { saidBy, type Transcript, type Utterance } from './transcript.ts'

// Computed measures of a call and their ratings. The thresholds are a choice of the product; the figure is shown next
// to the rating.

export const measures = ['talk_ratio', 'longest_monologue', 'interruptions', 'hold_time', 'sentiment'] as const
export type Measure = (typeof measures)[number]

type Rating = Exclude<(typeof ratingAnswers)[number], 'N/A'>

const ratings = ['EXCELLENT', 'GOOD', 'FAIR', 'POOR', 'VERY_POOR'] as const satisfies readonly Rating[]

/** Upper bounds, inclusive: the first figure is excellent, the second good …, beyond the last very poor. */
const banded = (figure: number, bands: readonly [number, number, number, number]): Rating =>
  ratings[bands.findIndex((max) => figure <= max)] ?? 'VERY_POOR'

/** Null where the call has nothing to measure. */
export function measured(measure: Measure, transcript: Transcript, holdSeconds: number): Answered | null {
  const ours = saidBy(transcript, 'internal')
  const theirs = saidBy(transcript, 'external')
  switch (measure) {
    case 'talk_ratio': {
      const all = seconds(transcript.utterances)
      if (all === 0 || ours.length === 0 || theirs.length === 0) return null
      const share = seconds(ours) / all
      const feedback = `Our side spoke ${Math.round(100 * share)} % of the time`
      // Slightly more listening than talking is best; deviations in both directions lower the rating.
      return { answer: banded(Math.abs(share - 0.45), [0.1, 0.2, 0.3, 0.4]), feedback }
    }
    case 'longest_monologue': {
      if (ours.length === 0) return null
      const longest = longestTurn(transcript.utterances)
      return {
        answer: banded(longest, [30, 60, 90, 150]),
        feedback: `The longest speech took ${Math.round(longest)} seconds`,
      }
    }
    case 'interruptions': {
      if (ours.length === 0 || theirs.length === 0) return null
      const times = ours.filter((mine) => theirs.some((other) => cutsInto(mine, other))).length
      return { answer: banded(times, [0, 1, 3, 5]), feedback: `Our side cut in ${times} times` }
    }
    case 'hold_time':
      return { answer: banded(holdSeconds, [0, 30, 60, 180]), feedback: `${Math.round(holdSeconds)} seconds on hold` }
    case 'sentiment': {
      const moods = sentimentOf(transcript)?.map(({ value }) => value) ?? []
      if (moods.length === 0) return null
      const worst = moods.includes('NEGATIVE') ? 'NEGATIVE' : moods.includes('NEUTRAL') ? 'NEUTRAL' : 'POSITIVE'
      const answer = { POSITIVE: 'EXCELLENT', NEUTRAL: 'FAIR', NEGATIVE: 'POOR' } as const
      return { answer: answer[worst], feedback: `The mood outside: ${worst}` }
    }
  }
}

const seconds = (utterances: readonly Utterance[]) => utterances.reduce((sum, { start, end }) => sum + end - start, 0)

/** The longest time the internal side speaks before the external side does. */
export function longestTurn(utterances: readonly Utterance[]): number {
  let longest = 0
  let since: number | undefined
  for (const { speaker, start, end } of utterances) {
    since = speaker.side === 'external' ? undefined : (since ?? start)
    if (since !== undefined) longest = Math.max(longest, end - since)
  }
  return longest
}

/** Shorter overlaps, such as a word of agreement at the end of a sentence, do not count as interruptions. */
const leastOverlap = 0.5
const cutsInto = (mine: Utterance, other: Utterance) =>
  mine.start > other.start && other.end - mine.start >= leastOverlap
