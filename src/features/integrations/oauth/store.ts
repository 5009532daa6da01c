import type { Db } from '../../../db/database.ts'
import { lockRow } from '../../../db/dialect.ts'
import type { CompanyId, Flag, OauthAppTable } from '../../../db/tables.ts'

// OAuth apps, authorization codes and tokens. Secrets are stored as hashes only.

export interface OauthApp {
  id: number
  /** Company that registered the app. */
  companyId: CompanyId
  name: string
  description: string
  logoUrl: string | null
  clientId: string
  installUri: string
  redirectUri: string
  listed: boolean
  createdAt: number
}

const columns = [
  'id',
  'company_id',
  'name',
  'description',
  'logo_url',
  'client_id',
  'install_uri',
  'redirect_uri',
  'listed',
  'created_at',
] as const

type Row = Pick<OauthAppTable, Exclude<(typeof columns)[number], 'id'>> & { id: number }

const toApp = (row: Row): OauthApp => ({
  id: row.id,
  companyId: row.company_id,
  name: row.name,
  description: row.description,
  logoUrl: row.logo_url,
  clientId: row.client_id,
  installUri: row.install_uri,
  redirectUri: row.redirect_uri,
  listed: row.listed === 1,
  createdAt: row.created_at,
})

export async function listApps(db: Db, companyId: CompanyId): Promise<OauthApp[]> {
  const rows = await db
    .selectFrom('oauth_app')
    .select(columns)
    .where('company_id', '=', companyId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(toApp)
}

export async function findApp(db: Db, companyId: CompanyId, id: number): Promise<OauthApp | undefined> {
  const row = await db
    .selectFrom('oauth_app')
    .select(columns)
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row && toApp(row)
}

/** Apps the company's admins can install: its own, and listed apps of other companies. */
export async function appsOnOffer(db: Db, companyId: CompanyId): Promise<OauthApp[]> {
  const rows = await db
    .selectFrom('oauth_app')
    .select(columns)
    .where(({ or, eb }) => or([eb('company_id', '=', companyId), eb('listed', '=', 1)]))
    .where('deleted_at', 'is', null)
    .orderBy('name')
    .orderBy('id')
    .execute()
  return rows.map(toApp)
}

/** Across companies: a client authenticates by its client_id. */
export async function findClient(db: Db, clientId: string): Promise<(OauthApp & { secretHash: string }) | undefined> {
  const row = await db
    .selectFrom('oauth_app')
    .select([...columns, 'secret_hash'])
    .where('client_id', '=', clientId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row && { ...toApp(row), secretHash: row.secret_hash }
}

export interface NewApp {
  name: string
  description: string
  logoUrl: string | null
  clientId: string
  secretHash: string
  installUri: string
  redirectUri: string
  listed: boolean
}

export async function insertApp(db: Db, companyId: CompanyId, app: NewApp, at: number): Promise<number> {
  const { id } = await db
    .insertInto('oauth_app')
    .values({
      company_id: companyId,
      name: app.name,
      description: app.description,
      logo_url: app.logoUrl,
      client_id: app.clientId,
      secret_hash: app.secretHash,
      install_uri: app.installUri,
      redirect_uri: app.redirectUri,
      listed: app.listed ? 1 : 0,
      created_at: at,
      deleted_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export type AppChange = Partial<
  Pick<OauthAppTable, 'name' | 'description' | 'logo_url' | 'install_uri' | 'redirect_uri' | 'listed' | 'secret_hash'>
>

export async function updateApp(db: Db, companyId: CompanyId, id: number, change: AppChange): Promise<void> {
  if (Object.keys(change).length === 0) return
  await db
    .updateTable('oauth_app')
    .set(change)
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

/** The app can no longer be installed and its tokens are rejected; a job removes its installations. */
export async function markAppDeleted(db: Db, companyId: CompanyId, id: number, at: number): Promise<boolean> {
  const result = await db
    .updateTable('oauth_app')
    .set({ deleted_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Installations of an app in all companies. */
export async function installationsOf(db: Db, appId: number, limit: number) {
  const rows = await db
    .selectFrom('oauth_token')
    .select(['id', 'company_id'])
    .where('app_id', '=', appId)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id, company_id }) => ({ tokenId: id, companyId: company_id }))
}

export interface NewCode {
  hash: string
  appId: number
  userId: number
  redirectUri: string
  challenge: string
  numberIds: number[] | null
  createdAt: number
  expiresAt: number
}

export async function insertCode(db: Db, companyId: CompanyId, code: NewCode): Promise<void> {
  await db
    .insertInto('oauth_code')
    .values({
      hash: code.hash,
      company_id: companyId,
      app_id: code.appId,
      user_id: code.userId,
      redirect_uri: code.redirectUri,
      challenge: code.challenge,
      number_ids: code.numberIds && JSON.stringify(code.numberIds),
      created_at: code.createdAt,
      expires_at: code.expiresAt,
      used_at: null,
      token_id: null,
    })
    .execute()
}

export interface Presented {
  hash: string
  appId: number
  redirectUri: string
  /** Challenge derived from the verifier; empty if there is none. */
  challenge: string
}

/**
 * One statement enforces single use: of several concurrent requests, one finds the code unused. A client without the
 * verifier cannot use up the code.
 */
export async function useCode(db: Db, { hash, appId, redirectUri, challenge }: Presented, at: number) {
  const row = await db
    .updateTable('oauth_code')
    .set({ used_at: at })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', at)
    .where('app_id', '=', appId)
    .where('redirect_uri', '=', redirectUri)
    .where('challenge', '=', challenge)
    .returning(['company_id', 'user_id', 'number_ids'])
    .executeTakeFirst()
  return (
    row && {
      companyId: row.company_id,
      userId: row.user_id,
      numberIds: row.number_ids === null ? null : (JSON.parse(row.number_ids) as number[]),
    }
  )
}

/** The valid token of the same exchange by the same client, if issued since then. */
export async function tokenOfRepeat(db: Db, { hash, appId, redirectUri, challenge }: Presented, since: number) {
  const row = await db
    .selectFrom('oauth_code')
    .innerJoin('oauth_token', 'oauth_token.id', 'oauth_code.token_id')
    .select(['oauth_token.token_hash', 'oauth_token.created_at'])
    .where('oauth_code.hash', '=', hash)
    .where('oauth_code.app_id', '=', appId)
    .where('oauth_code.redirect_uri', '=', redirectUri)
    .where('oauth_code.challenge', '=', challenge)
    .where('oauth_code.used_at', '>', since)
    .where('oauth_token.revoked_at', 'is', null)
    .executeTakeFirst()
  return row && { tokenHash: row.token_hash, createdAt: row.created_at }
}

/** The valid token that a used code was exchanged for. */
export async function tokenOfCode(db: Db, hash: string, appId: number) {
  const row = await db
    .selectFrom('oauth_code')
    .innerJoin('oauth_token', 'oauth_token.id', 'oauth_code.token_id')
    .select(['oauth_token.id', 'oauth_token.company_id'])
    .where('oauth_code.hash', '=', hash)
    .where('oauth_code.app_id', '=', appId)
    .where('oauth_token.revoked_at', 'is', null)
    .executeTakeFirst()
  return row && { tokenId: row.id, companyId: row.company_id }
}

export interface NewToken {
  appId: number
  userId: number
  tokenHash: string
  numberIds: number[] | null
  /** Hash of the code it was exchanged for. */
  codeHash: string
}

export async function insertToken(db: Db, companyId: CompanyId, token: NewToken, at: number): Promise<number> {
  const restricted: Flag = token.numberIds ? 1 : 0
  const { id } = await db
    .insertInto('oauth_token')
    .values({
      company_id: companyId,
      app_id: token.appId,
      user_id: token.userId,
      token_hash: token.tokenHash,
      created_at: at,
      revoked_at: null,
      restricted,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (token.numberIds) await replaceNumbers(db, companyId, id, token.numberIds)
  await db
    .updateTable('oauth_code')
    .set({ token_id: id })
    .where('company_id', '=', companyId)
    .where('hash', '=', token.codeHash)
    .execute()
  return id
}

export async function replaceNumbers(db: Db, companyId: CompanyId, tokenId: number, numberIds: readonly number[]) {
  await db
    .deleteFrom('oauth_token_number')
    .where('company_id', '=', companyId)
    .where('token_id', '=', tokenId)
    .execute()
  const rows = [...new Set(numberIds)].map((number_id) => ({ token_id: tokenId, number_id, company_id: companyId }))
  if (rows.length > 0) await db.insertInto('oauth_token_number').values(rows).execute()
}

/** Locks the token until the transaction ends; undefined if it was revoked in the meantime. */
export async function lockToken(
  db: Db,
  companyId: CompanyId,
  id: number,
): Promise<{ appId: number | null } | undefined> {
  const query = db
    .selectFrom('oauth_token')
    .select('app_id')
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
  const row = await lockRow(db, query).executeTakeFirst()
  return row && { appId: row.app_id }
}

export async function revokeToken(db: Db, companyId: CompanyId, id: number, at: number): Promise<void> {
  await db
    .updateTable('oauth_token')
    .set({ revoked_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

/** Deletes codes that expired long ago. */
export async function deleteOldCodes(db: Db, before: number): Promise<void> {
  await db.deleteFrom('oauth_code').where('expires_at', '<', before).execute()
}
