import type { Db } from '../../../db/database.ts'
import { idsFromJson, unindexed } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'

// Transcripts and results are deleted with the call or the recording they were made of.

/** Nothing that was made of a sound outlives it. What people wrote themselves stays. */
export async function deleteGeneratedInsights(
  db: Db,
  companyId: CompanyId,
  callId: number,
  sound: 'recording' | 'voicemail',
): Promise<void> {
  const gone = await db
    .deleteFrom('transcript')
    .where('call_id', '=', callId)
    .where('sound', '=', sound)
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  if (gone.numDeletedRows === 0n) return
  await db.deleteFrom('insight').where('call_id', '=', callId).where('company_id', '=', companyId).execute()
  for (const table of ['action_item', 'evaluation'] as const) {
    await db
      .deleteFrom(table)
      .where('call_id', '=', callId)
      .where('ai_generated', '=', 1)
      .where('company_id', '=', companyId)
      .execute()
  }
}

/** Everything about calls that go as a whole. */
export async function deleteInsights(db: Db, companyId: CompanyId, callIds: readonly number[]): Promise<void> {
  const these = idsFromJson(db, JSON.stringify(callIds)) as never
  const mine = unindexed('company_id')
  for (const table of ['transcript', 'insight', 'action_item', 'evaluation', 'call_review'] as const) {
    await db.deleteFrom(table).where('call_id', 'in', these).where(mine, '=', companyId).execute()
  }
}
