import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { rowsFromJson } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { longestTurn } from '../../../domain/intelligence/measures.ts'
import type { Utterance } from '../../../domain/intelligence/transcript.ts'
import { talkTimes, transcriptWords } from '../../../domain/intelligence/transcript-words.ts'

// `transcript_word` has one row per distinct word of a transcript. A trigger deletes them with the transcript.

/** Called whenever a transcript is written. */
export async function indexTranscript(
  db: Db,
  companyId: CompanyId,
  callId: number,
  utterances: readonly Utterance[],
): Promise<void> {
  await db.deleteFrom('transcript_word').where('call_id', '=', callId).where('company_id', '=', companyId).execute()
  const words = JSON.stringify(transcriptWords(utterances).map((word) => ({ word })))
  await sql`insert into transcript_word (company_id, word, call_id)
    select cast(${companyId} as bigint), word, cast(${callId} as bigint)
    from ${rowsFromJson(db, words, { word: 'text' })}`.execute(db)
  const { internalMs, externalMs } = talkTimes(utterances)
  await db
    .updateTable('transcript')
    .set({
      internal_ms: internalMs,
      external_ms: externalMs,
      monologue_ms: Math.round(longestTurn(utterances) * 1_000),
    })
    .where('call_id', '=', callId)
    .where('company_id', '=', companyId)
    .execute()
}

/** Indexes a batch of transcripts that are older than the index; returns the last id, undefined at the end. */
export async function indexSomeTranscripts(db: Db, after: number, limit: number): Promise<number | undefined> {
  const rows = await db
    .selectFrom('transcript')
    .select(['id', 'company_id', 'call_id', 'utterances'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  for (const { company_id, call_id, utterances } of rows) {
    if (utterances !== null) await indexTranscript(db, company_id, call_id, JSON.parse(utterances))
  }
  return rows.length < limit ? undefined : rows.at(-1)?.id
}
