import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { hashOf, type Vault } from '../../../lib/secrets.ts'
import { newVapidKeys, type PushKeys, type VapidKeys } from '../../../lib/web-push.ts'
import { absoluteLimit, idleLimit } from '../credentials/store.ts'

// Browsers that receive Web Push, one row per browser. Rows end with the session: signing out removes them.

export interface PushSubscription extends PushKeys {
  id: string
  endpoint: string
}

export interface NewPushSubscription extends PushSubscription {
  userId: number
  sessionHash: string
  at: number
}

/** More browsers than a user has; the oldest ones are removed. */
const maxPerUser = 20

/** A browser keeps its endpoint when another user signs in: the row then belongs to that user. */
export async function savePushSubscription(
  db: Db,
  companyId: CompanyId,
  vault: Vault,
  { id, userId, sessionHash, endpoint, p256dh, auth, at }: NewPushSubscription,
): Promise<void> {
  await deleteByEndpoint(db, endpoint)
  const keys = vault.seal(JSON.stringify({ p256dh, auth }))
  const whose = { id, company_id: companyId, user_id: userId, session_hash: sessionHash }
  await db
    .insertInto('push_subscription')
    .values({ ...whose, endpoint, endpoint_hash: hashOf(endpoint), keys, created_at: at })
    .execute()
  const old = await db
    .selectFrom('push_subscription')
    .select('id')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1_000)
    .offset(maxPerUser)
    .execute()
  for (const row of old) await deletePushSubscription(db, companyId, row.id)
}

/** The endpoint belongs to one browser, whichever company its last user was in. */
async function deleteByEndpoint(db: Db, endpoint: string): Promise<void> {
  await db.deleteFrom('push_subscription').where('endpoint_hash', '=', hashOf(endpoint)).execute()
}

/** Of browsers whose session is still valid; `now` is machine time. */
export async function pushSubscriptionsOf(
  db: Db,
  companyId: CompanyId,
  vault: Vault,
  userId: number,
  now: number,
): Promise<PushSubscription[]> {
  const rows = await db
    .selectFrom('push_subscription')
    .innerJoin('session', 'session.id_hash', 'push_subscription.session_hash')
    .select(['push_subscription.id', 'push_subscription.endpoint', 'push_subscription.keys'])
    .where('push_subscription.company_id', '=', companyId)
    .where('push_subscription.user_id', '=', userId)
    .where('session.seen_at', '>', now - idleLimit)
    .where('session.created_at', '>', now - absoluteLimit)
    .orderBy('push_subscription.id')
    .execute()
  return rows.map(({ id, endpoint, keys }) => ({ id, endpoint, ...JSON.parse(vault.open(keys)) }))
}

export async function deletePushSubscription(db: Db, companyId: CompanyId, id: string): Promise<void> {
  await db.deleteFrom('push_subscription').where('company_id', '=', companyId).where('id', '=', id).execute()
}

export async function deletePushEndpoint(db: Db, companyId: CompanyId, userId: number, endpoint: string) {
  await db
    .deleteFrom('push_subscription')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('endpoint_hash', '=', hashOf(endpoint))
    .execute()
}

const vapidSetting = 'web_push_keys'

/** The keys of this installation, created at the first start. Browsers subscribe with the public key, so it never changes. */
export async function vapidKeys(db: Db, vault: Vault): Promise<VapidKeys> {
  const stored = await readVapidKeys(db)
  if (stored !== undefined) return JSON.parse(vault.open(stored))
  await db
    .insertInto('setting')
    .values({ key: vapidSetting, value: vault.seal(JSON.stringify(newVapidKeys())) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  // Read again: of several processes at their first start, the first one decides.
  const decided = await readVapidKeys(db)
  if (decided === undefined) throw new Error('keys that were just written must exist')
  return JSON.parse(vault.open(decided))
}

async function readVapidKeys(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', vapidSetting).executeTakeFirst()
  return row?.value
}
