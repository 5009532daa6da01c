import type { Db } from '../../../db/database.ts'
import type { CompanyId, SoundTable } from '../../../db/tables.ts'
import { hashOf } from '../../../lib/secrets.ts'

export type AudioFile = Pick<SoundTable, 'url' | 'name' | 'state' | 'reason' | 'seconds' | 'updated_at'>

const fields = ['url', 'name', 'state', 'reason', 'seconds', 'updated_at'] as const

/** Newest first. */
export function soundsOf(db: Db, companyId: CompanyId, limit: number): Promise<AudioFile[]> {
  return db
    .selectFrom('sound')
    .select(fields)
    .where('company_id', '=', companyId)
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}

export function findSound(db: Db, companyId: CompanyId, url: string): Promise<AudioFile | undefined> {
  return db
    .selectFrom('sound')
    .select(fields)
    .where('company_id', '=', companyId)
    .where('id', '=', hashOf(url))
    .executeTakeFirst()
}

export async function readySounds(db: Db, companyId: CompanyId, urls: readonly string[]): Promise<Set<string>> {
  if (urls.length === 0) return new Set()
  const rows = await db
    .selectFrom('sound')
    .select('url')
    .where('company_id', '=', companyId)
    .where('id', 'in', urls.map(hashOf))
    .where('state', '=', 'ready')
    .execute()
  return new Set(rows.map(({ url }) => url))
}

/** Whether it must be downloaded: it is new, or the download was given up before. */
export async function wantSound(db: Db, companyId: CompanyId, url: string, at: number): Promise<boolean> {
  const waiting = { state: 'waiting', reason: null, updated_at: at } as const
  const rows = await db
    .insertInto('sound')
    .values({ company_id: companyId, id: hashOf(url), url, ...waiting, seconds: null, name: null, file: null })
    .onConflict((conflict) =>
      conflict.columns(['company_id', 'id']).doUpdateSet(waiting).where('sound.state', '=', 'failed'),
    )
    .returning('id')
    .execute()
  return rows.length > 0
}

export async function setReady(db: Db, companyId: CompanyId, url: string, seconds: number, at: number): Promise<void> {
  await db
    .updateTable('sound')
    .set({ state: 'ready', reason: null, seconds, updated_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', hashOf(url))
    .execute()
}

/** Audio that was ready stays ready: the current copy keeps playing. */
export async function setProblem(
  db: Db,
  companyId: CompanyId,
  url: string,
  problem: { reason: string; final: boolean },
  at: number,
): Promise<void> {
  const { reason, final } = problem
  const ofSound = db.updateTable('sound').where('company_id', '=', companyId).where('id', '=', hashOf(url))
  await ofSound.set({ reason, updated_at: at }).execute()
  if (final) await ofSound.set({ state: 'failed' }).where('state', '=', 'waiting').execute()
}

export interface AudioUpload {
  url: string
  name: string
  file: string
  seconds: number
}

export async function insertUpload(db: Db, companyId: CompanyId, upload: AudioUpload, at: number): Promise<void> {
  await db
    .insertInto('sound')
    .values({ company_id: companyId, id: hashOf(upload.url), ...upload, state: 'ready', reason: null, updated_at: at })
    .execute()
}

/** Key of the original; undefined if the upload does not exist. */
export async function deleteUpload(db: Db, companyId: CompanyId, url: string): Promise<string | undefined> {
  const row = await db
    .deleteFrom('sound')
    .where('company_id', '=', companyId)
    .where('id', '=', hashOf(url))
    .where('file', 'is not', null)
    .returning('file')
    .executeTakeFirst()
  return row?.file ?? undefined
}

/** A number that plays an audio file, and where. */
export interface SoundUse {
  /** Null: the company, for all Numbers. */
  numberId: number | null
  numberName: string
  place: 'live' | 'draft' | 'hold_music' | 'recording_notice'
}

/** The uses of each of these uploads: in live flows, in drafts, as hold music and as recording announcement. */
export async function usesOfUploads(
  db: Db,
  companyId: CompanyId,
  urls: readonly string[],
): Promise<Map<string, SoundUse[]>> {
  const found = new Map<string, SoundUse[]>()
  if (urls.length === 0) return found
  const numbers = await db
    .selectFrom('number')
    .innerJoin('flow_version', (join) =>
      join
        .onRef('flow_version.number_id', '=', 'number.id')
        .onRef('flow_version.version', '=', 'number.flow_version')
        .onRef('flow_version.company_id', '=', 'number.company_id'),
    )
    .leftJoin('flow_draft', (join) =>
      join.onRef('flow_draft.number_id', '=', 'number.id').onRef('flow_draft.company_id', '=', 'number.company_id'),
    )
    .select([
      'number.id',
      'number.name',
      'number.music_on_hold',
      'number.recording_notice',
      'flow_version.document as live',
      'flow_draft.document as draft',
    ])
    .where('number.company_id', '=', companyId)
    .orderBy('number.name')
    .orderBy('number.id')
    .execute()
  const company = await db
    .selectFrom('company')
    .select('recording_notice')
    .where('id', '=', companyId)
    .executeTakeFirstOrThrow()
  for (const url of urls) {
    // The last segment of the URL suffices: it is unguessable, and JSON does not escape it.
    const id = url.slice(-32)
    const uses = numbers.flatMap((number): SoundUse[] => {
      const { id: numberId, name, music_on_hold: music, recording_notice: notice, live, draft } = number
      const places: SoundUse['place'][] = []
      if (live.includes(id)) places.push('live')
      if (draft?.includes(id)) places.push('draft')
      if (music === url) places.push('hold_music')
      if (notice?.includes(id)) places.push('recording_notice')
      return places.map((place) => ({ numberId, numberName: name, place }))
    })
    if (company.recording_notice?.includes(id)) {
      uses.push({ numberId: null, numberName: 'All numbers', place: 'recording_notice' })
    }
    if (uses.length > 0) found.set(url, uses)
  }
  return found
}

/** False if the upload does not exist. */
export async function renameUpload(db: Db, companyId: CompanyId, url: string, name: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sound')
    .set({ name })
    .where('company_id', '=', companyId)
    .where('id', '=', hashOf(url))
    .where('file', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function countUploads(db: Db, companyId: CompanyId): Promise<number> {
  const { n } = await db
    .selectFrom('sound')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .where('file', 'is not', null)
    .executeTakeFirstOrThrow()
  return Number(n)
}
