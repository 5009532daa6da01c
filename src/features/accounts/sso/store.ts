import type { Db } from '../../../db/database.ts'
import type { CompanyId, Role } from '../../../db/tables.ts'

// Settings of single sign-on, the accounts of the provider that belong to users, and sign-ins that have started.

/** The role of an owner is given in the dashboard only. */
export type MappedRole = Exclude<Role, 'owner'>

export interface RoleMapping {
  value: string
  role: MappedRole
}

export interface Sso {
  issuer: string
  clientId: string
  clientSecretSealed: string | null
  domains: string[]
  createsUsers: boolean
  trustsEmail: boolean
  roleClaim: string
  roleMap: RoleMapping[]
  defaultRole: MappedRole | null
  forced: boolean
}

const ssoColumns = [
  'issuer',
  'client_id',
  'client_secret_sealed',
  'domains',
  'creates_users',
  'trusts_email',
  'role_claim',
  'role_map',
  'default_role',
  'forced',
] as const

export async function findSso(db: Db, companyId: CompanyId): Promise<Sso | undefined> {
  const row = await db.selectFrom('sso').select(ssoColumns).where('company_id', '=', companyId).executeTakeFirst()
  if (!row) return undefined
  return {
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecretSealed: row.client_secret_sealed,
    domains: JSON.parse(row.domains),
    createsUsers: row.creates_users === 1,
    trustsEmail: row.trusts_email === 1,
    roleClaim: row.role_claim,
    roleMap: JSON.parse(row.role_map),
    defaultRole: row.default_role,
    forced: row.forced === 1,
  }
}

export async function saveSso(db: Db, companyId: CompanyId, sso: Sso, at: number): Promise<void> {
  const row = {
    issuer: sso.issuer,
    client_id: sso.clientId,
    client_secret_sealed: sso.clientSecretSealed,
    domains: JSON.stringify(sso.domains),
    creates_users: sso.createsUsers ? 1 : 0,
    trusts_email: sso.trustsEmail ? 1 : 0,
    role_claim: sso.roleClaim,
    role_map: JSON.stringify(sso.roleMap),
    default_role: sso.defaultRole,
    forced: sso.forced ? 1 : 0,
    changed_at: at,
  } as const
  await db
    .insertInto('sso')
    .values({ company_id: companyId, ...row })
    .onConflict((conflict) => conflict.column('company_id').doUpdateSet(row))
    .execute()
}

/** With the accounts of the provider: another provider may use the same subjects. */
export async function deleteSso(db: Db, companyId: CompanyId): Promise<boolean> {
  await db.deleteFrom('sso_request').where('company_id', '=', companyId).execute()
  await db.deleteFrom('sso_identity').where('company_id', '=', companyId).execute()
  const row = await db.deleteFrom('sso').where('company_id', '=', companyId).returning('issuer').executeTakeFirst()
  return row !== undefined
}

/** Of all companies: before the sign-in the company is not known. */
export async function companiesWithSso(db: Db): Promise<{ companyId: CompanyId; name: string; domains: string[] }[]> {
  const rows = await db
    .selectFrom('sso')
    .innerJoin('company', 'company.id', 'sso.company_id')
    .select(['sso.company_id', 'company.name', 'sso.domains'])
    .where('company.active', '=', 1)
    .orderBy('sso.company_id')
    .execute()
  return rows.map(({ company_id, name, domains }) => ({ companyId: company_id, name, domains: JSON.parse(domains) }))
}

export async function userOfSubject(
  db: Db,
  companyId: CompanyId,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<number | undefined> {
  const row = await db
    .selectFrom('sso_identity')
    .select('user_id')
    .where('company_id', '=', companyId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.user_id
}

/** A user has one account at a provider: a newer one replaces it. */
export async function linkSubject(
  db: Db,
  companyId: CompanyId,
  { issuer, subject, userId, at }: { issuer: string; subject: string; userId: number; at: number },
): Promise<void> {
  await db
    .deleteFrom('sso_identity')
    .where('company_id', '=', companyId)
    .where('issuer', '=', issuer)
    .where(({ eb, or }) => or([eb('user_id', '=', userId), eb('subject', '=', subject)]))
    .execute()
  await db
    .insertInto('sso_identity')
    .values({ company_id: companyId, issuer, subject, user_id: userId, created_at: at })
    .execute()
}

/** How many users have signed in at the provider. */
export async function countLinked(db: Db, companyId: CompanyId, issuer: string): Promise<number> {
  const { n } = await db
    .selectFrom('sso_identity')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .where('issuer', '=', issuer)
    .executeTakeFirstOrThrow()
  return Number(n)
}

export interface SsoRequest {
  stateHash: string
  browserHash: string
  nonce: string
  verifierSealed: string
  expiresAt: number
}

export async function insertSsoRequest(db: Db, companyId: CompanyId, request: SsoRequest): Promise<void> {
  await db
    .insertInto('sso_request')
    .values({
      state_hash: request.stateHash,
      company_id: companyId,
      browser_hash: request.browserHash,
      nonce: request.nonce,
      verifier_sealed: request.verifierSealed,
      expires_at: request.expiresAt,
    })
    .execute()
}

/** In one statement, so that a response of the provider is used once. */
export async function takeSsoRequest(
  db: Db,
  { stateHash, browserHash }: Pick<SsoRequest, 'stateHash' | 'browserHash'>,
  now: number,
): Promise<{ companyId: CompanyId; nonce: string; verifierSealed: string } | undefined> {
  const row = await db
    .deleteFrom('sso_request')
    .where('state_hash', '=', stateHash)
    .where('browser_hash', '=', browserHash)
    .where('expires_at', '>', now)
    .returning(['company_id', 'nonce', 'verifier_sealed'])
    .executeTakeFirst()
  return row && { companyId: row.company_id, nonce: row.nonce, verifierSealed: row.verifier_sealed }
}

/** Of all companies. */
export async function deleteOldSsoRequests(db: Db, now: number): Promise<void> {
  await db.deleteFrom('sso_request').where('expires_at', '<=', now).execute()
}

/** Sessions that started otherwise, except those of owners; returns their users. */
export async function deleteOtherSessions(db: Db, companyId: CompanyId): Promise<number[]> {
  const owners = db
    .selectFrom('user_role')
    .select('user_id')
    .where('company_id', '=', companyId)
    .where('role', '=', 'owner')
  const rows = await db
    .deleteFrom('session')
    .where('company_id', '=', companyId)
    .where(({ eb, or }) => or([eb('method', 'is', null), eb('method', '<>', 'sso')]))
    .where('user_id', 'not in', owners)
    .returning('user_id')
    .execute()
  return [...new Set(rows.map(({ user_id }) => user_id))]
}
