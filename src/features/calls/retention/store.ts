import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { readApart } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { CallAudioKind } from '../calls/store.ts'
import { maxPeriods, type RetentionKind, type RetentionPeriods } from './periods.ts'

export async function retentionOf(db: Db, companyId: CompanyId): Promise<RetentionPeriods> {
  const row = await db.selectFrom('company').select('retention').where('id', '=', companyId).executeTakeFirst()
  return { ...maxPeriods, ...(row?.retention ? JSON.parse(row.retention) : {}) }
}

/** The position behind the last call of a batch: batches do not start again at the oldest call. */
export interface Reached {
  at: number
  id: number
}

interface OldCall {
  id: number
  at: number
}

const oldestFirst = (companyId: CompanyId, before: number, after: Reached) => sql`
  from call as c where c.company_id = ${companyId} and c.started_at < ${before}
  and (c.started_at > ${after.at} or (c.started_at = ${after.at} and c.id > ${after.id}))`

const hasTranscript = sql`exists (select 1 from transcript as t where t.call_id = c.id and t.company_id = c.company_id)`

type AudioOrTranscript = 'recordings' | 'voicemails' | 'transcripts'

const conditions: Record<AudioOrTranscript, ReturnType<typeof sql>> = {
  recordings: sql`c.recording is not null`,
  voicemails: sql`c.voicemail is not null`,
  transcripts: hasTranscript,
}

export const soundOf: Partial<Record<RetentionKind, CallAudioKind>> = {
  recordings: 'recording',
  voicemails: 'voicemail',
}

/** Calls that have data of this kind, oldest first. */
export async function callsWithOld(
  db: Db,
  companyId: CompanyId,
  kind: AudioOrTranscript,
  { before, after, limit }: { before: number; after: Reached; limit: number },
): Promise<OldCall[]> {
  const query = sql<OldCall>`select c.id as id, c.started_at as at ${oldestFirst(companyId, before, after)}
    and ${conditions[kind]} order by c.started_at, c.id limit ${limit}`.compile(db)
  return readApart(db, query)
}

type DeletedBefore = (kind: RetentionKind) => number | null

/** How much of each kind would be deleted. */
export async function countOld(
  db: Db,
  companyId: CompanyId,
  before: DeletedBefore,
): Promise<Record<RetentionKind, number>> {
  const older = (kind: RetentionKind, condition: ReturnType<typeof sql>) => sql`
    (select count(*) from call as c where c.company_id = ${companyId} and c.started_at < ${before(kind) ?? 0}
      and ${condition})`
  const query = sql<Record<RetentionKind, number>>`select
    ${older('calls', sql`1 = 1`)} as calls, ${older('recordings', conditions.recordings)} as recordings,
    ${older('voicemails', conditions.voicemails)} as voicemails,
    ${older('transcripts', conditions.transcripts)} as transcripts,
    (select count(*) from message as m where m.company_id = ${companyId}
      and m.created_at < ${before('messages') ?? 0})
      + (select count(*) from direct_message as d where d.company_id = ${companyId}
        and d.sent_at < ${before('messages') ?? 0}) as messages,
    (select count(*) from audit as a where a.company_id = ${companyId}
      and a.at < ${before('audit_log') ?? 0}) as audit_log`.compile(db)
  const [row] = await readApart(db, query)
  if (!row) throw new Error('the counts must be one row')
  return row
}
