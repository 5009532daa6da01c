import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { RecognizedLine, Utterance } from '../../../domain/intelligence/transcript.ts'
import { indexTranscript } from '../across-calls/index-store.ts'
import type { SpeechLines } from './store.ts'

/** Hold times of the customer: speech during a hold is not part of the conversation. */
export async function holdsOn(
  db: Db,
  companyId: CompanyId,
  callId: number,
): Promise<{ from: number; until: number | null }[]> {
  const rows = await db
    .selectFrom('event')
    .select(['name', 'occurred_at'])
    .where('company_id', '=', companyId)
    .where('resource_key', '=', `call:${callId}`)
    .where('name', 'in', ['call.hold', 'call.unhold'])
    .orderBy('row_id')
    .execute()
  const holds: { from: number; until: number | null }[] = []
  for (const { name, occurred_at } of rows) {
    const last = holds.at(-1)
    if (name === 'call.hold') holds.push({ from: occurred_at, until: null })
    else if (last?.until === null) last.until = occurred_at
  }
  return holds
}

/** Appends to the lines recognized so far; a published transcript is not changed. */
export async function appendSpeechLines(
  db: Db,
  companyId: CompanyId,
  callId: number,
  recognized: SpeechLines,
): Promise<void> {
  const { sound, engine, language, lines } = recognized
  const before = await db
    .selectFrom('transcript')
    .select(['id', 'sound', 'heard', 'utterances'])
    .where('call_id', '=', callId)
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  if (!before) {
    const row = { company_id: companyId, call_id: callId, sound, engine, language, heard: JSON.stringify(lines) }
    await db
      .insertInto('transcript')
      .values({ ...row, utterances: null, created_at: null })
      .execute()
    return
  }
  if (before.sound !== sound || before.heard === null) return
  const known: RecognizedLine[] = JSON.parse(before.heard)
  await db
    .updateTable('transcript')
    .set({ engine, language, heard: JSON.stringify([...known, ...lines]) })
    .where('id', '=', before.id)
    .where('company_id', '=', companyId)
    .execute()
}

/** Engine of the transcript; undefined if there is none. */
export async function engineOfTranscript(db: Db, companyId: CompanyId, callId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('transcript')
    .select('engine')
    .where('call_id', '=', callId)
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  return row?.engine
}

export async function replaceTranscript(
  db: Db,
  companyId: CompanyId,
  callId: number,
  { sound, engine, language }: Omit<SpeechLines, 'lines'>,
  utterances: readonly Utterance[],
  at: number,
): Promise<void> {
  const row = { sound, engine, language, heard: null, utterances: JSON.stringify(utterances), created_at: at }
  await db
    .insertInto('transcript')
    .values({ company_id: companyId, call_id: callId, ...row })
    .onConflict((conflict) => conflict.column('call_id').doUpdateSet(row))
    .execute()
  await indexTranscript(db, companyId, callId, utterances)
}
