import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { readApart } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { CoachingFacts } from '../../../domain/intelligence/coaching.ts'
import type { ParticipantMood } from '../../../domain/intelligence/sentiment.ts'
import { narrowedBy } from '../../analytics/index.ts'
import type { Evaluated } from '../evaluations/store.ts'
import type { Contents } from '../results/store.ts'
import type { CallsAsked } from './store.ts'

export interface Review {
  note: string | null
  /** Null: by an API key. */
  by: number | null
  at: number
}

export interface CoachingCall {
  id: number
  at: number
  facts: CoachingFacts
  review: Review | null
}

interface Row {
  id: number
  at: number
  internal_ms: number | null
  external_ms: number | null
  monologue_ms: number | null
  moods: string | null
  csat: string | null
  evaluations: string | null
  handovers: number
  overdue: number
  reviewed_at: number | null
  reviewed_by: number | null
  note: string | null
}

const batch = 1_000

/** Transcribed calls of the period, in batches along the index of their time, with all that coaching looks at. */
export async function* coachingCallsIn(
  db: Db,
  companyId: CompanyId,
  asked: CallsAsked,
  { isReviewed, overdueBefore }: { isReviewed: boolean; overdueBefore: number },
): AsyncGenerator<CoachingCall[]> {
  const result = (kind: 'sentiment' | 'csat') =>
    sql`(select i.content from insight as i where i.call_id = c.id and i.kind = ${sql.lit(kind)})`
  for (let after = { at: asked.from, id: 0 }; ; ) {
    const rows = await readApart(
      db,
      sql<Row>`select c.id as id, c.started_at as at, t.internal_ms as internal_ms, t.external_ms as external_ms,
          t.monologue_ms as monologue_ms, ${result('sentiment')} as moods, ${result('csat')} as csat,
          (select e.content from evaluation as e where e.call_id = c.id) as evaluations,
          cast((select count(*) from call_party as p where p.call_id = c.id and p.way = 'transfer')
            + (select count(*) from ai_agent_session as s where s.call_id = c.id and s.end_reason = 'escalated')
            as bigint) as handovers,
          (select cast(count(*) as bigint) from action_item as i
            where i.call_id = c.id and i.done_at is null and i.created_at < ${overdueBefore}) as overdue,
          r.reviewed_at as reviewed_at, r.reviewed_by as reviewed_by, r.note as note
        from call as c join transcript as t on t.call_id = c.id left join call_review as r on r.call_id = c.id
        where c.company_id = ${companyId} and (c.started_at, c.id) > (${after.at}, ${after.id})
          and c.started_at >= ${asked.from} and c.started_at < ${asked.to} ${narrowedBy(db, asked, 'c.')}
          and t.utterances is not null
          and r.call_id is ${isReviewed ? sql`not null` : sql`null`}
        order by c.started_at, c.id limit ${batch}`.compile(db),
    )
    if (rows.length > 0) yield rows.map(toCall)
    const last = rows.at(-1)
    if (!last || rows.length < batch) return
    after = { at: last.at, id: last.id }
  }
}

function toCall(row: Row): CoachingCall {
  const moods: ParticipantMood[] = JSON.parse(row.moods ?? '[]')
  const csat: Contents['csat'] | null = JSON.parse(row.csat ?? 'null')
  const evaluations: Evaluated[] = JSON.parse(row.evaluations ?? '[]')
  return {
    id: row.id,
    at: row.at,
    facts: {
      scores: evaluations.filter(({ score }) => score.total > 0).map(({ score }) => score.normalized),
      moods: moods.map(({ value }) => value),
      csat: csat?.score ?? null,
      handovers: row.handovers,
      internalMs: row.internal_ms,
      externalMs: row.external_ms,
      monologueMs: row.monologue_ms,
      overdueItems: row.overdue,
    },
    review: row.reviewed_at === null ? null : { note: row.note, by: row.reviewed_by, at: row.reviewed_at },
  }
}

/** Null: no longer reviewed. */
export async function saveReview(db: Db, companyId: CompanyId, callId: number, review: Review | null): Promise<void> {
  if (!review) {
    await db.deleteFrom('call_review').where('call_id', '=', callId).where('company_id', '=', companyId).execute()
    return
  }
  const columns = { note: review.note, reviewed_by: review.by, reviewed_at: review.at }
  await db
    .insertInto('call_review')
    .values({ call_id: callId, company_id: companyId, ...columns })
    .onConflict((conflict) => conflict.column('call_id').doUpdateSet(columns))
    .execute()
}
