import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { findInsight, type LiveTranscript } from '../results/store.ts'

/** Appends an utterance to the live transcript; only the process that runs the call writes it. */
export async function addUtterance(
  db: Db,
  companyId: CompanyId,
  callId: number,
  {
    language,
    engine,
    utterance,
  }: { language: string; engine: string; utterance: LiveTranscript['utterances'][number] },
  at: number,
): Promise<void> {
  const before = await findInsight(db, companyId, callId, 'live')
  // Results of a slow engine may arrive out of order.
  const utterances = [...(before?.content.utterances ?? []), utterance].toSorted((a, b) => a.at - b.at)
  const content = JSON.stringify({ language, utterances } satisfies LiveTranscript)
  await db
    .insertInto('insight')
    .values({ company_id: companyId, call_id: callId, kind: 'live', engine, content, created_at: at })
    .onConflict((conflict) => conflict.columns(['call_id', 'kind']).doUpdateSet({ content, engine }))
    .execute()
}
