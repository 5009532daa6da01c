import type { Db } from '../../../db/database.ts'
import type { CompanyId, InsightTable } from '../../../db/tables.ts'
import type { SectionResult } from '../../../domain/intelligence/custom-summary.ts'
import type { ParticipantMood } from '../../../domain/intelligence/sentiment.ts'
import type { SuggestedBy } from '../../../domain/intelligence/suggestions.ts'
import type { RecognizedLine, TimeOnCall, Utterance } from '../../../domain/intelligence/transcript.ts'
import { indexTranscript } from '../across-calls/index-store.ts'

/** Transcript of a call or voicemail. */
export interface StoredTranscript {
  id: number
  callId: number
  sound: 'recording' | 'voicemail'
  language: string
  utterances: Utterance[]
  createdAt: number
}

export interface SpeechLines {
  sound: StoredTranscript['sound']
  engine: string
  language: string
  lines: readonly RecognizedLine[]
}

/** The first audio of a call, recording or voicemail, is the one transcribed. */
export async function insertSpeechLines(
  db: Db,
  companyId: CompanyId,
  callId: number,
  recognized: SpeechLines,
): Promise<void> {
  const { sound, engine, language, lines } = recognized
  const row = { company_id: companyId, call_id: callId, sound, engine, language, heard: JSON.stringify(lines) }
  await db
    .insertInto('transcript')
    .values({ ...row, utterances: null, created_at: null })
    .onConflict((conflict) => conflict.column('call_id').doNothing())
    .execute()
}

const transcriptRow = (db: Db, companyId: CompanyId, callId: number) =>
  db
    .selectFrom('transcript')
    .select(['id', 'call_id', 'sound', 'language', 'heard', 'utterances', 'created_at'])
    .where('call_id', '=', callId)
    .where('company_id', '=', companyId)
    .executeTakeFirst()

/** Recognized lines without a transcript yet; undefined if there are none. */
export async function findSpeechLines(
  db: Db,
  companyId: CompanyId,
  callId: number,
): Promise<RecognizedLine[] | undefined> {
  const row = await transcriptRow(db, companyId, callId)
  return row?.heard == null ? undefined : JSON.parse(row.heard)
}

export async function findTranscript(
  db: Db,
  companyId: CompanyId,
  callId: number,
): Promise<StoredTranscript | undefined> {
  const row = await transcriptRow(db, companyId, callId)
  if (row?.utterances == null) return undefined
  const { id, call_id, sound, language, utterances, created_at } = row
  return { id, callId: call_id, sound, language, utterances: JSON.parse(utterances), createdAt: created_at ?? 0 }
}

/** Turns the recognized lines into the transcript, once. */
export async function writeTranscript(
  db: Db,
  companyId: CompanyId,
  callId: number,
  utterances: readonly Utterance[],
  at: number,
): Promise<void> {
  await db
    .updateTable('transcript')
    .set({ heard: null, utterances: JSON.stringify(utterances), created_at: at })
    .where('call_id', '=', callId)
    .where('company_id', '=', companyId)
    .execute()
  await indexTranscript(db, companyId, callId, utterances)
}

/** Users on the call, with the times they joined and left. */
export async function presencesOn(db: Db, companyId: CompanyId, callId: number): Promise<TimeOnCall[]> {
  const rows = await db
    .selectFrom('call_party')
    .select(['user_id', 'joined_at', 'left_at'])
    .where('call_id', '=', callId)
    .where('company_id', '=', companyId)
    .orderBy('id')
    .execute()
  return rows.map(({ user_id, joined_at, left_at }) => ({ userId: user_id, from: joined_at, until: left_at }))
}

/** Total hold time of the customer, from the events of the call. */
export async function holdSecondsOn(db: Db, companyId: CompanyId, callId: number): Promise<number> {
  const rows = await db
    .selectFrom('event')
    .select(['name', 'occurred_at'])
    .where('company_id', '=', companyId)
    .where('resource_key', '=', `call:${callId}`)
    .where('name', 'in', ['call.hold', 'call.unhold', 'call.hungup'])
    .orderBy('row_id')
    .execute()
  let held = 0
  let since: number | undefined
  for (const { name, occurred_at } of rows) {
    if (since !== undefined) held += occurred_at - since
    since = name === 'call.hold' ? occurred_at : undefined
  }
  return held / 1_000
}

export interface Contents {
  sentiment: ParticipantMood[]
  topics: string[]
  summary: string
  custom_summary: CustomSummary
  playbook_result: PlaybookResult
  csat: { score: number; drivers: { polarity: 'POSITIVE' | 'NEUTRAL' | 'NEGATIVE'; label: string }[] }
  live: LiveTranscript
  suggestions: Suggestion[]
}
export type InsightKind = InsightTable['kind']

/** Realtime transcription. */
export interface LiveTranscript {
  language: string
  utterances: (Utterance & { at: number; ms: number })[]
}

/** A passage of a document that was suggested to the agents of a call. */
export interface Suggestion {
  /** 1, 2, 3 … in the call. */
  id: number
  /** When the utterance was spoken. */
  at: number
  document: string
  url: string | null
  heading: string | null
  text: string
  by: SuggestedBy
  /** Users who saw it. */
  userIds: number[]
}

export interface CustomSummary {
  name: string
  language: string
  sections: (SectionResult & {
    aiGenerated: boolean
    createdAt: number
    updatedAt?: number
    updatedBy?: number | null
  })[]
}

export interface PlaybookResult {
  playbook: { id: number; name: string; language: string }
  userId: number | null
  adherence: number
  topics: { name: string; result: boolean }[]
}

export interface Insight<K extends InsightKind> {
  id: number
  callId: number
  createdAt: number
  content: Contents[K]
}

export async function findInsight<K extends InsightKind>(
  db: Db,
  companyId: CompanyId,
  callId: number,
  kind: K,
): Promise<Insight<K> | undefined> {
  const row = await db
    .selectFrom('insight')
    .select(['id', 'content', 'created_at'])
    .where('call_id', '=', callId)
    .where('kind', '=', kind)
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  return row && { id: row.id, callId, createdAt: row.created_at, content: JSON.parse(row.content) }
}

/** Undefined if there is one already: its event is published once. */
export async function insertInsight<K extends InsightKind>(
  db: Db,
  companyId: CompanyId,
  callId: number,
  { kind, engine, content }: { kind: K; engine: string; content: Contents[K] },
  at: number,
): Promise<Insight<K> | undefined> {
  const row = { company_id: companyId, call_id: callId, kind, engine, content: JSON.stringify(content), created_at: at }
  const made = await db
    .insertInto('insight')
    .values(row)
    .onConflict((conflict) => conflict.columns(['call_id', 'kind']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return made && { id: made.id, callId, createdAt: at, content }
}

/** Replaces a generated result; undefined if there is none, or a user has edited it. */
export async function replaceInsight<K extends InsightKind>(
  db: Db,
  companyId: CompanyId,
  callId: number,
  { kind, engine, content }: { kind: K; engine: string; content: Contents[K] },
  at: number,
): Promise<Insight<K> | undefined> {
  const replaced = await db
    .updateTable('insight')
    .set({ engine, content: JSON.stringify(content), created_at: at })
    .where('call_id', '=', callId)
    .where('kind', '=', kind)
    .where('company_id', '=', companyId)
    .where('edited', '=', 0)
    .returning('id')
    .executeTakeFirst()
  return replaced && { id: replaced.id, callId, createdAt: at, content }
}

/** Deletes a generated result; an edited one is kept. */
export async function deleteInsight(db: Db, companyId: CompanyId, callId: number, kind: InsightKind): Promise<void> {
  await db
    .deleteFrom('insight')
    .where('call_id', '=', callId)
    .where('kind', '=', kind)
    .where('company_id', '=', companyId)
    .where('edited', '=', 0)
    .execute()
}

/** Whether a user has edited the result. */
export async function isEdited(db: Db, companyId: CompanyId, callId: number, kind: InsightKind): Promise<boolean> {
  const row = await db
    .selectFrom('insight')
    .select('edited')
    .where('call_id', '=', callId)
    .where('kind', '=', kind)
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  return row?.edited === 1
}

/** An edit by a user. */
export async function updateInsight<K extends InsightKind>(
  db: Db,
  companyId: CompanyId,
  id: number,
  content: Contents[K],
): Promise<void> {
  await db
    .updateTable('insight')
    .set({ content: JSON.stringify(content), edited: 1 })
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .execute()
}

export interface ActionItem {
  id: number
  content: string
  aiGenerated: boolean
  createdAt: number
  createdBy: number | null
  updatedAt: number | null
  updatedBy: number | null
}

export async function actionItemsOfCall(db: Db, companyId: CompanyId, callId: number): Promise<ActionItem[]> {
  const rows = await db
    .selectFrom('action_item')
    .select(['id', 'content', 'ai_generated', 'created_at', 'created_by', 'updated_at', 'updated_by'])
    .where('call_id', '=', callId)
    .where('company_id', '=', companyId)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    content: row.content,
    aiGenerated: row.ai_generated === 1,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  }))
}

export async function insertActionItem(
  db: Db,
  companyId: CompanyId,
  callId: number,
  item: Pick<ActionItem, 'content' | 'aiGenerated' | 'createdBy'> & { engine?: string },
  at: number,
): Promise<ActionItem> {
  const { content, aiGenerated, createdBy, engine = null } = item
  const who = { created_by: createdBy, updated_at: null, updated_by: null, engine }
  const { id } = await db
    .insertInto('action_item')
    .values({
      company_id: companyId,
      call_id: callId,
      content,
      ai_generated: aiGenerated ? 1 : 0,
      created_at: at,
      ...who,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, content, aiGenerated, createdAt: at, createdBy, updatedAt: null, updatedBy: null }
}

/** Of a past call of another server, with its author and times. */
export async function insertImportedActionItem(
  db: Db,
  companyId: CompanyId,
  callId: number,
  item: Omit<ActionItem, 'id'>,
): Promise<void> {
  await db
    .insertInto('action_item')
    .values({
      company_id: companyId,
      call_id: callId,
      content: item.content,
      ai_generated: item.aiGenerated ? 1 : 0,
      created_at: item.createdAt,
      created_by: item.createdBy,
      updated_at: item.updatedAt,
      updated_by: item.updatedBy,
      engine: item.aiGenerated ? 'import' : null,
    })
    .execute()
}

/** Deletes generated items without edits. */
export async function deleteGeneratedItems(db: Db, companyId: CompanyId, callId: number): Promise<void> {
  await db
    .deleteFrom('action_item')
    .where('call_id', '=', callId)
    .where('ai_generated', '=', 1)
    .where('updated_by', 'is', null)
    .where('company_id', '=', companyId)
    .execute()
}
