import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { IdempotencyStore } from '../../../http/idempotency.ts'
import type { RequestClaim } from '../../../services.ts'

// Requests with an Idempotency-Key; see http/idempotency.ts.

interface KnownRow {
  fingerprint: string
  token: string
  done: number
  status: number
  body: string | null
  claimed_until: number
  expires_at: number
}

const knownRequest = hotQuery(
  (db, { companyId, keyHash }: { companyId: CompanyId; keyHash: string }) =>
    sql<KnownRow>`select fingerprint, token, done, status, body, claimed_until, expires_at from idempotency_key
    where company_id = ${companyId} and key_hash = ${keyHash}`.compile(db),
  { keepsPlan: true },
)

type Claiming = Parameters<IdempotencyStore['claim']>[1]

// A key that has expired, or whose request ended without a result, is free again.
const claimKey = hotQuery(
  (db, claim: Claiming) =>
    sql<{ token: string }>`insert into idempotency_key as k
      (company_id, key_hash, fingerprint, token, done, status, body, claimed_until, expires_at)
    values (${claim.companyId}, ${claim.keyHash}, ${claim.fingerprint}, ${claim.token}, 0, ${claim.status},
      ${claim.body}, ${claim.until}, ${claim.expiresAt})
    on conflict (company_id, key_hash) do update set fingerprint = excluded.fingerprint, token = excluded.token,
      done = 0, status = excluded.status, body = excluded.body, claimed_until = excluded.claimed_until,
      expires_at = excluded.expires_at
    where k.expires_at <= ${claim.now} or (k.done = 0 and k.claimed_until <= ${claim.now})
    returning token`.compile(db),
  { keepsPlan: true },
)

const addKey = hotQuery(
  (db, request: Claiming) =>
    sql`insert into idempotency_key
        (company_id, key_hash, fingerprint, token, done, status, body, claimed_until, expires_at)
      values (${request.companyId}, ${request.keyHash}, ${request.fingerprint}, ${request.token}, 1, ${request.status},
        ${request.body}, ${request.until}, ${request.expiresAt})`.compile(db),
  { keepsPlan: true, unawaited: true },
)

const finishKey = hotQuery(
  (db, { companyId, keyHash, token, body }: RequestClaim & { body: string | null }) =>
    sql`update idempotency_key set done = 1, body = ${body}
      where company_id = ${companyId} and key_hash = ${keyHash} and token = ${token}`.compile(db),
  { unawaited: true },
)

export const idempotencyStore: IdempotencyStore = {
  async find(db, companyId, keyHash) {
    const [row] = await knownRequest(db, { companyId, keyHash })
    if (!row) return undefined
    const { done, claimed_until: claimedUntil, expires_at: expiresAt, ...request } = row
    return { ...request, isDone: done === 1, claimedUntil, expiresAt }
  },
  async add(tx, finished) {
    await addKey(tx, finished)
  },
  async claim(db, claim) {
    return (await claimKey(db, claim)).length > 0
  },
  async finish(db, claim, body) {
    await finishKey(db, { ...claim, body })
  },
  async release(db, { companyId, keyHash, token }, now) {
    await db
      .deleteFrom('idempotency_key')
      .where('company_id', '=', companyId)
      .where('key_hash', '=', keyHash)
      .where('token', '=', token)
      .where(({ eb, or }) => or([eb('done', '=', 0), eb('expires_at', '<=', now)]))
      .execute()
  },
}

/**
 * Marks the request as done, in the transaction of its change. False: the request was given up, and the key may have
 * been used again: the change must not happen.
 */
export async function completeClaim(db: Db, companyId: CompanyId, { keyHash, token }: RequestClaim): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('idempotency_key')
    .set({ done: 1 })
    .where('company_id', '=', companyId)
    .where('key_hash', '=', keyHash)
    .where('token', '=', token)
    .where('done', '=', 0)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteExpiredKeys(db: Db, now: number, limit: number): Promise<number> {
  const over = db
    .selectFrom('idempotency_key')
    .select(['company_id', 'key_hash'])
    .where('expires_at', '<=', now)
    .limit(limit)
  const { numDeletedRows } = await db
    .deleteFrom('idempotency_key')
    .where(({ eb, refTuple }) => eb(refTuple('company_id', 'key_hash'), 'in', over.$asTuple('company_id', 'key_hash')))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
