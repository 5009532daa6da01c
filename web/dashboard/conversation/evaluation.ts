import type { GuideOf } from '../intelligence/guide.ts'

// A call measured by a scorecard. The server has the last word on points; these are the same rules, so that whoever
// answers sees at once what comes of it. A test compares both.

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

/** By one scorecard, as that was at the time. */
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
  /** By place, category after category. */
  answers: { answer: Answer; feedback: string }[]
}

type Scorecard = GuideOf<'scorecard'>

const questionsOf = ({ scorecard }: Scorecard) => scorecard.categories.flatMap(({ questions }) => questions)

/** What was answered before, where the question still reads the same. */
export function draftOf(card: Scorecard, before: Evaluated | undefined): Draft {
  const old = before?.categories.flatMap(({ questions }) => questions) ?? []
  const answers = questionsOf(card).map(({ text, type }) => {
    const known = old.find((question) => question.text === text && question.type === type)
    return { answer: known?.answer ?? ('N/A' as const), feedback: known?.feedback ?? '' }
  })
  return { feedback: before?.feedback ?? '', answers }
}

/**
 * Another answer than the engine's drops the engine's reason, which would contradict it; coming back to the engine's
 * answer brings it back. What a person wrote stays.
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

/** What nobody wrote is left out: the server takes no empty text. */
export const bodyOf = ({ feedback, answers }: Draft) => ({
  ...written(feedback),
  answers: answers.map((one) => ({ answer: one.answer, ...written(one.feedback) })),
})

const written = (feedback: string) => (feedback.trim() === '' ? {} : { feedback: feedback.trim() })

const quarters: Partial<Record<Answer, number>> = { EXCELLENT: 4, GOOD: 3, FAIR: 2, POOR: 1, VERY_POOR: 0 }

/** Full points for YES, none for NO, quarters for a rating; what is N/A does not count at all. */
export function scoreOf({ type, points }: { type: 'BINARY' | 'RATING'; points: number }, answer: Answer): ScoreShown {
  if (answer === 'N/A') return summed([])
  const share = type === 'BINARY' ? Number(answer === 'YES') : (quarters[answer] ?? 0) / 4
  return normalized(Math.round(points * share), points)
}

/** Of the whole, and of each category. */
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

/** Nothing counted: a percentage would read like a verdict. */
export const scoreWords = ({ score_points, total_points, normalized_score }: ScoreShown) =>
  total_points === 0 ? 'Nothing counted yet' : `${score_points} of ${total_points} points · ${normalized_score} %`

export const scoreColor = ({ total_points, normalized_score }: ScoreShown) =>
  total_points === 0 ? 'gray' : normalized_score >= 80 ? 'green' : normalized_score >= 50 ? 'yellow' : 'red'
