import { type Static, Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import {
  type CoachingReason,
  coachingReasons,
  coachingReasonsOf,
  coachingWeight,
  overdueMs,
} from '../../../domain/intelligence/coaching.ts'
import { notFound } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nullable, oneOf, Timestamp, text } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import { actorOf, audit, type User, userIdOf, usersById } from '../../accounts/index.ts'
import { periodErrors } from '../../analytics/index.ts'
import { loadCall, lockCall } from '../../calls/index.ts'
import { askedFields, askedIn, callSummariesOf, readers } from './asked.ts'
import { type CoachingCall, coachingCallsIn, type Review, saveReview } from './coaching-store.ts'
import { CallSummary, userName } from './view.ts'

/** A list for the next days, not an archive. */
const maxShown = 50

const ReviewView = Type.Object({
  note: nullable(Type.String()),
  reviewed_by: nullable(Type.String({ description: 'Name of the user; null for an API key or a deleted user' })),
  reviewed_at: Timestamp,
})

const reviewView = ({ note, by, at }: Review, users: ReadonlyMap<number, User>): Static<typeof ReviewView> => ({
  note,
  reviewed_by: userName(by === null ? undefined : users.get(by)),
  reviewed_at: isoSeconds(at),
})

const Reason = oneOf(coachingReasons)

const listCalls = route({
  ...readers,
  method: 'GET',
  path: '/v1/intelligence/coaching',
  summary: 'List calls that are worth listening to with the agent',
  description: `Transcribed calls with at least one reason, those with the most serious reasons first; at most ${maxShown}.`,
  query: Type.Object({
    ...askedFields,
    reason: Type.Optional(Type.Array(Reason, { maxItems: coachingReasons.length, description: 'Any of these' })),
    reviewed: Type.Optional(Type.Boolean({ description: '`true`: those that are reviewed, the latest first' })),
  }),
  errors: periodErrors,
  reply: {
    status: 200,
    body: Type.Object({
      calls: Type.Array(
        Type.Object({
          call: CallSummary,
          reasons: Type.Array(
            Type.Object({
              kind: Reason,
              value: nullable(
                Type.Integer({ description: 'Score, CSAT, number of handovers or action items, seconds, or per cent' }),
              ),
            }),
          ),
          review: nullable(ReviewView),
        }),
      ),
      total: Type.Integer({ description: 'Number of calls, also those that are not shown' }),
    }),
  },
  async handle({ query, caller: { companyId }, services }) {
    const { db, clock } = services
    const now = clock.now()
    const { asked } = askedIn(query, now)
    const isReviewed = query.reviewed === true
    const found: Ranked[] = []
    let total = 0
    for await (const batch of coachingCallsIn(db, companyId, asked, { isReviewed, overdueBefore: now - overdueMs })) {
      for (const call of batch) {
        const reasons = coachingReasonsOf(call.facts)
        const { reason: wanted } = query
        if (wanted ? !reasons.some(({ kind }) => wanted.includes(kind)) : reasons.length === 0 && !isReviewed) continue
        total++
        found.push({ ...call, reasons, weight: coachingWeight(reasons) })
      }
      found.sort(isReviewed ? byReview : byWeight)
      found.length = Math.min(found.length, maxShown)
    }
    const calls = await callSummariesOf(
      services,
      companyId,
      found.map(({ id }) => id),
    )
    const reviewers = found.flatMap(({ review }) => review?.by ?? [])
    const users = await usersById(db, companyId, reviewers)
    return {
      calls: found.flatMap(({ id, reasons, review }) => {
        const call = calls.get(id)
        return call ? [{ call, reasons, review: review && reviewView(review, users) }] : []
      }),
      total,
    }
  },
})

interface Ranked extends CoachingCall {
  reasons: CoachingReason[]
  weight: number
}

const byWeight = (a: Ranked, b: Ranked) => b.weight - a.weight || b.at - a.at || b.id - a.id
const byReview = (a: Ranked, b: Ranked) => (b.review?.at ?? 0) - (a.review?.at ?? 0) || b.id - a.id

const reviewCall = route({
  ...readers,
  method: 'PUT',
  path: '/v1/intelligence/coaching/:id',
  summary: 'Mark a call of the coaching list as reviewed, or reopen it',
  params: Type.Object({ id: Id }),
  load: ({ params, caller, services }) => loadCall({ params, caller, services }),
  body: Type.Object({
    reviewed: Type.Boolean(),
    note: Type.Optional(nullable(text(2_000, { description: 'For supervisors; deleted when the call is reopened' }))),
  }),
  reply: { status: 200, body: Type.Object({ review: nullable(ReviewView) }) },
  async handle({ loaded, body, caller, services, address }) {
    const { companyId } = caller
    const by = userIdOf(caller)
    const note = body.note?.trim() || null
    const review = body.reviewed ? { note, by, at: services.clock.now() } : null
    await transaction(services.db, async (tx) => {
      if (!(await lockCall(tx, companyId, loaded.id))) throw notFound()
      await saveReview(tx, companyId, loaded.id, review)
      const action = review ? 'call.reviewed' : 'call.review_removed'
      await audit(services, tx, companyId, { actor: actorOf(caller), action, target: `call:${loaded.id}`, address })
    })
    const users = await usersById(services.db, companyId, by === null ? [] : [by])
    return { review: review && reviewView(review, users) }
  },
})

export const coachingRoutes = [listCalls, reviewCall]
