import type { GuideOf } from '../intelligence/guide.ts'

// Scoring of a call with a scorecard. The server computes the final score; the same rules here preview it in the form.
// A test compares both.

export const binaryAnswers = ['YES', 'NO', 'N/A'] as const
export const ratingAnswers = ['EXCELLENT', 'GOOD', 'FAIR', 'POOR', 'VERY_POOR', 'N/A'] as const
export type Answer = (typeof binaryAnswers)[number] | (typeof ratingAnswers)[number]

export const answerWords: Record<Answer, string> = {
  YES: 'Yes',
  NO: 'No',
  EXCELLENT: 'Excellent',
  GOOD: 'Good',
  FAIR: 'Fair',
  POOR: 'Poor',
  VERY_POOR: 'Very poor',
  'N/A': 'N/A',
}

export interface ScoreShown {
  score_points: number
  total_points: number
  normalized_score: number
}

export interface EvaluatedQuestion {
  text: string
  type: 'BINARY' | 'RATING'
  order: number
  strictness: number
  ai_enabled: boolean
  answer: Answer
  score: ScoreShown
  feedback: string
}

/** The result of one scorecard at the time of the evaluation. */
export interface Evaluated {
  scorecard: { name: string; description: string }
  feedback: string
  reviewee_user_id: number
  reviewer_user_id: number | null
  score: ScoreShown
  categories: { name: string; order: number; score: ScoreShown; questions: EvaluatedQuestion[] }[]
}

export interface Evaluation {
  id: number
  ai_generated: boolean
  created_at: string
  updated_at: string
  created_by: number | null
  updated_by: number | null
  reviewed_at: string | null
  evaluations: Evaluated[]
}

export interface Draft {
  feedback: string
  /** By position, across all categories. */
  answers: { answer: Answer; feedback: string }[]
}

type Scorecard = GuideOf<'scorecard'>

const questionsOf = ({ scorecard }: Scorecard) => scorecard.categories.flatMap(({ questions }) => questions)

/** Keeps previous answers to unchanged questions. */
export function draftOf(card: Scorecard, before: Evaluated | undefined): Draft {
  const old = before?.categories.flatMap(({ questions }) => questions) ?? []
  const answers = questionsOf(card).map(({ text, type }) => {
    const known = old.find((question) => question.text === text && question.type === type)
    return { answer: known?.answer ?? ('N/A' as const), feedback: known?.feedback ?? '' }
  })
  return { feedback: before?.feedback ?? '', answers }
}

/**
 * Changing the AI answer removes its explanation, which would contradict the new answer; returning to the AI answer
 * restores it. Notes of a reviewer are kept.
 */
export function answered(
  given: Draft['answers'][number],
  answer: Answer,
  engine: Draft['answers'][number] | undefined,
): Draft['answers'][number] {
  if (!engine) return { ...given, answer }
  const isPlain = given.feedback === '' || given.feedback === engine.feedback
  return { answer, feedback: !isPlain ? given.feedback : answer === engine.answer ? engine.feedback : '' }
}

/** Empty notes are omitted: the server rejects empty texts. */
export const bodyOf = ({ feedback, answers }: Draft) => ({
  ...written(feedback),
  answers: answers.map((one) => ({ answer: one.answer, ...written(one.feedback) })),
})

const written = (feedback: string) => (feedback.trim() === '' ? {} : { feedback: feedback.trim() })

const quarters: Partial<Record<Answer, number>> = { EXCELLENT: 4, GOOD: 3, FAIR: 2, POOR: 1, VERY_POOR: 0 }

/** Full points for YES, none for NO, quarters for a rating; N/A is not counted. */
export function scoreOf({ type, points }: { type: 'BINARY' | 'RATING'; points: number }, answer: Answer): ScoreShown {
  if (answer === 'N/A') return summed([])
  const share = type === 'BINARY' ? Number(answer === 'YES') : (quarters[answer] ?? 0) / 4
  return normalized(Math.round(points * share), points)
}

/** Total score and score by category. */
export function scoresOf(card: Scorecard, { answers }: Draft): { whole: ScoreShown; categories: ScoreShown[] } {
  let place = 0
  const categories = card.scorecard.categories.map(({ questions }) =>
    summed(questions.map((question) => scoreOf(question, answers[place++]?.answer ?? 'N/A'))),
  )
  return { whole: summed(categories), categories }
}

function summed(parts: readonly ScoreShown[]): ScoreShown {
  const sum = (field: 'score_points' | 'total_points') => parts.reduce((all, part) => all + part[field], 0)
  return normalized(sum('score_points'), sum('total_points'))
}

const normalized = (points: number, total: number): ScoreShown => ({
  score_points: points,
  total_points: total,
  normalized_score: total === 0 ? 0 : Math.round((100 * points) / total),
})

/** Without counted answers there is no percentage. */
export const scoreWords = ({ score_points, total_points, normalized_score }: ScoreShown) =>
  total_points === 0 ? 'Not scored yet' : `${score_points} of ${total_points} points · ${normalized_score} %`

export const scoreColor = ({ total_points, normalized_score }: ScoreShown) =>
  total_points === 0 ? 'gray' : normalized_score >= 80 ? 'green' : normalized_score >= 50 ? 'yellow' : 'red'
