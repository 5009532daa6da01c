import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'

// Figures of all companies for the operator; no names and no phone numbers.

/** Calls in progress by direction; internal calls have none and are not counted. */
export async function liveCallsByDirection(db: Db): Promise<{ direction: 'inbound' | 'outbound'; n: number }[]> {
  const rows = await db
    .selectFrom('live_call')
    .innerJoin('call', 'call.id', 'live_call.call_id')
    .select(({ fn }) => ['call.direction', fn.countAll<number>().as('n')])
    .where('call.ended_at', 'is', null)
    .groupBy('call.direction')
    .execute()
  return rows.map(({ direction, n }) => ({ direction, n: Number(n) }))
}

/** Callers who wait, by company and target; a caller who waits for two targets is in both. */
export async function waitingByTarget(
  db: Db,
): Promise<{ companyId: CompanyId; target: string; waiting: number; since: number }[]> {
  const rows = await db
    .selectFrom('queue_place')
    .select(({ fn }) => ['company_id', 'target', fn.countAll<number>().as('n'), fn.min('entered_at').as('since')])
    .groupBy(['company_id', 'target'])
    .orderBy('company_id')
    .orderBy('target')
    .execute()
  return rows.map(({ company_id, target, n, since }) => ({
    companyId: company_id,
    target,
    waiting: Number(n),
    since: Number(since),
  }))
}

/** Number of callers who wait, each counted once. */
export async function countWaitingCallers(db: Db): Promise<number> {
  const { n } = await db
    .selectFrom('queue_place')
    .select(({ fn }) => fn.count<number>('key').distinct().as('n'))
    .executeTakeFirstOrThrow()
  return Number(n)
}
