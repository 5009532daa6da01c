import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { listen, notify } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { Lookups } from '../../../http/auth.ts'
import { type Caller, everyFeature } from '../../../http/caller.ts'
import type { RateStore } from '../../../http/rate-limit.ts'
import { maxSessionMs } from '../../../http/session-cookie.ts'
import { type Clock, hour, minute } from '../../../lib/clock.ts'
import type { Rules } from '../../../services.ts'
import { noteKeyUsed } from '../api-keys/store.ts'
import { addressesIn, scopesIn } from '../api-keys/stored-lists.ts'
import { type EntitlementRow, entitlementColumns, entitlementsOf } from '../companies/store.ts'
import { mustEnrol } from '../two-step/enrolment.ts'
import { rolesOf } from '../users/store.ts'

// Credential look-ups for http/: the owner of a key, token or session, and the remaining requests.

/** Sessions end after 12 idle hours and after 7 days, in machine time: advancing the sandbox clock signs no user out. */
export const idleLimit = 12 * hour
export const absoluteLimit = maxSessionMs
/** How often the last use of a session or key is stored. */
export const seenEvery = 5 * minute

interface KeyRow extends EntitlementRow {
  id: number
  company_id: CompanyId
  token_hash: string
  scopes: string | null
  allowed_ips: string | null
  expires_at: number | null
  previous_token_hash: string | null
  previous_expires_at: number | null
  last_used_at: number | null
}

// Always one row, empty for an unknown key: the response time must not reveal whether a key exists.
const keyWithCompany = hotQuery((db, { apiId }: { apiId: string }) =>
  sql<KeyRow | { id: null }>`select k.id, k.company_id, k.token_hash, k.scopes, k.allowed_ips,
      k.expires_at, k.previous_token_hash, k.previous_expires_at, k.last_used_at,
      c.plan, c.ai_package, c.whatsapp, c.analytics_plus, c.ai_voice_agents, c.active, c.verified
    from (select 1 as one) as asked
    left join api_key as k on k.api_id = ${apiId} left join company as c on c.id = k.company_id`.compile(db),
)

export function credentialLookups(db: Db, clock: Clock, rules: Pick<Rules, 'everyFeature'>): Lookups {
  const entitlements = (row: EntitlementRow) => ({ ...entitlementsOf(row), ...(rules.everyFeature && everyFeature) })
  return {
    async key(apiId) {
      const [row] = await keyWithCompany(db, { apiId })
      if (!row || row.id === null) return undefined
      const caller: Caller = {
        companyId: row.company_id,
        via: { kind: 'key', id: row.id, scopes: scopesIn(row.scopes) },
        company: entitlements(row),
      }
      const now = clock.machineNow()
      const isOverlapping = row.previous_expires_at !== null && row.previous_expires_at > now
      return {
        tokenHash: row.token_hash,
        previousTokenHash: isOverlapping ? (row.previous_token_hash ?? undefined) : undefined,
        caller,
        expiresAt: row.expires_at,
        allowedIps: addressesIn(row.allowed_ips),
        async used() {
          if (now - (row.last_used_at ?? 0) > seenEvery) await noteKeyUsed(db, row.company_id, row.id, now)
        },
      }
    },
    async token(tokenHash) {
      const row = await db
        .selectFrom('oauth_token')
        .innerJoin('company', 'company.id', 'oauth_token.company_id')
        .leftJoin('oauth_app', 'oauth_app.id', 'oauth_token.app_id')
        .select(['oauth_token.id', 'oauth_token.company_id', ...entitlementColumns])
        .where('oauth_token.token_hash', '=', tokenHash)
        .where('oauth_token.revoked_at', 'is', null)
        .where('oauth_app.deleted_at', 'is', null)
        .executeTakeFirst()
      return row && { companyId: row.company_id, via: { kind: 'token', id: row.id }, company: entitlements(row) }
    },
    async session(idHash) {
      const now = clock.machineNow()
      const row = await db
        .selectFrom('session')
        .innerJoin('company', 'company.id', 'session.company_id')
        .innerJoin('user', 'user.id', 'session.user_id')
        .leftJoin('two_step', 'two_step.user_id', 'session.user_id')
        .select([
          'session.company_id',
          'session.user_id',
          'session.csrf_hash',
          'session.seen_at',
          'session.method',
          'company.two_step_required',
          'two_step.enabled_at',
          ...entitlementColumns,
        ])
        .where('session.id_hash', '=', idHash)
        .where('session.seen_at', '>', now - idleLimit)
        .where('session.created_at', '>', now - absoluteLimit)
        .where('user.deleted_at', 'is', null)
        .where('user.deactivated_at', 'is', null)
        .executeTakeFirst()
      if (!row) return undefined
      if (now - row.seen_at > seenEvery) await noteSessionUsed(db, row.company_id, idHash, now)
      const roles = await rolesOf(db, row.company_id, row.user_id)
      const via = {
        kind: 'session' as const,
        session: idHash,
        userId: row.user_id,
        roles,
        mustEnrol: mustEnrol(row),
      }
      return { csrfHash: row.csrf_hash, caller: { companyId: row.company_id, via, company: entitlements(row) } }
    },
  }
}

/** Whether a session is still valid. */
export async function isSessionOpen(db: Db, companyId: CompanyId, idHash: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('session')
    .select('user_id')
    .where('company_id', '=', companyId)
    .where('id_hash', '=', idHash)
    .where('seen_at', '>', now - idleLimit)
    .where('created_at', '>', now - absoluteLimit)
    .executeTakeFirst()
  return row !== undefined
}

/** Number of valid sessions of all companies. */
export async function countSessions(db: Db, now: number): Promise<number> {
  const { n } = await db
    .selectFrom('session')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('seen_at', '>', now - idleLimit)
    .where('created_at', '>', now - absoluteLimit)
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** Deletes expired sessions. */
export async function deleteEndedSessions(db: Db, companyId: CompanyId, now: number): Promise<void> {
  await db
    .deleteFrom('session')
    .where('company_id', '=', companyId)
    .where(({ or, eb }) => or([eb('seen_at', '<=', now - idleLimit), eb('created_at', '<=', now - absoluteLimit)]))
    .execute()
}

export async function noteSessionUsed(db: Db, companyId: CompanyId, idHash: string, at: number): Promise<void> {
  await db
    .updateTable('session')
    .set({ seen_at: at })
    .where('company_id', '=', companyId)
    .where('id_hash', '=', idHash)
    .execute()
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
    onRecall: (handler) => listen(db, 'rate_recall', handler),
  }
}
