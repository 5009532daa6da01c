import type { Db } from '../../../db/database.ts'
import { unindexed } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { RecordingNotice } from '../../../domain/call/state.ts'
import { readySounds } from '../audio/store.ts'
import { noNotice, noticeFor, type RecordingNoticeSettings } from './settings.ts'

export interface NumberNotice {
  /** Null: that of the company. */
  own: RecordingNoticeSettings | null
  company: RecordingNoticeSettings
  language: string
}

const ofNumber = hotQuery((db, v: { companyId: CompanyId; numberId: number }) =>
  db
    .selectFrom('number')
    .innerJoin('company', 'company.id', 'number.company_id')
    .select(['number.language', 'number.recording_notice as own', 'company.recording_notice as company'])
    .where('number.id', '=', v.numberId)
    .where(unindexed('number.company_id'), '=', v.companyId)
    .compile(),
)

export async function numberNotice(db: Db, companyId: CompanyId, numberId: number): Promise<NumberNotice | undefined> {
  const [row] = await ofNumber(db, { companyId, numberId })
  return row && { own: row.own === null ? null : read(row.own), company: read(row.company), language: row.language }
}

/** The announcement that callers of the Number hear. A prompt that is not ready is not played, and nothing is recorded. */
export async function recordingNoticeOf(
  db: Db,
  companyId: CompanyId,
  numberId: number,
): Promise<RecordingNotice | undefined> {
  const found = await numberNotice(db, companyId, numberId)
  const notice = found && noticeFor(found.own ?? found.company, found.language)
  if (!notice || notice.media === null) return notice
  const ready = await readySounds(db, companyId, [notice.media])
  return ready.has(notice.media) ? notice : { ...notice, media: null }
}

export async function companyNotice(db: Db, companyId: CompanyId): Promise<RecordingNoticeSettings> {
  const row = await db.selectFrom('company').select('recording_notice').where('id', '=', companyId).executeTakeFirst()
  return read(row?.recording_notice ?? null)
}

const read = (stored: string | null): RecordingNoticeSettings =>
  stored === null ? noNotice : { ...noNotice, ...JSON.parse(stored) }
