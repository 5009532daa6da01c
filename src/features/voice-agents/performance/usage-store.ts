import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { UsagePurpose } from '../../../domain/intelligence/engines.ts'

// Requests to language models, per day, purpose, AI agent and model. No content.

export interface AiUse {
  /** UTC, as YYYY-MM-DD. */
  day: string
  purpose: UsagePurpose
  agentId: string | null
  model: string
  requests: number
  failed: number
  inputTokens: number
  outputTokens: number
  /** In the currency of the prices; null: no price is set. */
  cost: number | null
}

export async function addUse(db: Db, companyId: CompanyId, use: AiUse): Promise<void> {
  const priced = use.cost === null ? 0 : use.requests
  await db
    .insertInto('ai_usage')
    .values({
      company_id: companyId,
      day: use.day,
      purpose: use.purpose,
      agent_id: use.agentId ?? '',
      model: use.model,
      requests: use.requests,
      failed: use.failed,
      input_tokens: use.inputTokens,
      output_tokens: use.outputTokens,
      priced,
      cost: use.cost ?? 0,
    })
    .onConflict((conflict) =>
      conflict.columns(['company_id', 'day', 'purpose', 'agent_id', 'model']).doUpdateSet({
        requests: sql`ai_usage.requests + excluded.requests`,
        failed: sql`ai_usage.failed + excluded.failed`,
        input_tokens: sql`ai_usage.input_tokens + excluded.input_tokens`,
        output_tokens: sql`ai_usage.output_tokens + excluded.output_tokens`,
        priced: sql`ai_usage.priced + excluded.priced`,
        cost: sql`ai_usage.cost + excluded.cost`,
      }),
    )
    .execute()
}

export interface UseSums {
  requests: number
  failed: number
  inputTokens: number
  outputTokens: number
  /** Null: no request had a price. */
  cost: number | null
}

/** Sums per purpose and AI agent, since a day. */
export async function useSince(
  db: Db,
  companyId: CompanyId,
  since: string,
): Promise<(UseSums & { purpose: UsagePurpose; agentId: string | null })[]> {
  const rows = await db
    .selectFrom('ai_usage')
    .select(['purpose', 'agent_id'])
    .select(({ fn }) => [
      fn.sum<number>('requests').as('requests'),
      fn.sum<number>('failed').as('failed'),
      fn.sum<number>('input_tokens').as('input_tokens'),
      fn.sum<number>('output_tokens').as('output_tokens'),
      fn.sum<number>('priced').as('priced'),
      fn.sum<number>('cost').as('cost'),
    ])
    .where('company_id', '=', companyId)
    .where('day', '>=', since)
    .groupBy(['purpose', 'agent_id'])
    .execute()
  return rows.map((row) => ({
    purpose: row.purpose,
    agentId: row.agent_id === '' ? null : row.agent_id,
    requests: Number(row.requests),
    failed: Number(row.failed),
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    cost: Number(row.priced) === 0 ? null : Number(row.cost),
  }))
}

export const deleteUseBefore = (db: Db, companyId: CompanyId, day: string) =>
  db.deleteFrom('ai_usage').where('company_id', '=', companyId).where('day', '<', day).execute()
