import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { DialUse } from '../domain/toll.ts'
import { day, minute } from '../lib/clock.ts'

// Dialled calls, as far as the limits of the toll guard depend on them.

export interface NewDialled {
  callKey: string
  userId: number | null
  trunkId: number | null
  phone: string
  price: number
}

/** The caller holds the lock of the company: concurrent requests would both find capacity. */
export async function dialUse(tx: Tx, companyId: CompanyId, userId: number | null, now: number): Promise<DialUse> {
  const lately = now - minute
  const count = (what: ReturnType<typeof sql>) => sql<number>`coalesce(sum(case when ${what} then 1 else 0 end), 0)`
  const mine = userId === null ? sql`1 = 0` : sql`user_id = ${userId}`
  const row = await tx
    .selectFrom('dialled')
    .select([
      count(sql`ended_at is null`).as('concurrent'),
      count(sql`ended_at is null and ${mine}`).as('concurrentOfUser'),
      count(sql`begun_at > ${lately}`).as('inMinute'),
      count(sql`begun_at > ${lately} and ${mine}`).as('inMinuteOfUser'),
    ])
    .where('company_id', '=', companyId)
    .where(({ or, eb }) => or([eb('ended_at', 'is', null), eb('begun_at', '>', lately)]))
    .executeTakeFirstOrThrow()
  return {
    concurrent: Number(row.concurrent),
    concurrentOfUser: Number(row.concurrentOfUser),
    inMinute: Number(row.inMinute),
    inMinuteOfUser: Number(row.inMinuteOfUser),
    spentToday: 0,
  }
}

/** Since midnight UTC. */
export async function spentToday(tx: Tx, companyId: CompanyId, now: number): Promise<number> {
  const { sum } = await tx
    .selectFrom('dialled')
    .select(({ fn }) => fn.sum<number | null>('price').as('sum'))
    .where('company_id', '=', companyId)
    .where('begun_at', '>=', now - (now % day))
    .executeTakeFirstOrThrow()
  return Number(sum ?? 0)
}

/** Active calls on a trunk; on one of the operator's (null), those of all companies. */
export async function concurrentOn(db: Db, owner: CompanyId | null, trunkId: number): Promise<number> {
  const open = db
    .selectFrom('dialled')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('trunk_id', '=', trunkId)
    .where('ended_at', 'is', null)
  const { n } = await (owner === null ? open : open.where('company_id', '=', owner)).executeTakeFirstOrThrow()
  return Number(n)
}

export async function insertDialled(tx: Tx, companyId: CompanyId, dialled: NewDialled, at: number): Promise<number> {
  const { callKey, userId, trunkId, phone, price } = dialled
  const { id } = await tx
    .insertInto('dialled')
    .values({
      company_id: companyId,
      call_key: callKey,
      user_id: userId,
      trunk_id: trunkId,
      phone,
      begun_at: at,
      ended_at: null,
      price,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Dialled legs of the call that have not ended. */
export async function openDialledOf(db: Db, companyId: CompanyId, callKeys: readonly string[]) {
  return db
    .selectFrom('dialled')
    .select(['id', 'call_key', 'phone', 'begun_at'])
    .where('company_id', '=', companyId)
    .where('call_key', 'in', [...callKeys])
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute()
}

export async function payMore(tx: Tx, companyId: CompanyId, id: number, price: number): Promise<void> {
  await tx
    .updateTable('dialled')
    .set({ price: sql`price + ${price}` })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

export async function endDialled(db: Db, companyId: CompanyId, id: number, at: number): Promise<void> {
  await db
    .updateTable('dialled')
    .set({ ended_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute()
}

/** Ends all dialled legs of the call. */
export async function endDialledOf(db: Db, companyId: CompanyId, callKey: string, at: number): Promise<void> {
  await db
    .updateTable('dialled')
    .set({ ended_at: at })
    .where('company_id', '=', companyId)
    .where('call_key', '=', callKey)
    .where('ended_at', 'is', null)
    .execute()
}

/** Rows that ended before yesterday count for no limit. */
export async function forgetDialled(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom('dialled')
    .where('begun_at', '<', before)
    .where(({ or, eb }) => or([eb('ended_at', '<', before), eb('begun_at', '<', before - 7 * day)]))
    .execute()
}
