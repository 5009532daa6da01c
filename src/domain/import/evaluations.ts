import { binaryAnswers, type EvaluationScore, ratingAnswers, type Scored } from '../intelligence/scorecard.ts'
import type { UserIds } from './results.ts'
import { nestedId, oneOfSource, type SourceObject, sourceList, sourceObject, sourceText, sourceTime } from './values.ts'

export function evaluationFromSource(evaluation: SourceObject, users: UserIds) {
  const user = (value: unknown) => users.get(nestedId(value) ?? '') ?? null
  const createdAt = sourceTime(evaluation.created_at)
  if (createdAt === null) return undefined
  const evaluations = sourceList(evaluation.evaluations).flatMap((one) => {
    const reviewee = user(one.reviewee_user_id)
    const card = sourceObject(one.scorecard)
    if (reviewee === null) return []
    return [
      {
        scorecard: {
          id: 0,
          name: sourceText(card.name) ?? 'Scorecard',
          description: sourceText(card.description) ?? '',
        },
        feedback: sourceText(one.feedback) ?? '',
        reviewee,
        reviewer: user(one.reviewer_user_id),
        score: scoreIn(one.score),
        categories: sourceList(one.categories).map(categoryIn),
      },
    ]
  })
  if (evaluations.length === 0) return undefined
  return {
    aiGenerated: evaluation.ai_generated === true,
    createdAt,
    updatedAt: sourceTime(evaluation.updated_at) ?? createdAt,
    createdBy: user(evaluation.created_by),
    updatedBy: user(evaluation.updated_by),
    reviewedAt: sourceTime(evaluation.reviewed_at),
    evaluations,
  }
}

const categoryIn = (category: SourceObject): Scored['categories'][number] => ({
  name: sourceText(category.name) ?? '',
  score: scoreIn(category.score),
  questions: sourceList(category.questions).map((question) => ({
    text: sourceText(question.text) ?? '',
    type: question.type === 'RATING' ? 'RATING' : 'BINARY',
    strictness: question.strictness === 0 || question.strictness === 2 ? question.strictness : 1,
    aiEnabled: question.ai_enabled === true,
    answer: oneOfSource(question.answer, [...binaryAnswers, ...ratingAnswers]) ?? 'N/A',
    feedback: sourceText(question.feedback) ?? '',
    score: scoreIn(question.score),
  })),
})

function scoreIn(value: unknown): EvaluationScore {
  const score = sourceObject(value)
  const whole = (one: unknown) => (typeof one === 'number' && Number.isInteger(one) ? one : 0)
  return {
    points: whole(score.score_points),
    total: whole(score.total_points),
    normalized: whole(score.normalized_score),
  }
}
