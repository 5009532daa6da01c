import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { wordsFromJson } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { CompanyId, Flag } from '../db/tables.ts'
import type { Target } from '../domain/flow/document.ts'

// The queue: one row per call and target, so that its head is a single index lookup.

const targetWord = ({ type, id }: Target) => `${type}:${id}`

interface Place {
  key: string
  callId: number
  rank: number
  enteredAt: number
}

const insertPlace = hotQuery((db, v: Place & { companyId: CompanyId; target: string }) =>
  db
    .insertInto('queue_place')
    .values({
      key: v.key,
      target: v.target,
      company_id: v.companyId,
      rank: v.rank,
      entered_at: v.enteredAt,
      call_id: v.callId,
      hungry: 1,
    })
    .onConflict((conflict) => conflict.columns(['key', 'target']).doNothing())
    .compile(),
)

export async function enterQueue(
  db: Db,
  companyId: CompanyId,
  { targets, ...place }: Place & { targets: readonly Target[] },
): Promise<void> {
  for (const target of targets) await insertPlace(db, { companyId, ...place, target: targetWord(target) })
}

const setAcceptingRows = hotQuery((db, v: { companyId: CompanyId; key: string; hungry: number }) =>
  db
    .updateTable('queue_place')
    .set({ hungry: v.hungry as Flag })
    .where('company_id', '=', v.companyId)
    .where('key', '=', v.key)
    .compile(),
)

export async function setAccepting(db: Db, companyId: CompanyId, key: string, isAccepting: boolean): Promise<void> {
  await setAcceptingRows(db, { companyId, key, hungry: isAccepting ? 1 : 0 })
}

const deletePlaces = hotQuery((db, v: { companyId: CompanyId; key: string }) =>
  db.deleteFrom('queue_place').where('company_id', '=', v.companyId).where('key', '=', v.key).compile(),
)

export async function leaveQueue(db: Db, companyId: CompanyId, key: string): Promise<void> {
  await deletePlaces(db, { companyId, key })
}

const teamsOf = hotQuery((db, v: { companyId: CompanyId; userId: number }) =>
  db
    .selectFrom('team_member')
    .select('team_id')
    .where('company_id', '=', v.companyId)
    .where('user_id', '=', v.userId)
    .compile(),
)

const heads = hotQuery((db, v: { companyId: CompanyId; targets: string }) =>
  sql<{ key: string; target: string }>`
    select key, target from queue_place
    where company_id = ${v.companyId} and hungry = 1 and target in ${wordsFromJson(db, v.targets)}
    order by rank, entered_at, call_id, target limit 20`.compile(db),
)

/** The call that waits longest for the user or one of their teams, top priority first. */
export async function headsFor(
  db: Db,
  companyId: CompanyId,
  userId: number,
): Promise<{ key: string; teamId: number | null }[]> {
  const teams = await teamsOf(db, { companyId, userId })
  const targets = [`user:${userId}`, ...teams.map(({ team_id }) => `team:${team_id}`)]
  const rows = await heads(db, { companyId, targets: JSON.stringify(targets) })
  return rows.map(({ key, target }) => ({ key, teamId: target.startsWith('team:') ? Number(target.slice(5)) : null }))
}

/** Available users with waiting calls, in any company: a notification was lost. */
export async function overlooked(db: Db): Promise<{ companyId: CompanyId; userId: number }[]> {
  const rows = await db
    .selectFrom('user as u')
    .select(['u.id', 'u.company_id'])
    .where('u.granular', '=', 'available')
    .where('u.deleted_at', 'is', null)
    .where('u.company_id', 'in', (eb) => eb.selectFrom('queue_place').select('company_id').where('hungry', '=', 1))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('ring_reservation as r').select('r.key').whereRef('r.user_id', '=', 'u.id'))),
    )
    .limit(100)
    .execute()
  return rows.map(({ id, company_id }) => ({ userId: id, companyId: company_id }))
}

/** The position in the queue, counting each call once. */
export async function placeInQueue(db: Db, companyId: CompanyId, key: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(distinct o.key) as n from queue_place m
    join queue_place o on o.company_id = m.company_id and o.target = m.target
      and (o.rank < m.rank or (o.rank = m.rank and (o.entered_at < m.entered_at or (o.entered_at = m.entered_at and o.call_id < m.call_id))))
    where m.company_id = ${companyId} and m.key = ${key}`.execute(db)
  return Number(rows[0]?.n ?? 0) + 1
}
