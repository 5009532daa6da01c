import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import { type Answered, fits, questionsIn, ratingAnswers, scored } from '../../../domain/intelligence/scorecard.ts'
import { badRequest, notFound } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, oneOf } from '../../../http/schemas.ts'
import { userIdOf } from '../../accounts/index.ts'
import { loadCall, lockCall } from '../../calls/index.ts'
import { publish } from '../../publishing/index.ts'
import { findGuide } from '../guides/store.ts'
import { type Evaluated, findEvaluation, writeEvaluation } from './store.ts'
import { EvaluationView, evaluationView } from './view.ts'

const evaluate = route({
  method: 'PUT',
  path: '/v1/calls/:call_id/evaluations',
  summary: 'Evaluate a call, or correct its generated evaluation',
  description:
    'One answer per question of the scorecard, in its order. Points are computed from the answers; a generated ' +
    'evaluation with the same scorecard is replaced.',
  tag: 'Conversation intelligence',
  access: 'app',
  roles: ['owner', 'admin', 'supervisor'],
  feature: 'assist',
  params: Type.Object({ call_id: Id }),
  wrongParams: 400,
  load: ({ params, caller, services }) => loadCall({ params: { id: params.call_id }, caller, services }),
  body: Type.Object({
    scorecard_id: Id,
    feedback: Type.Optional(Type.String({ maxLength: 10_000 })),
    answers: Type.Array(
      Type.Object({
        answer: oneOf(['YES', 'NO', ...ratingAnswers]),
        feedback: Type.Optional(Type.String({ maxLength: 2_000 })),
      }),
      { maxItems: 1_000 },
    ),
  }),
  errors: [
    { status: 400, when: 'the scorecard is unknown, no agent took the call, or an answer does not match its question' },
  ],
  reply: { status: 200, body: EvaluationView },
  async handle({ body, loaded, caller, services }) {
    const { companyId } = caller
    const reviewer = userIdOf(caller)
    const reviewee = loaded.userId
    if (reviewee === null) throw badRequest('No agent took this call, so it cannot be evaluated')
    const card = await findGuide(services.db, companyId, body.scorecard_id)
    if (card?.kind !== 'scorecard') throw badRequest('`scorecard_id` is not a scorecard of the company')
    const scorecard = { name: card.name, ...card.document }
    const questions = questionsIn(scorecard)
    if (questions.length !== body.answers.length)
      throw badRequest(`\`answers\` must have ${questions.length} entries, one per question of the scorecard`)
    if (questions.some(({ type }, place) => !fits(type, body.answers[place]?.answer ?? ''))) {
      throw badRequest('Answer BINARY with YES, NO or N/A, RATING with EXCELLENT, GOOD, FAIR, POOR, VERY_POOR or N/A')
    }
    const answers = body.answers.map(({ answer, feedback = '' }): Answered => ({ answer, feedback }))
    const of: Evaluated = {
      ...scored(scorecard, answers),
      scorecard: { id: card.id, name: card.name, description: card.document.description },
      feedback: body.feedback ?? '',
      reviewee,
      reviewer,
    }
    return transaction(services.db, async (tx) => {
      const call = await lockCall(tx, companyId, loaded.id)
      if (!call) throw notFound()
      const at = services.clock.now()
      const before = await findEvaluation(tx, companyId, call.id)
      const others = (before?.evaluations ?? []).filter(({ scorecard: { id } }) => id !== card.id)
      const evaluation = await writeEvaluation(tx, companyId, call.id, {
        aiGenerated: false,
        createdAt: before?.createdAt ?? at,
        createdBy: before ? before.createdBy : reviewer,
        updatedAt: at,
        updatedBy: before ? reviewer : null,
        reviewedAt: at,
        evaluations: [...others, of],
      })
      const event = before ? 'call_evaluation.updated' : 'call_evaluation.created'
      await publish(services, tx, companyId, [{ kind: 'insight', event, call, evaluation, of }])
      return evaluationView(evaluation)
    })
  },
})

export const evaluationRoutes = [evaluate]
