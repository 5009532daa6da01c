import {
  type EvaluationScore,
  type ScorecardAnswer,
  scoreOf,
  summed,
} from '../../../src/domain/intelligence/scorecard.ts'
import type { ResponseOf } from '../../kit/api.ts'
import type { GuideOf } from '../intelligence/guide.ts'

// Scoring of a call with a scorecard. The server computes the final score; the form previews it by the same rules.

export const answerWords: Record<ScorecardAnswer, string> = {
  YES: 'Yes',
  NO: 'No',
  EXCELLENT: 'Excellent',
  GOOD: 'Good',
  FAIR: 'Fair',
  POOR: 'Poor',
  VERY_POOR: 'Very poor',
  'N/A': 'N/A',
}

export type ScoreShown = Evaluated['score']

/** The result of one scorecard at the time of the evaluation. */
export type Evaluated = Evaluation['evaluations'][number]

export type Evaluation = ResponseOf<'/v1/calls/{call_id}/evaluations'>

export interface EvaluationDraft {
  feedback: string
  /** By position, across all categories. */
  answers: { answer: ScorecardAnswer; feedback: string }[]
}

type Scorecard = GuideOf<'scorecard'>

const questionsOf = ({ scorecard }: Scorecard) => scorecard.categories.flatMap(({ questions }) => questions)

/** Keeps previous answers to unchanged questions. */
export function evaluationDraft(card: Scorecard, before: Evaluated | undefined): EvaluationDraft {
  const old = before?.categories.flatMap(({ questions }) => questions) ?? []
  const answers = questionsOf(card).map(({ text, type }) => {
    const known = old.find((question) => question.text === text && question.type === type)
    return { answer: known?.answer ?? ('N/A' as const), feedback: known?.feedback ?? '' }
  })
  // The feedback of a generated evaluation explains a missing score.
  return { feedback: before?.reviewer_user_id == null ? '' : before.feedback, answers }
}

/**
 * Changing the AI answer removes its explanation, which would contradict the new answer; returning to the AI answer
 * restores it. Notes of a reviewer are kept.
 */
export function answered(
  given: EvaluationDraft['answers'][number],
  answer: ScorecardAnswer,
  engine: EvaluationDraft['answers'][number] | undefined,
): EvaluationDraft['answers'][number] {
  if (!engine) return { ...given, answer }
  const isPlain = given.feedback === '' || given.feedback === engine.feedback
  return { answer, feedback: !isPlain ? given.feedback : answer === engine.answer ? engine.feedback : '' }
}

/** Empty notes are omitted: the server rejects empty texts. */
export const evaluationRequest = ({ feedback, answers }: EvaluationDraft) => ({
  ...written(feedback),
  answers: answers.map((one) => ({ answer: one.answer, ...written(one.feedback) })),
})

const written = (feedback: string) => (feedback.trim() === '' ? {} : { feedback: feedback.trim() })

/** Total score and score by category. */
export function scoresOf(
  card: Scorecard,
  { answers }: EvaluationDraft,
): { whole: ScoreShown; categories: ScoreShown[] } {
  let place = 0
  const categories = card.scorecard.categories.map(({ questions }) => ({
    score: summed(questions.map((question) => ({ score: scoreOf(question, answers[place++]?.answer ?? 'N/A') }))),
  }))
  return { whole: shown(summed(categories)), categories: categories.map(({ score }) => shown(score)) }
}

const shown = ({ points, total, normalized }: EvaluationScore): ScoreShown => ({
  score_points: points,
  total_points: total,
  normalized_score: normalized,
})

/** Without counted answers there is no percentage. */
export const scoreWords = ({ score_points, total_points, normalized_score }: ScoreShown) =>
  total_points === 0 ? 'Not scored yet' : `${score_points} of ${total_points} points · ${normalized_score} %`

export const scoreColor = ({ total_points, normalized_score }: ScoreShown) =>
  total_points === 0 ? 'gray' : normalized_score >= 80 ? 'green' : normalized_score >= 50 ? 'yellow' : 'red'
