import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { extendSeries, type QualityPoint } from '../../../domain/quality-series.ts'

/** The party at the far end of a leg, seen from this server. */
export type LegParty = 'customer' | 'agent' | 'supervisor' | 'external'

export interface LegQuality {
  callId: number
  leg: string
  party: LegParty
  userId: number | null
  startedAt: number
  updatedAt: number
  series: QualityPoint[]
}

/** Adds reports to those of the leg; another process may have stored the earlier ones. */
export async function addLegQuality(db: Db, companyId: CompanyId, quality: LegQuality): Promise<void> {
  const { callId, leg, party, userId, startedAt, updatedAt } = quality
  const before = await db
    .selectFrom('leg_quality')
    .select(['started_at', 'series'])
    .where('call_id', '=', callId)
    .where('leg', '=', leg)
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  const shift = before ? Math.round((startedAt - before.started_at) / 1_000) : 0
  const added = quality.series.map(([seconds, ...rest]): QualityPoint => [seconds + shift, ...rest])
  const series = JSON.stringify(extendSeries(before ? JSON.parse(before.series) : [], added))
  await db
    .insertInto('leg_quality')
    .values({
      call_id: callId,
      leg,
      company_id: companyId,
      party,
      user_id: userId,
      started_at: startedAt,
      updated_at: updatedAt,
      series,
    })
    .onConflict((conflict) => conflict.columns(['call_id', 'leg']).doUpdateSet({ updated_at: updatedAt, series }))
    .execute()
}

/** The legs of a call, in the order in which they were first measured. */
export async function legQualities(db: Db, companyId: CompanyId, callId: number): Promise<LegQuality[]> {
  const rows = await db
    .selectFrom('leg_quality')
    .select(['leg', 'party', 'user_id', 'started_at', 'updated_at', 'series'])
    .where('call_id', '=', callId)
    .where('company_id', '=', companyId)
    .orderBy('started_at')
    .orderBy('leg')
    .execute()
  return rows.map((row) => ({
    callId,
    leg: row.leg,
    party: row.party,
    userId: row.user_id,
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    series: JSON.parse(row.series),
  }))
}
