import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { unindexed, wordsFromJson } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { Caller } from '../../../http/caller.ts'
import { isSessionOpen } from '../../accounts/index.ts'

export interface LoggedEvent {
  position: number
  id: string
  name: string
  resource: string
  resource_key: string
  occurred_at: number
  data: string
  asset_refs: string | null
  test: number
}

export interface EventQuery {
  /** Only events after this position in the log. */
  after: number
  /** Event names; undefined: all. */
  names: readonly string[] | undefined
  /** Events of this call; undefined: of any resource. */
  callId?: number | undefined
  /** An integration sees events of its own webhooks only, and may be limited to some Numbers. */
  tokenId: number | undefined
  limit: number
}

/** The event log of a company, in commit order. */
export async function readLog(db: Db, companyId: CompanyId, { after, names, callId, tokenId, limit }: EventQuery) {
  let query = db
    .selectFrom('event')
    .select(['position', 'id', 'name', 'resource', 'resource_key', 'occurred_at', 'data', 'asset_refs', 'test'])
    .where('company_id', '=', companyId)
    // A call has few events: found by the resource index instead of a scan of the log.
    .where(callId === undefined ? 'position' : unindexed('position'), '>', after)
    .orderBy(callId === undefined ? 'position' : unindexed('position'))
    .limit(limit)
  if (callId !== undefined) query = query.where('resource_key', '=', `call:${callId}`)
  if (names) query = query.where('name', 'in', wordsFromJson(db, JSON.stringify(names)) as never)
  if (tokenId !== undefined) {
    query = query.where(
      sql<boolean>`(event.number_id is null or not exists (
        select 1 from oauth_token t where t.id = ${tokenId} and t.restricted = 1) or exists (
        select 1 from oauth_token_number n where n.token_id = ${tokenId} and n.number_id = event.number_id))
        and event.resource <> 'integration' and (event.resource <> 'webhook' or exists (
          select 1 from webhook w
          where w.oauth_token_id = ${tokenId} and event.resource_key = 'webhook:' || w.id))`,
    )
  }
  return (await query.execute()) as LoggedEvent[]
}

export async function lastPosition(db: Db, companyId: CompanyId): Promise<number> {
  const row = await db
    .selectFrom('event')
    .select('position')
    .where('company_id', '=', companyId)
    .where('position', 'is not', null)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.position ?? 0
}

/** Position before the first event since the given time; the end of the log if there is none. */
export async function positionBefore(db: Db, companyId: CompanyId, moment: number): Promise<number> {
  const row = await db
    .selectFrom('event')
    .select('position')
    .where(unindexed('company_id'), '=', companyId)
    .where('occurred_at', '>=', moment)
    .where('position', 'is not', null)
    .orderBy('occurred_at')
    .orderBy('row_id')
    .limit(1)
    .executeTakeFirst()
  return row?.position ? row.position - 1 : lastPosition(db, companyId)
}

/** Whether the key, token or session that opened a stream is still valid. */
export async function isWelcome(db: Db, companyId: CompanyId, via: Caller['via'], now: number): Promise<boolean> {
  const company = db.selectFrom('company').select('id').where('id', '=', companyId).where('active', '=', 1)
  if (!(await company.executeTakeFirst())) return false
  switch (via.kind) {
    case 'key': {
      const key = db.selectFrom('api_key').select('id').where('company_id', '=', companyId).where('id', '=', via.id)
      return (await key.executeTakeFirst()) !== undefined
    }
    case 'token': {
      const token = db
        .selectFrom('oauth_token')
        .select('id')
        .where('company_id', '=', companyId)
        .where('id', '=', via.id)
      return (await token.where('revoked_at', 'is', null).executeTakeFirst()) !== undefined
    }
    case 'session':
      return isSessionOpen(db, companyId, via.session, now)
  }
}

/** Test events of one resource. */
export async function countTestEvents(db: Db, companyId: CompanyId, resourceKey: string): Promise<number> {
  const { count } = await db
    .selectFrom('event')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('company_id', '=', companyId)
    .where('resource_key', '=', resourceKey)
    .where('test', '=', 1)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The caller's webhooks that subscribe to the event. */
export async function subscribersOf(
  db: Db,
  companyId: CompanyId,
  name: string,
  { isService, tokenId }: { isService: boolean; tokenId: number | undefined },
) {
  const rows = await db
    .selectFrom('webhook')
    .select('id')
    .where('company_id', '=', companyId)
    .where('deleted_at', 'is', null)
    .where('status', '=', 'active')
    .where(({ eb }) => (tokenId === undefined ? eb('oauth_token_id', 'is', null) : eb('oauth_token_id', '=', tokenId)))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('all_events', '=', isService ? (2 as never) : 1),
        exists(
          selectFrom('webhook_event')
            .select('webhook_event.name')
            .whereRef('webhook_event.webhook_id', '=', 'webhook.id')
            .where('webhook_event.name', '=', name),
        ),
      ]),
    )
    .execute()
  return rows.map(({ id }) => id)
}
