import type { Db } from '../../../db/database.ts'
import type { CompanyId, Flag } from '../../../db/tables.ts'

export interface WrapUp {
  callId: number
  /** Null while only a tag can end it. */
  until: number | null
  needsTag: boolean
  /** How many calls are wrapped up after this one. */
  following: number
}

export async function wrapUpOf(db: Db, companyId: CompanyId, userId: number): Promise<WrapUp | null> {
  const row = await db
    .selectFrom('user')
    .select(['wrap_up_call_id', 'wrap_up_until', 'wrap_up_tag', 'wrap_up_pending'])
    .where('company_id', '=', companyId)
    .where('id', '=', userId)
    .executeTakeFirst()
  if (!row || row.wrap_up_call_id === null) return null
  const following = row.wrap_up_pending === null ? 0 : (JSON.parse(row.wrap_up_pending) as number[]).length
  return { callId: row.wrap_up_call_id, until: row.wrap_up_until, needsTag: row.wrap_up_tag === 1, following }
}

export interface CallPreferences {
  callWaiting: boolean
  voicemailEmails: boolean
}

export async function callPreferences(db: Db, companyId: CompanyId, userId: number): Promise<CallPreferences> {
  const row = await db
    .selectFrom('user')
    .select(['call_waiting', 'voicemail_email'])
    .where('company_id', '=', companyId)
    .where('id', '=', userId)
    .executeTakeFirst()
  return { callWaiting: row?.call_waiting === 1, voicemailEmails: row?.voicemail_email === 1 }
}

export async function setCallPreferences(
  db: Db,
  companyId: CompanyId,
  userId: number,
  { callWaiting, voicemailEmails }: Partial<CallPreferences>,
): Promise<void> {
  const change = {
    ...(callWaiting !== undefined && { call_waiting: flag(callWaiting) }),
    ...(voicemailEmails !== undefined && { voicemail_email: flag(voicemailEmails) }),
  }
  await db.updateTable('user').set(change).where('company_id', '=', companyId).where('id', '=', userId).execute()
}

const flag = (isOn: boolean): Flag => (isOn ? 1 : 0)

/** Of these users, those who receive voicemails by e-mail. */
export async function wantingVoicemails(db: Db, companyId: CompanyId, userIds: readonly number[]): Promise<number[]> {
  if (userIds.length === 0) return []
  const rows = await db
    .selectFrom('user')
    .select('id')
    .where('company_id', '=', companyId)
    .where('id', 'in', [...userIds])
    .where('voicemail_email', '=', 1)
    .where('confirmed_at', 'is not', null)
    .where('deactivated_at', 'is', null)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
