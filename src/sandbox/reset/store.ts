import type { Db } from '../../db/database.ts'
import { idsFromJson } from '../../db/dialect.ts'
import type { CompanyId } from '../../db/tables.ts'
import { emailKey } from '../../domain/email.ts'
import type { Flow } from '../../domain/flow/document.ts'
import { publishFlow } from '../../features/accounts/numbers/store.ts'
import { type NewUser, replaceRoles } from '../../features/accounts/users/store.ts'
import type { NewNumber } from '../../features/numbers/numbers/store.ts'

// Tables of a company, referencing tables before referenced ones. Credentials and rows with seeded IDs are kept.
export const kept = [
  'company',
  'api_key',
  'oauth_app',
  'oauth_code',
  'oauth_token',
  'oauth_token_number',
  'session',
  'two_step',
  'recovery_code',
  'sso',
  'sso_identity',
  'sso_request',
  'passkey',
  'passkey_challenge',
  'push_subscription',
  'rate_window',
  'audit',
  'audit_head',
] as const
/** Tables that are not deleted as a whole or at once: deliveries in flight are waited for. */
export const rebuilt = ['user', 'number', 'phone_session', 'webhook', 'stream', 'event', 'delivery', 'attempt'] as const
export const wiped = [
  'imported_object',
  'import_problem',
  'import_progress',
  'import_run',
  'edit',
  'idempotency_key',
  'blocked_caller',
  'live_alert',
  'live_setting',
  'scheduled_report_run',
  'scheduled_report_recipient',
  'scheduled_report',
  'bulk_change_row',
  'bulk_change',
  'saved_filter',
  'direct_message',
  'direct_conversation',
  'call_read',
  'live_call',
  'live_party',
  'queue_place',
  'ring_reservation',
  'call_command',
  'callback_request',
  'dialled',
  'dial_limit',
  'message_limit',
  'message_use',
  'trunk',
  'trunk_assignment',
  'sound',
  'message_piece',
  'message_arrival',
  'message_part',
  'message_callback',
  'message',
  'conversation',
  'message_configuration',
  'opt_out',
  'sms_template',
  'whatsapp_template',
  'message_line',
  'message_lease',
  'carrier',
  'dialer_number',
  'dialer_campaign',
  'device_contact',
  'device',
  'call_forwarding',
  'short_url',
  'ring_attempt',
  'call_party',
  'party_part',
  'call_review',
  'evaluation',
  'action_item',
  'insight',
  'transcript_word',
  'transcript',
  'guide',
  'company_engine',
  'intelligence_switch',
  'analytics_export',
  'call_tag',
  'call_comment',
  'call_trace',
  'leg_quality',
  'ai_agent_session',
  'ai_agent_test_set',
  'ai_usage',
  'ai_agent_version',
  'suggestion_source',
  'ai_agent_passage',
  'ai_agent_document',
  'ai_outbound_call',
  'call_opt_out',
  'ai_campaign_recipient',
  'ai_campaign',
  'ai_voice_agent',
  'call',
  'call_count',
  'missed_call_count',
  'replay',
  'contact_phone',
  'contact_email',
  'contact_word',
  'name_part',
  'phone_part',
  'contact',
  'contact_count',
  'tag',
  'team_member',
  'team',
  'past_team',
  'past_number',
  'number_user',
  'number_target',
  'flow_draft',
  'flow_version',
  'user_status',
  'user_role',
  'invitation',
  'mail',
  'sandbox_setting',
] as const

/** Files of calls, uploads and exports, which outlive their rows. */
export async function soundFilesOf(db: Db, companyId: CompanyId): Promise<string[]> {
  const rows = await db
    .selectFrom('call')
    .select(['recording', 'voicemail'])
    .where('company_id', '=', companyId)
    .where(({ or, eb }) => or([eb('recording', 'is not', null), eb('voicemail', 'is not', null)]))
    .execute()
  const uploads = await db
    .selectFrom('sound')
    .select('file')
    .where('company_id', '=', companyId)
    .where('file', 'is not', null)
    .execute()
  const exports = await db
    .selectFrom('analytics_export')
    .select('file')
    .where('company_id', '=', companyId)
    .where('file', 'is not', null)
    .execute()
  return [
    ...rows.flatMap(({ recording, voicemail }) => [recording, voicemail]),
    ...uploads.map(({ file }) => file),
    ...exports.map(({ file }) => file),
  ].filter((file) => file !== null)
}

/** Deletes everything except credentials, the given users and Numbers, and deliveries in flight. */
export async function wipeCompany(
  db: Db,
  companyId: CompanyId,
  keep: { userIds: readonly number[]; numberIds: readonly number[] },
): Promise<void> {
  for (const table of wiped) await db.deleteFrom(table).where('company_id', '=', companyId).execute()
  const flying = db.selectFrom('delivery').where('company_id', '=', companyId).where('state', '=', 'leased')
  await db
    .deleteFrom('attempt')
    .where('company_id', '=', companyId)
    .where('delivery_id', 'not in', flying.select('id'))
    .execute()
  await db.deleteFrom('delivery').where('company_id', '=', companyId).where('state', '<>', 'leased').execute()
  await db
    .deleteFrom('event')
    .where('company_id', '=', companyId)
    .where('row_id', 'not in', flying.select('event_row'))
    .execute()
  const kinds = ['sandbox', 'device', 'mobile'] as const
  await db.deleteFrom('phone_session').where('company_id', '=', companyId).where('kind', 'in', kinds).execute()
  const asNew = { active: 1 as const, custom_name: null }
  await db.updateTable('api_key').set(asNew).where('company_id', '=', companyId).execute()
  await db.updateTable('oauth_token').set(asNew).where('company_id', '=', companyId).execute()
  await deleteOthers(db, companyId, 'user', keep.userIds)
  await deleteOthers(db, companyId, 'number', keep.numberIds)
}

async function deleteOthers(db: Db, companyId: CompanyId, table: 'user' | 'number', ids: readonly number[]) {
  const spared = idsFromJson(db, JSON.stringify(ids))
  await db.deleteFrom(table).where('company_id', '=', companyId).where('id', 'not in', spared).execute()
}

export async function webhookIdsOf(db: Db, companyId: CompanyId): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook')
    .select('id')
    .where('company_id', '=', companyId)
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}

/** Restores a seeded user under the same ID, even if the user was deleted. */
export async function restoreUser(
  db: Db,
  companyId: CompanyId,
  id: number,
  { roles, ...user }: NewUser & { extension: string },
  at: number,
): Promise<void> {
  const { n: sessions } = await db
    .selectFrom('phone_session')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .where('user_id', '=', id)
    .where('kind', '<>', 'supervision')
    .executeTakeFirstOrThrow()
  const row = {
    email: user.email,
    email_key: emailKey(user.email),
    first_name: user.firstName,
    last_name: user.lastName,
    language: user.language,
    time_zone: user.timeZone,
    wrap_up_time: user.wrapUpTime,
    extension: user.extension,
    availability_status: user.status,
    reason: null,
    unavailable_until: null,
    resume_status: null,
    default_number_id: null,
    working_hours: null,
    call_sound: 'standard' as const,
    call_waiting: 0 as const,
    voicemail_email: 1 as const,
    confirmed_at: user.confirmedAt,
    created_at: at,
    deleted_at: null,
    sessions,
    in_call: 0,
    wrap_up_call_id: null,
    wrap_up_until: null,
    wrap_up_tag: 0 as const,
    wrap_up_pending: null,
    granular: sessions > 0 ? 'available' : 'offline',
    granular_since: at,
  }
  await db
    .insertInto('user')
    .values({ id, company_id: companyId, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
  await replaceRoles(db, companyId, id, roles)
}

/** Restores a seeded Number under the same ID, with one version of its flow. */
export async function restoreNumber(
  db: Db,
  companyId: CompanyId,
  id: number,
  number: NewNumber,
  flow: Flow,
): Promise<void> {
  const row = { ...number, flow_version: 0 }
  await db
    .insertInto('number')
    .values({ id, company_id: companyId, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
  await publishFlow(db, companyId, id, flow, 1, number.created_at)
}
