import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson, unindexed } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { Call } from './store.ts'

// Comments and tags of a call. The caller must hold the lock of the call.

export interface Note {
  /** Null for API keys and integrations. */
  by: number | null
  at: number
}

export async function insertComment(
  db: Db,
  companyId: CompanyId,
  callId: number,
  { content, by, at }: Note & { content: string },
): Promise<void> {
  await db
    .insertInto('call_comment')
    .values({ call_id: callId, company_id: companyId, content, posted_by: by, posted_at: at })
    .execute()
}

/** The ids that are tags of the company. */
export async function knownTags(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom('tag')
    .select('id')
    .where('id', 'in', idsFromJson(db, JSON.stringify(ids)))
    .where(unindexed('company_id'), '=', companyId)
    .execute()
  return rows.map(({ id }) => id)
}

/** Adds tags; an existing one keeps its author and time. */
export async function putTags(
  db: Db,
  companyId: CompanyId,
  call: Pick<Call, 'id'>,
  tagIds: readonly number[],
  { by, at }: Note,
): Promise<void> {
  if (tagIds.length === 0) return
  // With the columns calls are filtered by; a trigger keeps them up to date.
  await sql`
    insert into call_tag (call_id, tag_id, company_id, started_at, tagged_by, tagged_at, direction, number_id, user_id)
    select c.id, t.id, c.company_id, c.started_at, cast(${by} as bigint), cast(${at} as bigint), c.direction, c.number_id, c.user_id
    from call as c, tag as t
    where c.id = ${call.id} and ${unindexed('c.company_id')} = ${companyId}
      and t.id in ${idsFromJson(db, JSON.stringify(tagIds))} and ${unindexed('t.company_id')} = ${companyId}
    on conflict (call_id, tag_id) do nothing`.execute(db)
}

/** False if the call did not have the tag. */
export async function removeCallTag(db: Db, companyId: CompanyId, callId: number, tagId: number): Promise<boolean> {
  const result = await db
    .deleteFrom('call_tag')
    .where('call_id', '=', callId)
    .where('tag_id', '=', tagId)
    .where(unindexed('company_id'), '=', companyId)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}
