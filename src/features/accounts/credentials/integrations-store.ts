import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'

// What acts for a company: apps that an admin has installed, each with its own token, and the company's API keys.

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
