import type { Db } from '../../../db/database.ts'
import type { CompanyId, WebhookTable } from '../../../db/tables.ts'
import { replaceNumbers } from '../oauth/store.ts'

// What speaks for a company: apps that an admin has installed, each with its own token, and the company's own keys.

/** Which credentials: the row of a token or of a key. */
export interface Which {
  kind: 'oauth' | 'api_key'
  row: number
}

export interface Integration {
  which: Which
  companyId: CompanyId
  appId: number | null
  name: string
  customName: string | null
  logoUrl: string | null
  active: boolean
  /** Null: all Numbers of the company. */
  onlyNumbers: number[] | null
  userId: number | null
  installedAt: number
}

export async function findIntegration(db: Db, companyId: CompanyId, which: Which): Promise<Integration | undefined> {
  const [found] = which.kind === 'oauth' ? await apps(db, companyId, which.row) : await keys(db, companyId, which.row)
  return found
}

/** Apps before keys, the newest first. */
export async function listIntegrations(db: Db, companyId: CompanyId): Promise<Integration[]> {
  return [...(await apps(db, companyId)), ...(await keys(db, companyId))]
}

async function apps(db: Db, companyId: CompanyId, only?: number): Promise<Integration[]> {
  let query = db
    .selectFrom('oauth_token')
    .leftJoin('oauth_app', 'oauth_app.id', 'oauth_token.app_id')
    .select([
      'oauth_token.id',
      'oauth_token.app_id',
      'oauth_token.user_id',
      'oauth_token.custom_name',
      'oauth_token.active',
      'oauth_token.restricted',
      'oauth_token.created_at',
      'oauth_app.name',
      'oauth_app.logo_url',
    ])
    .where('oauth_token.company_id', '=', companyId)
    .where('oauth_token.revoked_at', 'is', null)
    .where('oauth_app.deleted_at', 'is', null)
    .orderBy('oauth_token.id', 'desc')
  if (only !== undefined) query = query.where('oauth_token.id', '=', only)
  const rows = await query.execute()
  const numbers = await numbersOf(db, companyId, only)
  return rows.map((row) => ({
    which: { kind: 'oauth', row: row.id },
    companyId,
    appId: row.app_id,
    name: row.name ?? 'OAuth app',
    customName: row.custom_name,
    logoUrl: row.logo_url,
    active: row.active === 1,
    onlyNumbers: row.restricted === 1 ? (numbers.get(row.id) ?? []) : null,
    userId: row.user_id,
    installedAt: row.created_at,
  }))
}

/** Of Numbers that are still there. */
async function numbersOf(db: Db, companyId: CompanyId, only?: number): Promise<Map<number, number[]>> {
  let query = db
    .selectFrom('oauth_token_number')
    .innerJoin('number', 'number.id', 'oauth_token_number.number_id')
    .select(['oauth_token_number.token_id', 'oauth_token_number.number_id'])
    .where('oauth_token_number.company_id', '=', companyId)
    .orderBy('oauth_token_number.number_id')
  if (only !== undefined) query = query.where('oauth_token_number.token_id', '=', only)
  const found = new Map<number, number[]>()
  for (const { token_id, number_id } of await query.execute()) {
    found.set(token_id, [...(found.get(token_id) ?? []), number_id])
  }
  return found
}

async function keys(db: Db, companyId: CompanyId, only?: number): Promise<Integration[]> {
  let query = db
    .selectFrom('api_key')
    .select(['id', 'name', 'custom_name', 'active', 'created_by', 'created_at'])
    .where('company_id', '=', companyId)
    .orderBy('id', 'desc')
  if (only !== undefined) query = query.where('id', '=', only)
  return (await query.execute()).map((row) => ({
    which: { kind: 'api_key', row: row.id },
    companyId,
    appId: null,
    name: row.name,
    customName: row.custom_name,
    logoUrl: null,
    active: row.active === 1,
    onlyNumbers: null,
    userId: row.created_by,
    installedAt: row.created_at,
  }))
}

export async function allNumberIds(db: Db, companyId: CompanyId): Promise<number[]> {
  const rows = await db.selectFrom('number').select('id').where('company_id', '=', companyId).orderBy('id').execute()
  return rows.map(({ id }) => id)
}

export interface IntegrationChange {
  active?: boolean | undefined
  customName?: string | null | undefined
}

export async function updateIntegration(
  db: Db,
  companyId: CompanyId,
  { kind, row }: Which,
  { active, customName }: IntegrationChange,
): Promise<void> {
  const change = {
    ...(active !== undefined && { active: active ? (1 as const) : (0 as const) }),
    ...(customName !== undefined && { custom_name: customName }),
  }
  if (Object.keys(change).length === 0) return
  const table = kind === 'oauth' ? 'oauth_token' : 'api_key'
  await db.updateTable(table).set(change).where('company_id', '=', companyId).where('id', '=', row).execute()
}

/** To these Numbers; null: to none in particular. */
export async function restrictTo(db: Db, companyId: CompanyId, tokenId: number, numberIds: readonly number[] | null) {
  await db
    .updateTable('oauth_token')
    .set({ restricted: numberIds ? 1 : 0 })
    .where('company_id', '=', companyId)
    .where('id', '=', tokenId)
    .execute()
  await replaceNumbers(db, companyId, tokenId, numberIds ?? [])
}

/** Says for the webhooks made with the credentials whether they are sent anything, and which these are. */
export async function markWebhooks(
  db: Db,
  companyId: CompanyId,
  { kind, row }: Which,
  integration: 'on' | 'off' | 'removed',
): Promise<string[]> {
  const rows = await db
    .updateTable('webhook')
    .set({ integration })
    .where('company_id', '=', companyId)
    .where(kind === 'oauth' ? 'oauth_token_id' : 'api_key_id', '=', row)
    .where('integration', '<>', integration)
    .where('deleted_at', 'is', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Its key goes and they stay: what was off because of the key is paused from now on, and anybody may switch it on. */
export async function pauseWebhooksOfKey(db: Db, companyId: CompanyId, keyId: number): Promise<void> {
  const paused: WebhookTable['status'] = 'paused'
  await db
    .updateTable('webhook')
    .set({ integration: 'on', status: paused })
    .where('company_id', '=', companyId)
    .where('api_key_id', '=', keyId)
    .where('integration', '=', 'off')
    .where('status', '=', 'active')
    .execute()
  await db
    .updateTable('webhook')
    .set({ integration: 'on' })
    .where('company_id', '=', companyId)
    .where('api_key_id', '=', keyId)
    .where('integration', '=', 'off')
    .execute()
}
