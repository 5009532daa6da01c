import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'

// Queue lengths and opt-outs that the dashboard shows next to the settings.

export interface QueueLength {
  numberId: number
  channel: 'whatsapp' | null
  count: number
  /** Creation time of the oldest one. */
  since: number
}

/** Messages waiting to be sent, by Number and channel. */
export async function waitingOf(db: Db, companyId: CompanyId): Promise<QueueLength[]> {
  const rows = await db
    .selectFrom('message')
    .select(({ fn }) => ['number_id', 'channel', fn.countAll<number>().as('n'), fn.min('created_at').as('since')])
    .where('company_id', '=', companyId)
    .where('queued', '>', 0)
    .groupBy(['number_id', 'channel'])
    .execute()
  return rows.map(({ number_id, channel, n, since }) => ({
    numberId: number_id,
    channel,
    count: Number(n),
    since: Number(since),
  }))
}

export interface LineNumber {
  id: number
  name: string
  digits: string
}

export function lineNumbers(db: Db, companyId: CompanyId): Promise<LineNumber[]> {
  return db
    .selectFrom('number')
    .select(['id', 'name', 'digits'])
    .where('company_id', '=', companyId)
    .orderBy('id')
    .execute()
}

export async function optOutsOf(db: Db, companyId: CompanyId, limit: number) {
  const mine = db.selectFrom('opt_out').where('company_id', '=', companyId)
  const rows = await mine
    .select(['number_id', 'phone', 'at'])
    .orderBy('at', 'desc')
    .orderBy('number_id')
    .orderBy('phone')
    .limit(limit)
    .execute()
  const { total } = await mine.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { optOuts: rows.map(({ number_id, phone, at }) => ({ numberId: number_id, phone, at })), total: Number(total) }
}
