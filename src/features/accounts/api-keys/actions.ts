import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { hashOf, randomId, randomToken } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { type AuditEntry, audit, operatorActor } from '../audit/record.ts'
import { pauseWebhooksOfKey } from '../companies/store.ts'
import { type ApiKey, deleteKey, findKey, insertKey, type KeySettings, replaceToken, updateKey } from './store.ts'

export interface Key {
  id: number
  apiId: string
  /** Returned once; only its hash is stored. */
  apiToken: string
}

/** Actor and IP address for the audit log. */
type Maker = Pick<AuditEntry, 'actor' | 'address'>

const operator: Maker = { actor: operatorActor }

type NewKeyParams = { name: string; createdBy: number | null } & Partial<KeySettings>

export async function createKey(
  services: Services,
  companyId: CompanyId,
  params: NewKeyParams,
  by: Maker = operator,
): Promise<Key> {
  const apiId = randomId()
  const apiToken = randomToken()
  const { name, createdBy, scopes = null, allowedIps = null, expiresAt = null } = params
  const key = { apiId, tokenHash: hashOf(apiToken), name, createdBy, scopes, allowedIps, expiresAt }
  return transaction(services.db, async (tx) => {
    const id = await insertKey(tx, companyId, key, services.clock.now())
    const details = { name, ...detailsOf({ scopes, allowedIps, expiresAt }) }
    await audit(services, tx, companyId, { ...by, action: 'api_key.created', target: `api_key:${id}`, details })
    return { id, apiId, apiToken }
  })
}

export function changeKey(
  services: Services,
  companyId: CompanyId,
  id: number,
  change: Partial<KeySettings>,
  by: Maker,
): Promise<ApiKey | undefined> {
  return transaction(services.db, async (tx) => {
    if (!(await updateKey(tx, companyId, id, change))) return undefined
    const key = await findKey(tx, companyId, id)
    const details = { ...(change.name !== undefined && { name: change.name }), ...detailsOf(change) }
    await audit(services, tx, companyId, { ...by, action: 'api_key.changed', target: `api_key:${id}`, details })
    return key
  })
}

/** Without values that are the default. */
const detailsOf = ({ scopes, allowedIps, expiresAt }: Partial<KeySettings>) => ({
  ...(scopes && { scopes }),
  ...(allowedIps && { allowed_ips: allowedIps }),
  ...(expiresAt && { expires_at: new Date(expiresAt).toISOString() }),
})

/** A new token; the current one stays valid for the overlap. Undefined: there is no such key. */
export function rotateKey(
  services: Services,
  companyId: CompanyId,
  id: number,
  overlapMs: number,
  by: Maker = operator,
): Promise<Key | undefined> {
  const apiToken = randomToken()
  const at = services.clock.machineNow()
  return transaction(services.db, async (tx) => {
    const token = { hash: hashOf(apiToken), at, previousUntil: at + overlapMs }
    if (!(await replaceToken(tx, companyId, id, token))) return undefined
    const key = await findKey(tx, companyId, id)
    if (!key) return undefined
    const details = { overlap_seconds: Math.round(overlapMs / 1_000) }
    await audit(services, tx, companyId, { ...by, action: 'api_key.rotated', target: `api_key:${id}`, details })
    return { id, apiId: key.apiId, apiToken }
  })
}

/** Takes effect with the next request: keys are not cached. */
export function revokeKey(
  services: Services,
  companyId: CompanyId,
  id: number,
  by: Maker = operator,
): Promise<boolean> {
  return transaction(services.db, async (tx) => {
    await pauseWebhooksOfKey(tx, companyId, id)
    const isGone = await deleteKey(tx, companyId, id)
    if (isGone) await audit(services, tx, companyId, { ...by, action: 'api_key.revoked', target: `api_key:${id}` })
    return isGone
  })
}
