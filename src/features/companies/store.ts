import { sql } from 'kysely'
import { type Db, transaction } from '../../db/database.ts'
import { listen, lockRow, notify } from '../../db/dialect.ts'
import { hotQuery } from '../../db/hot-query.ts'
import type { AiPackage, CompanyId, CompanyTable, Flag, Plan, Role } from '../../db/tables.ts'
import type { Lookups } from '../../http/auth.ts'
import type { Caller, Entitlements } from '../../http/caller.ts'
import type { Window } from '../../http/paging.ts'
import type { RateStore } from '../../http/rate-limit.ts'
import { type Clock, day, hour } from '../../lib/clock.ts'

export interface Company extends Entitlements {
  id: CompanyId
  name: string
  mandatoryTagging: boolean
  countries: string[] | null
}

export const maxTeams: Record<Plan, number> = { essentials: 3, professional: 50, custom: Number.POSITIVE_INFINITY }

const entitlementColumns = [
  'company.plan',
  'company.ai_package',
  'company.whatsapp',
  'company.analytics_plus',
  'company.ai_voice_agents',
  'company.active',
  'company.verified',
] as const

type EntitlementRow = Pick<
  CompanyTable,
  'plan' | 'ai_package' | 'whatsapp' | 'analytics_plus' | 'ai_voice_agents' | 'active' | 'verified'
>

const entitlementsOf = (row: EntitlementRow): Entitlements => ({
  plan: row.plan,
  aiPackage: row.ai_package,
  whatsapp: row.whatsapp === 1,
  analyticsPlus: row.analytics_plus === 1,
  aiVoiceAgents: row.ai_voice_agents === 1,
  active: row.active === 1,
  verified: row.verified === 1,
})

/** Sessions end after 12 idle hours and after 7 days, in machine time: winding the clock signs nobody out. */
const idleLimit = 12 * hour
const absoluteLimit = 7 * day

interface KeyRow extends EntitlementRow {
  id: number
  company_id: CompanyId
  token_hash: string
}

// Always one row, empty when nobody has the key: reading one row more or less could be heard from outside.
const keyWithCompany = hotQuery((db, { apiId }: { apiId: string }) =>
  sql<KeyRow | { id: null }>`select k.id, k.company_id, k.token_hash,
      c.plan, c.ai_package, c.whatsapp, c.analytics_plus, c.ai_voice_agents, c.active, c.verified
    from (select 1 as one) as asked
    left join api_key as k on k.api_id = ${apiId} left join company as c on c.id = k.company_id`.compile(db),
)

export function credentialLookups(db: Db, clock: Clock): Lookups {
  return {
    async key(apiId) {
      const [row] = await keyWithCompany(db, { apiId })
      if (!row || row.id === null) return undefined
      const caller: Caller = {
        companyId: row.company_id,
        via: { kind: 'key', id: row.id },
        company: entitlementsOf(row),
      }
      return { tokenHash: row.token_hash, caller }
    },
    async token(tokenHash) {
      const row = await db
        .selectFrom('oauth_token')
        .innerJoin('company', 'company.id', 'oauth_token.company_id')
        .select(['oauth_token.id', 'oauth_token.company_id', ...entitlementColumns])
        .where('oauth_token.token_hash', '=', tokenHash)
        .where('oauth_token.revoked_at', 'is', null)
        .executeTakeFirst()
      return row && { companyId: row.company_id, via: { kind: 'token', id: row.id }, company: entitlementsOf(row) }
    },
    async session(idHash) {
      const now = clock.machineNow()
      const row = await db
        .selectFrom('session')
        .innerJoin('company', 'company.id', 'session.company_id')
        .innerJoin('user', 'user.id', 'session.user_id')
        .select(['session.company_id', 'session.user_id', 'session.csrf_hash', ...entitlementColumns])
        .where('session.id_hash', '=', idHash)
        .where('session.seen_at', '>', now - idleLimit)
        .where('session.created_at', '>', now - absoluteLimit)
        .where('user.deleted_at', 'is', null)
        .executeTakeFirst()
      if (!row) return undefined
      const roles = await rolesOfUser(db, row.company_id, row.user_id)
      const via = { kind: 'session' as const, userId: row.user_id, roles }
      return { csrfHash: row.csrf_hash, caller: { companyId: row.company_id, via, company: entitlementsOf(row) } }
    },
  }
}

async function rolesOfUser(db: Db, companyId: CompanyId, userId: number): Promise<Role[]> {
  const rows = await db
    .selectFrom('user_role')
    .select('role')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .execute()
  return rows.map(({ role }) => role)
}

interface Reservation {
  companyId: CompanyId
  minute: number
  n: number
  limit: number
}

const reserveRequests = hotQuery((db, { companyId, minute, n, limit }: Reservation) =>
  sql<{ used: number }>`insert into rate_window as r (company_id, minute, used) values (${companyId}, ${minute}, ${n})
    on conflict (company_id, minute) do update set used = r.used + ${n}
    where r.used + ${n} <= ${limit} returning used`.compile(db),
)

/** The shared counter of the rate limit; see http/rate-limit.ts. */
export function rateStore(db: Db): RateStore {
  return {
    async reserve(companyId, minute, n, limit) {
      if (n > limit) return undefined
      const [row] = await reserveRequests(db, { companyId, minute, n, limit })
      return row?.used
    },
    async giveBack(companyId, minute, n) {
      await sql`update rate_window set used = used - ${n}
        where company_id = ${companyId} and minute = ${minute}`.execute(db)
    },
    async forget(beforeMinute) {
      await db.deleteFrom('rate_window').where('minute', '<', beforeMinute).execute()
    },
    recall: () => notify(db, 'rate_recall'),
    onRecall: (hear) => listen(db, 'rate_recall', hear),
  }
}

export interface NewCompany {
  name: string
  plan: Plan
  aiPackage: AiPackage
  addOns: boolean
}

export async function insertCompany(db: Db, company: NewCompany, at: number): Promise<CompanyId> {
  const addOn: Flag = company.addOns ? 1 : 0
  const { id } = await db
    .insertInto('company')
    .values({
      name: company.name,
      plan: company.plan,
      ai_package: company.aiPackage,
      whatsapp: addOn,
      analytics_plus: addOn,
      ai_voice_agents: addOn,
      active: 1,
      verified: 1,
      mandatory_tagging: 0,
      countries: null,
      created_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function findCompany(db: Db, companyId: CompanyId): Promise<Company> {
  const row = await db.selectFrom('company').selectAll().where('id', '=', companyId).executeTakeFirstOrThrow()
  return {
    ...entitlementsOf(row),
    id: row.id,
    name: row.name,
    mandatoryTagging: row.mandatory_tagging === 1,
    countries: row.countries === null ? null : JSON.parse(row.countries),
  }
}

/** Locks are taken from the company inwards, everywhere: whoever needs several takes this one first. */
export async function lockCompany(db: Db, companyId: CompanyId): Promise<void> {
  await lockRow(db, db.selectFrom('company').select('id').where('id', '=', companyId)).execute()
}

export async function listCompanies(db: Db): Promise<{ id: CompanyId; name: string }[]> {
  return db.selectFrom('company').select(['id', 'name']).orderBy('id').execute()
}

export type CompanyChange = Partial<Omit<CompanyTable, 'id' | 'created_at'>>

export async function updateCompany(db: Db, companyId: CompanyId, change: CompanyChange): Promise<void> {
  if (Object.keys(change).length === 0) return
  await db.updateTable('company').set(change).where('id', '=', companyId).execute()
}

export async function countUsersAndNumbers(db: Db, companyId: CompanyId): Promise<{ users: number; numbers: number }> {
  const users = await db
    .selectFrom('user')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  const numbers = await db
    .selectFrom('number')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow()
  return { users: users.n, numbers: numbers.n }
}

export interface NewKey {
  apiId: string
  tokenHash: string
  name: string
  createdBy: number | null
}

export async function insertKey(db: Db, companyId: CompanyId, key: NewKey, at: number): Promise<number> {
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
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const keyColumns = ['id', 'api_id', 'name', 'created_by', 'created_at'] as const

export function listKeys(db: Db, companyId: CompanyId) {
  return db.selectFrom('api_key').select(keyColumns).where('company_id', '=', companyId).orderBy('id').execute()
}

export function findKey(db: Db, companyId: CompanyId, id: number) {
  return db
    .selectFrom('api_key')
    .select(keyColumns)
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function deleteKey(db: Db, companyId: CompanyId, id: number): Promise<boolean> {
  const result = await db
    .deleteFrom('api_key')
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

export interface NewMail {
  userId: number | null
  recipient: string
  subject: string
  textSealed: string
}

export async function insertMail(db: Db, companyId: CompanyId, mail: NewMail, at: number): Promise<number> {
  const { id } = await db
    .insertInto('mail')
    .values({
      company_id: companyId,
      user_id: mail.userId,
      recipient: mail.recipient,
      subject: mail.subject,
      text_sealed: mail.textSealed,
      created_at: at,
      sent_at: null,
      error: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** For the worker, which knows the mail and not yet whose it is. */
export function findMailToSend(db: Db, mailId: number) {
  return db.selectFrom('mail').selectAll().where('id', '=', mailId).where('sent_at', 'is', null).executeTakeFirst()
}

export async function markMail(db: Db, mailId: number, outcome: { sentAt?: number; error?: string }): Promise<void> {
  const change = { sent_at: outcome.sentAt ?? null, error: outcome.error ?? null }
  await db.updateTable('mail').set(change).where('id', '=', mailId).execute()
}

export async function pageOfMails(db: Db, companyId: CompanyId, window: Window) {
  const mine = db.selectFrom('mail').where('company_id', '=', companyId)
  const { total } = await mine.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await mine
    .selectAll()
    .orderBy('created_at', window.order)
    .orderBy('id', window.order)
    .limit(window.limit)
    .offset(window.offset)
    .execute()
  return { rows, total }
}

export async function readSetting(db: Db, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst()
  return row?.value
}

export async function writeSetting(db: Db, key: string, value: string): Promise<void> {
  await db
    .insertInto('setting')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

/** A write and a read of its own, for /readyz. */
export async function storeAnswers(db: Db, at: number): Promise<boolean> {
  return transaction(db, async (tx) => {
    await writeSetting(tx, 'ready', String(at))
    return (await readSetting(tx, 'ready')) === String(at)
  })
}
