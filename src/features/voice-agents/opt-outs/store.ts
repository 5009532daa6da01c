import type { Db } from '../../../db/database.ts'
import type { CallOptOutTable, CompanyId } from '../../../db/tables.ts'
import type { Window } from '../../../http/paging.ts'

// Numbers that AI agents do not call.

export interface CallOptOut {
  phone: string
  source: CallOptOutTable['source']
  /** The call on which the callee asked for it. */
  callId: number | null
  createdAt: number
}

const toOptOut = (row: CallOptOutTable): CallOptOut => ({
  phone: row.phone,
  source: row.source,
  callId: row.call_id,
  createdAt: row.created_at,
})

const rows = (db: Db, companyId: CompanyId) => db.selectFrom('call_opt_out').where('company_id', '=', companyId)

export async function findCallOptOut(db: Db, companyId: CompanyId, phone: string): Promise<CallOptOut | undefined> {
  const row = await rows(db, companyId).selectAll().where('phone', '=', phone).executeTakeFirst()
  return row && toOptOut(row)
}

const phonesAtOnce = 500

/** Which of these numbers have opted out. */
export async function optedOutAmong(db: Db, companyId: CompanyId, phones: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (let from = 0; from < phones.length; from += phonesAtOnce) {
    const some = await rows(db, companyId)
      .select('phone')
      .where('phone', 'in', phones.slice(from, from + phonesAtOnce))
      .execute()
    for (const { phone } of some) found.add(phone)
  }
  return found
}

export async function pageOfCallOptOuts(
  db: Db,
  companyId: CompanyId,
  window: Window,
): Promise<{ optOuts: CallOptOut[]; total: number }> {
  const { from = 0, to = Number.MAX_SAFE_INTEGER } = window
  const within = rows(db, companyId).where('created_at', '>=', from).where('created_at', '<=', to)
  const { total } = await within.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const page = await within
    .selectAll()
    .orderBy('created_at', window.order)
    .orderBy('phone', window.order)
    .limit(window.limit)
    .offset(window.offset)
    .execute()
  return { optOuts: page.map(toOptOut), total: Number(total) }
}

/** Keeps an earlier opt-out of the number. */
export async function insertCallOptOut(db: Db, companyId: CompanyId, optOut: CallOptOut): Promise<void> {
  await db
    .insertInto('call_opt_out')
    .values({
      company_id: companyId,
      phone: optOut.phone,
      source: optOut.source,
      call_id: optOut.callId,
      created_at: optOut.createdAt,
    })
    .onConflict((conflict) => conflict.columns(['company_id', 'phone']).doNothing())
    .execute()
}

export async function deleteCallOptOut(db: Db, companyId: CompanyId, phone: string): Promise<boolean> {
  const done = await db
    .deleteFrom('call_opt_out')
    .where('company_id', '=', companyId)
    .where('phone', '=', phone)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}
