import type { Db } from '../db/database.ts'
import { unindexed } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { CallPartyTable, CompanyId } from '../db/tables.ts'

// Who was on a call, how they joined it and for how long: the basis of reports.

interface Party {
  callId: number
  userId: number
  at: number
}
type Values = Party & { companyId: CompanyId }
type Way = CallPartyTable['way']

const insertParty = hotQuery((db, v: Values & { way: Way }) =>
  db
    .insertInto('call_party')
    .values({
      company_id: v.companyId,
      call_id: v.callId,
      user_id: v.userId,
      way: v.way,
      joined_at: v.at,
      left_at: null,
      gave_at: null,
    })
    .compile(),
)

export async function partyJoined(db: Db, companyId: CompanyId, party: Party & { way: Way }): Promise<void> {
  await insertParty(db, { companyId, ...party })
}

const endParty = hotQuery((db, v: Values) =>
  db
    .updateTable('call_party')
    .set({ left_at: v.at })
    .where('call_id', '=', v.callId)
    .where('user_id', '=', v.userId)
    .where('left_at', 'is', null)
    .where(unindexed('company_id'), '=', v.companyId)
    .compile(),
)

export async function partyLeft(db: Db, companyId: CompanyId, party: Party): Promise<void> {
  await endParty(db, { companyId, ...party })
}

/** A transferring user may have left the call in the same step. */
export async function partyGave(db: Db, companyId: CompanyId, { callId, userId, at }: Party): Promise<void> {
  const last = db
    .selectFrom('call_party')
    .select(({ fn }) => fn.max('id').as('id'))
    .where('call_id', '=', callId)
    .where('user_id', '=', userId)
    .where('company_id', '=', companyId)
  await db
    .updateTable('call_party')
    .set({ gave_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', last)
    .execute()
}

/** A consulted user becomes a party of the call. */
export async function partyReceived(db: Db, companyId: CompanyId, party: Party): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('call_party')
    .set({ way: 'transfer' })
    .where('call_id', '=', party.callId)
    .where('user_id', '=', party.userId)
    .where('company_id', '=', companyId)
    .where('left_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) await partyJoined(db, companyId, { ...party, way: 'transfer' })
}
