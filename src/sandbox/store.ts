import type { Db } from '../db/database.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { CallPartyTable, CompanyId, RingAttemptTable } from '../db/tables.ts'

// Sandbox settings of a company, as JSON by name: `faults`, `callees`, `autopilot:<user>`.

const settingNamed = hotQuery((db, v: { companyId: CompanyId; key: string }) =>
  db
    .selectFrom('sandbox_setting')
    .select('value')
    .where('company_id', '=', v.companyId)
    .where('key', '=', v.key)
    .compile(),
)

export async function readSandboxSetting(db: Db, companyId: CompanyId, key: string): Promise<string | undefined> {
  const [row] = await settingNamed(db, { companyId, key })
  return row?.value
}

export async function writeSandboxSetting(db: Db, companyId: CompanyId, key: string, value: string): Promise<void> {
  await db
    .insertInto('sandbox_setting')
    .values({ company_id: companyId, key, value })
    .onConflict((conflict) => conflict.columns(['company_id', 'key']).doUpdateSet({ value }))
    .execute()
}

export async function deleteSandboxSetting(db: Db, companyId: CompanyId, key: string): Promise<void> {
  await db.deleteFrom('sandbox_setting').where('company_id', '=', companyId).where('key', '=', key).execute()
}

/** Values of a setting, for all companies that have it. */
export async function settingOfAll(db: Db, key: string): Promise<{ companyId: CompanyId; value: string }[]> {
  const rows = await db.selectFrom('sandbox_setting').select(['company_id', 'value']).where('key', '=', key).execute()
  return rows.map(({ company_id, value }) => ({ companyId: company_id, value }))
}

/** Maps the engine's key of a call to its ID. */
export async function callIdOfKey(db: Db, companyId: CompanyId, key: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('call')
    .select('id')
    .where('uuid', '=', key)
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  return row?.id
}

/** Null if the team is empty. */
export async function firstMemberOf(db: Db, companyId: CompanyId, teamId: number): Promise<number | null> {
  const row = await db
    .selectFrom('team_member')
    .select('user_id')
    .where('company_id', '=', companyId)
    .where('team_id', '=', teamId)
    .orderBy('added_at')
    .orderBy('user_id')
    .executeTakeFirst()
  return row?.user_id ?? null
}

/** Numbers of contacts. */
export async function contactPhoneNumbers(db: Db, companyId: CompanyId): Promise<string[]> {
  const rows = await db
    .selectFrom('contact_phone')
    .select('value')
    .where('company_id', '=', companyId)
    .orderBy('id')
    .limit(500)
    .execute()
  return rows.map(({ value }) => value)
}

type PastRing = Pick<RingAttemptTable, 'outcome' | 'origin'> & {
  userId: number
  teamId: number | null
  startedAt: number
  endedAt: number
}

export async function insertRings(
  db: Db,
  companyId: CompanyId,
  { callId, numberId }: { callId: number; numberId: number },
  rings: readonly PastRing[],
): Promise<void> {
  if (rings.length === 0) return
  const rows = rings.map(({ userId, teamId, startedAt, endedAt, outcome, origin }) => ({
    company_id: companyId,
    call_id: callId,
    number_id: numberId,
    user_id: userId,
    team_id: teamId,
    started_at: startedAt,
    ended_at: endedAt,
    outcome,
    origin,
  }))
  await db.insertInto('ring_attempt').values(rows).execute()
}

interface PastParty {
  userId: number
  way: CallPartyTable['way']
  joinedAt: number
  leftAt: number
  gaveAt: number | null
}

export async function insertParties(
  db: Db,
  companyId: CompanyId,
  callId: number,
  parties: readonly PastParty[],
): Promise<void> {
  if (parties.length === 0) return
  const rows = parties.map(({ userId, way, joinedAt, leftAt, gaveAt }) => ({
    company_id: companyId,
    call_id: callId,
    user_id: userId,
    way,
    joined_at: joinedAt,
    left_at: leftAt,
    gave_at: gaveAt,
  }))
  await db.insertInto('call_party').values(rows).execute()
}

/** In chronological order per user. */
export async function insertStatuses(
  db: Db,
  companyId: CompanyId,
  statuses: readonly { userId: number; at: number; granular: string; reason: string | null }[],
): Promise<void> {
  const rows = statuses.map(({ userId, at, granular, reason }) => ({
    company_id: companyId,
    user_id: userId,
    at,
    granular,
    availability_status: reason === null ? 'available' : 'unavailable',
    reason,
  }))
  for (let i = 0; i < rows.length; i += 500) {
    await db
      .insertInto('user_status')
      .values(rows.slice(i, i + 500))
      .execute()
  }
}
