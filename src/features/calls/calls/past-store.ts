import type { Db } from '../../../db/database.ts'
import type { CallPartyTable, CompanyId } from '../../../db/tables.ts'

// Calls of the past that another server has carried.

/** In any company: the identifiers of calls are unique. */
export async function isUuidTaken(db: Db, uuid: string): Promise<boolean> {
  return (await db.selectFrom('call').select('id').where('uuid', '=', uuid).executeTakeFirst()) !== undefined
}

/** The time of a user on a past call. */
export async function insertPastParty(
  db: Db,
  companyId: CompanyId,
  callId: number,
  party: { userId: number; way: CallPartyTable['way']; joinedAt: number; leftAt: number },
): Promise<void> {
  await db
    .insertInto('call_party')
    .values({
      company_id: companyId,
      call_id: callId,
      user_id: party.userId,
      way: party.way,
      joined_at: party.joinedAt,
      left_at: party.leftAt,
      gave_at: null,
    })
    .execute()
}
