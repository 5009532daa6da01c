import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { CallRecord } from '../../../domain/call/record.ts'
import { day } from '../../../lib/clock.ts'

// Calls per day, so that the total of a list adds days instead of counting calls.

const addToAll = hotQuery<{ companyId: CompanyId; day: number; direction: string }, never>((db, v) =>
  sql<never>`
    insert into call_count as c (company_id, day, direction, n) values (${v.companyId}, ${v.day}, ${v.direction}, 1)
    on conflict (company_id, day, direction) do update set n = c.n + 1`.compile(db),
)

const addToMissed = hotQuery<{ companyId: CompanyId; day: number }, never>((db, v) =>
  sql<never>`
    insert into missed_call_count as c (company_id, day, n) values (${v.companyId}, ${v.day}, 1)
    on conflict (company_id, day) do update set n = c.n + 1`.compile(db),
)

/** Of a new call; a trigger counts a call that becomes missed later. */
export async function countCall(
  db: Db,
  companyId: CompanyId,
  { startedAt, direction, missedReason }: Pick<CallRecord, 'startedAt' | 'direction' | 'missedReason'>,
): Promise<void> {
  const startDay = Math.floor(startedAt / day)
  await addToAll(db, { companyId, day: startDay, direction })
  if (missedReason !== null) await addToMissed(db, { companyId, day: startDay })
}

/** Of whole days before a time. */
export async function deleteOldCounts(db: Db, companyId: CompanyId, before: number): Promise<void> {
  for (const counts of ['call_count', 'missed_call_count'] as const)
    await db
      .deleteFrom(counts)
      .where('company_id', '=', companyId)
      .where('day', '<', Math.floor(before / day))
      .execute()
}
