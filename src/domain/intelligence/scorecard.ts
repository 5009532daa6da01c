import { byWords, type Finder } from './finder.ts'
import { type Measure, measured } from './measures.ts'
import type { Strictness } from './phrases.ts'
import { isEnglish, saidBy, type Transcript } from './transcript.ts'

export const binaryAnswers = ['YES', 'NO', 'N/A'] as const
export const ratingAnswers = ['EXCELLENT', 'GOOD', 'FAIR', 'POOR', 'VERY_POOR', 'N/A'] as const
export type ScorecardAnswer = (typeof binaryAnswers)[number] | (typeof ratingAnswers)[number]

export interface ScorecardQuestion {
  text: string
  type: 'BINARY' | 'RATING'
  points: number
  strictness: Strictness
  aiEnabled: boolean
  /** Example phrases for the answer yes. */
  phrases: readonly string[]
  /** Rating questions: the computed measure, without a model. */
  measure?: Measure
}

export interface Scorecard {
  name: string
  description: string
  categories: readonly { name: string; questions: readonly ScorecardQuestion[] }[]
}

export interface Answered {
  answer: ScorecardAnswer
  feedback: string
}

export interface EvaluationScore {
  points: number
  total: number
  /** 0 to 100. */
  normalized: number
}

export interface ScoredQuestion extends Omit<ScorecardQuestion, 'points' | 'phrases' | 'measure'>, Answered {
  score: EvaluationScore
}

export interface Scored {
  score: EvaluationScore
  categories: { name: string; score: EvaluationScore; questions: ScoredQuestion[] }[]
}

/** Rule-based criteria, in addition to the phrases. */
export interface Known {
  find?: Finder
  holdSeconds?: number
}

/** Answers only: points come from the scorecard, never from a model or a rule. By index, category after category. */
export function answersOf(transcript: Transcript, scorecard: Scorecard, known: Known = {}): Answered[] | null {
  if (saidBy(transcript, 'internal').length === 0) return null
  const { find = byWords(transcript), holdSeconds = 0 } = known
  const answers = questionsIn(scorecard).map((question) =>
    question.aiEnabled
      ? (measuredAnswer(transcript, question, holdSeconds) ?? answerOf(transcript, question, find))
      : notAnswered('To be answered by a person'),
  )
  return answers.every(({ answer }) => answer === 'N/A') ? null : answers
}

/** Computed answers do not depend on who answers the rest. */
export function measuredAnswer(
  transcript: Transcript,
  { type, measure }: Pick<ScorecardQuestion, 'type' | 'measure'>,
  holdSeconds: number,
): Answered | null {
  if (type !== 'RATING' || measure === undefined) return null
  return measured(measure, transcript, holdSeconds) ?? notAnswered('There is nothing to measure')
}

function answerOf(transcript: Transcript, { type, phrases, strictness }: ScorecardQuestion, find: Finder): Answered {
  if (type === 'RATING') return notAnswered('A rating needs a person or a language model')
  if (!isEnglish(transcript)) return notAnswered('Rules read English only')
  if (phrases.length === 0) return notAnswered('There is no example phrase to look for')
  const match = find(phrases, strictness)
  if (match === null) return { answer: 'NO', feedback: 'Nothing like the example phrases was said' }
  const quote = `“${match.clause}”`
  return match.negated ? notAnswered(`Said with a negation: ${quote}`) : { answer: 'YES', feedback: quote }
}

export const notAnswered = (feedback: string): Answered => ({ answer: 'N/A', feedback })

export const questionsIn = ({ categories }: Scorecard): ScorecardQuestion[] =>
  categories.flatMap(({ questions }) => questions)

const ratings: Partial<Record<ScorecardAnswer, number>> = { EXCELLENT: 4, GOOD: 3, FAIR: 2, POOR: 1, VERY_POOR: 0 }

/** Full points for YES, none for NO, quarters for a rating; N/A is excluded. */
export function scoreOf(
  { type, points }: Pick<ScorecardQuestion, 'type' | 'points'>,
  answer: ScorecardAnswer,
): EvaluationScore {
  if (answer === 'N/A') return summed([])
  const share = type === 'BINARY' ? Number(answer === 'YES') : (ratings[answer] ?? 0) / 4
  return normalized(Math.round(points * share), points)
}

export function scored(scorecard: Scorecard, answers: readonly Answered[]): Scored {
  let place = 0
  const categories = scorecard.categories.map(({ name, questions }) => {
    const answered = questions.map(({ points, phrases: _hidden, measure: _counted, ...question }): ScoredQuestion => {
      const given = answers[place++] ?? notAnswered('')
      return { ...question, ...given, score: scoreOf({ type: question.type, points }, given.answer) }
    })
    return { name, score: summed(answered), questions: answered }
  })
  return { score: summed(categories), categories }
}

/** Share of the points of a scorecard that answers must cover for a score. */
const minAnswered = 0.5

/**
 * An engine leaves questions open that it cannot answer, so that few answers would pass for a whole evaluation. Below the
 * minimum the answers are kept without a score (no points of none), and the feedback says why. A person's N/A is an answer.
 */
export function scoredByEngine(scorecard: Scorecard, answers: readonly Answered[]): Scored & { feedback: string } {
  const found = scored(scorecard, answers)
  const points = questionsIn(scorecard).reduce((sum, question) => sum + question.points, 0)
  if (found.score.total >= minAnswered * points) return { ...found, feedback: '' }
  const categories = found.categories.map((category) => ({ ...category, score: summed([]) }))
  return { score: summed([]), categories, feedback: notScored(found.score.total, points) }
}

const notScored = (answered: number, points: number) =>
  `Not scored: the answered questions are worth ${answered} of ${points} points, and a score requires ` +
  `${Math.round(100 * minAnswered)} %. A reviewer or a language model can answer the others.`

export function summed(parts: readonly { score: EvaluationScore }[]): EvaluationScore {
  const sum = (field: 'points' | 'total') => parts.reduce((all, { score }) => all + score[field], 0)
  return normalized(sum('points'), sum('total'))
}

const normalized = (points: number, total: number): EvaluationScore => ({
  points,
  total,
  normalized: total === 0 ? 0 : Math.round((100 * points) / total),
})

/** Whether an answer is valid for its question. */
export const fits = (type: ScorecardQuestion['type'], answer: string): boolean =>
  (type === 'BINARY' ? binaryAnswers : ratingAnswers).some((one) => one === answer)
