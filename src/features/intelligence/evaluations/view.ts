import { type Static, Type } from 'typebox'
import { type EvaluationScore, ratingAnswers } from '../../../domain/intelligence/scorecard.ts'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import type { Evaluated, Evaluation } from './store.ts'

const ScoreView = Type.Object({
  score_points: Type.Integer(),
  total_points: Type.Integer(),
  normalized_score: Type.Integer({ minimum: 0, maximum: 100 }),
})

const common = {
  call_id: Type.Integer(),
  ai_generated: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
  created_by: nullable(Type.Integer({ description: 'Null if generated' })),
  updated_by: nullable(Type.Integer()),
}

export const EvaluationView = Type.Object({
  id: Type.Integer(),
  ...common,
  reviewed_at: nullable(Timestamp),
  evaluations: Type.Array(
    Type.Object({
      scorecard: Type.Object({ name: Type.String(), description: Type.String() }),
      feedback: Type.String(),
      reviewee_user_id: Type.Integer(),
      reviewer_user_id: nullable(Type.Integer({ description: 'Null if generated' })),
      score: ScoreView,
      categories: Type.Array(
        Type.Object({
          name: Type.String(),
          order: Type.Integer({ minimum: 1 }),
          score: ScoreView,
          questions: Type.Array(
            Type.Object({
              text: Type.String(),
              type: oneOf(['BINARY', 'RATING']),
              order: Type.Integer({ minimum: 1 }),
              strictness: Type.Integer({ minimum: 0, maximum: 2 }),
              ai_enabled: Type.Boolean(),
              answer: oneOf(['YES', 'NO', ...ratingAnswers]),
              score: ScoreView,
              feedback: Type.String(),
            }),
          ),
        }),
      ),
    }),
  ),
})

const scoreView = ({ points, total, normalized }: EvaluationScore): Static<typeof ScoreView> => ({
  score_points: points,
  total_points: total,
  normalized_score: normalized,
})

const commonView = (evaluation: Evaluation) => ({
  call_id: evaluation.callId,
  ai_generated: evaluation.aiGenerated,
  created_at: isoMillis(evaluation.createdAt),
  updated_at: isoMillis(evaluation.updatedAt),
  created_by: evaluation.createdBy,
  updated_by: evaluation.updatedBy,
})

export const evaluationView = (evaluation: Evaluation): Static<typeof EvaluationView> => ({
  id: evaluation.id,
  ...commonView(evaluation),
  reviewed_at: evaluation.reviewedAt === null ? null : isoMillis(evaluation.reviewedAt),
  evaluations: evaluation.evaluations.map(({ scorecard, feedback, reviewee, reviewer, score, categories }) => ({
    scorecard: { name: scorecard.name, description: scorecard.description },
    feedback,
    reviewee_user_id: reviewee,
    reviewer_user_id: reviewer,
    score: scoreView(score),
    categories: categories.map((category, place) => ({
      name: category.name,
      order: place + 1,
      score: scoreView(category.score),
      questions: category.questions.map((question, at) => ({
        text: question.text,
        type: question.type,
        order: at + 1,
        strictness: question.strictness,
        ai_enabled: question.aiEnabled,
        answer: question.answer,
        score: scoreView(question.score),
        feedback: question.feedback,
      })),
    })),
  })),
})

export const EventEvaluation = Type.Object({
  ...common,
  scorecard_name: Type.String(),
  reviewee_id: Type.Integer(),
  reviewer_id: nullable(Type.Integer()),
})

/** Short form for webhooks, one per scorecard. */
export const eventEvaluation = (evaluation: Evaluation, of: Evaluated): Static<typeof EventEvaluation> => ({
  ...commonView(evaluation),
  scorecard_name: of.scorecard.name,
  reviewee_id: of.reviewee,
  reviewer_id: of.reviewer,
})
