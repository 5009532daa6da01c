import type { Updateable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { lockRow } from '../../../db/dialect.ts'
import type { CompanyId, Flag, WebhookTable } from '../../../db/tables.ts'
import { eventNames } from '../../../domain/events.ts'
import type { Window } from '../../../http/paging.ts'
import { lockCompany } from '../../accounts/index.ts'

export interface Webhook {
  id: string
  legacyId: number
  url: string
  customName: string
  active: boolean
  token: string
  createdAt: number
  /** Subscribed to all events, including those of later releases. */
  allEvents: boolean
  /** Subscriptions by name: the whole list, or service events in addition to all. */
  named: string[]
  status: WebhookTable['status']
}

/** API keys and the dashboard share their webhooks; an OAuth token sees its own only. */
export type Viewer = { kind: 'company' } | { kind: 'token'; tokenId: number } | { kind: 'everyone' }

export const subscriptions = (webhook: Webhook): string[] =>
  webhook.allEvents ? [...eventNames, ...webhook.named] : webhook.named

const columns = ['id', 'legacy_id', 'url', 'custom_name', 'status', 'token', 'created_at', 'all_events'] as const

type Row = Pick<WebhookTable, Exclude<(typeof columns)[number], 'legacy_id'>> & { legacy_id: number }

function visible(db: Db, companyId: CompanyId, viewer: Viewer) {
  const mine = db.selectFrom('webhook').where('company_id', '=', companyId).where('deleted_at', 'is', null)
  if (viewer.kind === 'everyone') return mine
  return viewer.kind === 'token'
    ? mine.where('oauth_token_id', '=', viewer.tokenId)
    : mine.where('owner_kind', 'in', ['basic', 'dashboard'])
}

export interface WebhookOwner {
  kind: WebhookTable['owner_kind']
  /** Of the API key or the app; null for webhooks of the dashboard. */
  name: string | null
}

/** Who created the webhooks, by webhook. */
export async function ownersOf(
  db: Db,
  companyId: CompanyId,
  ids: readonly string[],
): Promise<Map<string, WebhookOwner>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('webhook as w')
    .leftJoin('api_key as k', 'k.id', 'w.api_key_id')
    .leftJoin('oauth_token as t', 't.id', 'w.oauth_token_id')
    .leftJoin('oauth_app as a', 'a.id', 't.app_id')
    .select(['w.id', 'w.owner_kind', 'k.name as key_name', 't.custom_name', 'a.name as app_name'])
    .where('w.company_id', '=', companyId)
    .where('w.id', 'in', ids)
    .execute()
  return new Map(
    rows.map((row) => [row.id, { kind: row.owner_kind, name: row.app_name ?? row.custom_name ?? row.key_name }]),
  )
}

async function withEvents(db: Db, rows: Row[]): Promise<Webhook[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const names = await db
    .selectFrom('webhook_event')
    .select(['webhook_id', 'name'])
    .where('webhook_id', 'in', ids)
    .orderBy('name')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    legacyId: row.legacy_id,
    url: row.url,
    customName: row.custom_name,
    active: row.status === 'active',
    status: row.status,
    token: row.token,
    createdAt: row.created_at,
    allEvents: row.all_events === 1,
    named: names.filter(({ webhook_id }) => webhook_id === row.id).map(({ name }) => name),
  }))
}

/** By UUID, or by the legacy numeric ID. */
export async function findWebhook(db: Db, companyId: CompanyId, viewer: Viewer, ref: string | number) {
  const query = visible(db, companyId, viewer).select(columns)
  const row = await (typeof ref === 'number'
    ? query.where('legacy_id', '=', ref)
    : query.where('id', '=', ref)
  ).executeTakeFirst()
  const [webhook] = row ? await withEvents(db, [row]) : []
  return webhook
}

export async function lockWebhook(db: Db, companyId: CompanyId, viewer: Viewer, id: string) {
  const row = await lockRow(db, visible(db, companyId, viewer).select('id').where('id', '=', id)).executeTakeFirst()
  return row && findWebhook(db, companyId, viewer, id)
}

export async function pageOfWebhooks(db: Db, companyId: CompanyId, viewer: Viewer, window: Window) {
  const mine = visible(db, companyId, viewer)
  const { total } = await mine.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await mine
    .select(columns)
    .orderBy('created_at', window.order)
    .orderBy('legacy_id', window.order)
    .limit(window.limit)
    .offset(window.offset)
    .execute()
  return { webhooks: await withEvents(db, rows), total }
}

/** Counts all webhooks of the company and keeps its row locked, so that the limit holds. */
export async function countWebhooks(db: Db, companyId: CompanyId): Promise<number> {
  await lockCompany(db, companyId)
  const { n } = await db
    .selectFrom('webhook')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return n
}

export interface NewWebhook {
  id: string
  ownerKind: WebhookTable['owner_kind']
  oauthTokenId: number | null
  apiKeyId: number | null
  url: string
  customName: string
  token: string
  secretSealed: string
  createdBy: number | null
}

export async function insertWebhook(db: Db, companyId: CompanyId, webhook: NewWebhook, at: number): Promise<void> {
  await db
    .insertInto('webhook')
    .values({
      id: webhook.id,
      company_id: companyId,
      owner_kind: webhook.ownerKind,
      oauth_token_id: webhook.oauthTokenId,
      api_key_id: webhook.apiKeyId,
      integration: (await isIntegrationOff(db, companyId, webhook)) ? 'off' : 'on',
      url: webhook.url,
      custom_name: webhook.customName,
      all_events: 1,
      token: webhook.token,
      status: 'active',
      created_at: at,
      created_by: webhook.createdBy,
      secret_current: webhook.secretSealed,
    })
    .execute()
}

/** Whether the integration is disabled: the credentials are valid, but their webhooks receive nothing. */
async function isIntegrationOff(
  db: Db,
  companyId: CompanyId,
  { oauthTokenId, apiKeyId }: Pick<NewWebhook, 'oauthTokenId' | 'apiKeyId'>,
): Promise<boolean> {
  const row = await db
    .selectFrom(oauthTokenId === null ? 'api_key' : 'oauth_token')
    .select('active')
    .where('company_id', '=', companyId)
    .where('id', '=', oauthTokenId ?? apiKeyId)
    .executeTakeFirst()
  return row?.active === 0
}

export async function subscribe(db: Db, companyId: CompanyId, id: string, to: { all: boolean; named: string[] }) {
  const all_events: Flag = to.all ? 1 : 0
  await db.updateTable('webhook').set({ all_events }).where('company_id', '=', companyId).where('id', '=', id).execute()
  await db.deleteFrom('webhook_event').where('webhook_id', '=', id).execute()
  const rows = [...new Set(to.named)].map((name) => ({ webhook_id: id, name }))
  if (rows.length > 0) await db.insertInto('webhook_event').values(rows).execute()
}

export type WebhookChange = Partial<
  Pick<
    Updateable<WebhookTable>,
    | 'url'
    | 'custom_name'
    | 'status'
    | 'disable_reason'
    | 'disabled_at'
    | 'probe_until'
    | 'secret_current'
    | 'secret_previous'
    | 'secret_previous_until'
    | 'health'
    | 'consecutive_failures'
    | 'failing_since'
    | 'last_success_at'
    | 'warned_level'
    | 'cap'
    | 'streak'
  >
>

export async function updateWebhook(db: Db, companyId: CompanyId, id: string, change: WebhookChange): Promise<void> {
  if (Object.keys(change).length === 0) return
  await db.updateTable('webhook').set(change).where('company_id', '=', companyId).where('id', '=', id).execute()
}

/** Hides the webhook; the row is deleted once no delivery is in flight. */
export async function markWebhookDeleted(db: Db, companyId: CompanyId, id: string, at: number): Promise<boolean> {
  const result = await db
    .updateTable('webhook')
    .set({ deleted_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Deletes the webhook with its token, secrets and sequence numbers. */
export async function eraseWebhook(db: Db, companyId: CompanyId, id: string): Promise<void> {
  await db.deleteFrom('stream').where('webhook_id', '=', id).where('company_id', '=', companyId).execute()
  await db.deleteFrom('replay').where('webhook_id', '=', id).where('company_id', '=', companyId).execute()
  await db.deleteFrom('webhook').where('company_id', '=', companyId).where('id', '=', id).execute()
}

/** Stored health of the webhook. */
export async function healthOf(db: Db, companyId: CompanyId, id: string) {
  return db
    .selectFrom('webhook')
    .select([
      'status',
      'integration',
      'health',
      'consecutive_failures',
      'failing_since',
      'last_success_at',
      'disable_reason',
      'disabled_at',
      'probe_until',
      'secret_current',
      'secret_previous_until',
      'deleted_at',
      'created_by',
    ])
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** User who created the API key that created the webhook. */
export async function makerOfKey(db: Db, companyId: CompanyId, keyId: number): Promise<number | null> {
  const key = await db
    .selectFrom('api_key')
    .select('created_by')
    .where('company_id', '=', companyId)
    .where('id', '=', keyId)
    .executeTakeFirst()
  return key?.created_by ?? null
}

/** Across companies: webhooks to check when the service starts. */
export async function webhooksAtStart(db: Db) {
  return db
    .selectFrom('webhook')
    .select(['id', 'company_id', 'url', 'status', 'disable_reason', 'secret_current'])
    .where('deleted_at', 'is', null)
    .where('integration', '<>', 'removed')
    .execute()
}
