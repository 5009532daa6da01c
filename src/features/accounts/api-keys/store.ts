import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { ApiScope } from '../../../domain/api-scopes.ts'
import { addressesIn, scopesIn } from './stored-lists.ts'

/** Null in `scopes`: all of them. Null in `allowedIps`: any address. Times are machine time, except `createdAt`. */
export interface ApiKey {
  id: number
  apiId: string
  name: string
  createdBy: number | null
  createdAt: number
  scopes: ApiScope[] | null
  allowedIps: string[] | null
  expiresAt: number | null
  lastUsedAt: number | null
  rotatedAt: number | null
  /** Until when the token before the rotation is accepted. */
  previousExpiresAt: number | null
}

export interface KeySettings {
  name: string
  scopes: readonly ApiScope[] | null
  allowedIps: readonly string[] | null
  expiresAt: number | null
}

export interface NewApiKey extends KeySettings {
  apiId: string
  tokenHash: string
  createdBy: number | null
}

const listed = (values: readonly string[] | null) => (values === null ? null : JSON.stringify(values))

export async function insertKey(db: Db, companyId: CompanyId, key: NewApiKey, at: number): Promise<number> {
  const { id } = await db
    .insertInto('api_key')
    .values({
      company_id: companyId,
      api_id: key.apiId,
      token_hash: key.tokenHash,
      name: key.name,
      created_by: key.createdBy,
      active: 1,
      created_at: at,
      scopes: listed(key.scopes),
      allowed_ips: listed(key.allowedIps),
      expires_at: key.expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const rows = (db: Db, companyId: CompanyId) =>
  db
    .selectFrom('api_key')
    .select(['id', 'api_id', 'name', 'created_by', 'created_at', 'scopes', 'allowed_ips', 'expires_at'])
    .select(['last_used_at', 'rotated_at', 'previous_expires_at'])
    .where('company_id', '=', companyId)

type Row = Awaited<ReturnType<ReturnType<typeof rows>['executeTakeFirstOrThrow']>>

const keyOf = (row: Row): ApiKey => ({
  id: row.id,
  apiId: row.api_id,
  name: row.name,
  createdBy: row.created_by,
  createdAt: row.created_at,
  scopes: scopesIn(row.scopes),
  allowedIps: addressesIn(row.allowed_ips),
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  rotatedAt: row.rotated_at,
  previousExpiresAt: row.previous_expires_at,
})

export async function listKeys(db: Db, companyId: CompanyId): Promise<ApiKey[]> {
  return (await rows(db, companyId).orderBy('id').execute()).map(keyOf)
}

export async function findKey(db: Db, companyId: CompanyId, id: number): Promise<ApiKey | undefined> {
  const row = await rows(db, companyId).where('id', '=', id).executeTakeFirst()
  return row && keyOf(row)
}

export async function updateKey(
  db: Db,
  companyId: CompanyId,
  id: number,
  change: Partial<KeySettings>,
): Promise<boolean> {
  const { name, scopes, allowedIps, expiresAt } = change
  const { numUpdatedRows } = await db
    .updateTable('api_key')
    .set((eb) => ({
      name: name ?? eb.ref('name'),
      ...(scopes !== undefined && { scopes: listed(scopes) }),
      ...(allowedIps !== undefined && { allowed_ips: listed(allowedIps) }),
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
    }))
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The current token becomes the previous one, which is accepted until then. */
export async function replaceToken(
  db: Db,
  companyId: CompanyId,
  id: number,
  token: { hash: string; at: number; previousUntil: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_key')
    .set((eb) => ({
      previous_token_hash: eb.ref('token_hash'),
      previous_expires_at: token.previousUntil,
      token_hash: token.hash,
      rotated_at: token.at,
    }))
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteKey(db: Db, companyId: CompanyId, id: number): Promise<boolean> {
  const result = await db
    .deleteFrom('api_key')
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

export async function noteKeyUsed(db: Db, companyId: CompanyId, id: number, at: number): Promise<void> {
  await db
    .updateTable('api_key')
    .set({ last_used_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}
