import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { Scored } from '../../../domain/intelligence/scorecard.ts'

/** Evaluation of a call by one scorecard, with a copy of the scorecard. */
export interface Evaluated extends Scored {
  scorecard: { id: number; name: string; description: string }
  feedback: string
  reviewee: number
  reviewer: number | null
}

export interface Evaluation {
  id: number
  callId: number
  aiGenerated: boolean
  createdAt: number
  updatedAt: number
  createdBy: number | null
  updatedBy: number | null
  reviewedAt: number | null
  evaluations: Evaluated[]
}

export type NewEvaluation = Omit<Evaluation, 'id' | 'callId'> & {
  /** Undefined: evaluated by a user. */
  engine?: string
}

export async function findEvaluation(db: Db, companyId: CompanyId, callId: number): Promise<Evaluation | undefined> {
  const row = await db
    .selectFrom('evaluation')
    .select(['id', 'ai_generated', 'content', 'created_at', 'updated_at', 'created_by', 'updated_by', 'reviewed_at'])
    .where('call_id', '=', callId)
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  return (
    row && {
      id: row.id,
      callId,
      aiGenerated: row.ai_generated === 1,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      createdBy: row.created_by,
      updatedBy: row.updated_by,
      reviewedAt: row.reviewed_at,
      evaluations: JSON.parse(row.content),
    }
  )
}

const columnsOf = (evaluation: NewEvaluation) => ({
  ai_generated: evaluation.aiGenerated ? (1 as const) : (0 as const),
  content: JSON.stringify(evaluation.evaluations),
  created_at: evaluation.createdAt,
  updated_at: evaluation.updatedAt,
  created_by: evaluation.createdBy,
  updated_by: evaluation.updatedBy,
  reviewed_at: evaluation.reviewedAt,
  engine: evaluation.engine ?? null,
})

/** Inserts or replaces the evaluation of the call. */
export async function writeEvaluation(
  db: Db,
  companyId: CompanyId,
  callId: number,
  evaluation: NewEvaluation,
): Promise<Evaluation> {
  const columns = columnsOf(evaluation)
  const { id } = await db
    .insertInto('evaluation')
    .values({ company_id: companyId, call_id: callId, ...columns })
    .onConflict((conflict) => conflict.column('call_id').doUpdateSet(columns))
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, callId, ...evaluation }
}

/** Deletes a generated evaluation; one by a user is kept. */
export async function deleteFoundEvaluation(db: Db, companyId: CompanyId, callId: number): Promise<void> {
  await db
    .deleteFrom('evaluation')
    .where('call_id', '=', callId)
    .where('ai_generated', '=', 1)
    .where('company_id', '=', companyId)
    .execute()
}
