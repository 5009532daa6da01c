import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { hasLateral, jsonArray, jsonRows } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type Call, callsById } from './store.ts'

interface LatestQuery {
  /** E.164 digits of external parties. */
  digits: readonly string[]
  /** Only calls of this user, as `CallSearch.ownOf`. */
  ownOf: number | undefined
  /** Start of the readable period. */
  since: number
  limit: number
}

interface LatestValues {
  companyId: CompanyId
  digits: string
  userId: number
  since: number
  limit: number
}

/** The latest calls with any of the numbers: of each number no more are read than are returned. */
export async function latestCallsWith(
  db: Db,
  companyId: CompanyId,
  { digits, ownOf, since, limit }: LatestQuery,
): Promise<Call[]> {
  if (digits.length === 0) return []
  const query = ownOf === undefined ? latestOfAll : latestOfUser
  const values = { companyId, digits: JSON.stringify(digits), since, limit, userId: ownOf ?? 0 }
  const [row] = await query(db, values)
  const found: [id: number, startedAt: number][] = JSON.parse(row?.found ?? '[]')
  found.sort(([idA, a], [idB, b]) => b - a || idB - idA)
  const ids = found.slice(0, limit).map(([id]) => id)
  const byId = await callsById(db, companyId, ids)
  return ids.flatMap((id) => byId.get(id) ?? [])
}

const latestOfAll = latestQuery(false)
const latestOfUser = latestQuery(true)

function latestQuery(isOwn: boolean) {
  return hotQuery((db, v: LatestValues) => {
    const own = isOwn
      ? sql`and (x.user_id = ${v.userId} or x.assigned_to = ${v.userId} or x.transferred_by = ${v.userId} or exists (
          select 1 from ring_attempt as r where r.call_id = x.id and r.user_id = ${v.userId}
            and (x.answered_at is null or r.outcome = 'answered' or x.transferred_to = ${v.userId})))`
      : sql``
    const latest = (digits: ReturnType<typeof sql>) => sql`from call as x
      where x.company_id = ${v.companyId} and x.external_digits = ${digits} and x.started_at >= ${v.since} ${own}
      order by x.started_at desc, x.id desc limit ${v.limit}`
    const rows = hasLateral(db)
      ? sql`select c.id, c.started_at from json_array_elements_text(${v.digits}::json) as given(digits)
          cross join lateral (select x.id, x.started_at ${latest(sql`given.digits`)}) as c`
      : sql`select c.id as id, c.started_at as started_at from json_each(${v.digits}) as given
          cross join call as c on c.id in (select x.id ${latest(sql`given.value`)})`
    return sql<{ found: string }>`select cast(${jsonRows(db, jsonArray(db, sql`id, started_at`))} as text) as found
      from (${rows}) as rows`.compile(db)
  })
}
