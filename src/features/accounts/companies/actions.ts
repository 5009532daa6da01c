import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { hashOf, randomId, randomToken } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { type AuditEntry, audit, operatorActor } from '../audit/record.ts'
import { deleteKey, insertCompany, insertKey, type NewCompany, pauseWebhooksOfKey } from './store.ts'

export interface Key {
  id: number
  apiId: string
  /** Returned once; only its hash is stored. */
  apiToken: string
}

export async function createKey(
  services: Services,
  companyId: CompanyId,
  input: { name: string; createdBy: number | null },
  by: Maker = { actor: operatorActor },
): Promise<Key> {
  const apiId = randomId()
  const apiToken = randomToken()
  const key = { apiId, tokenHash: hashOf(apiToken), name: input.name, createdBy: input.createdBy }
  return transaction(services.db, async (tx) => {
    const id = await insertKey(tx, companyId, key, services.clock.now())
    const details = { name: input.name }
    await audit(services, tx, companyId, { ...by, action: 'api_key.created', target: `api_key:${id}`, details })
    return { id, apiId, apiToken }
  })
}

/** Actor and IP address for the audit log. */
export type Maker = Pick<AuditEntry, 'actor' | 'address'>

/** Takes effect with the next request: keys are not cached. */
export function revokeKey(
  services: Services,
  companyId: CompanyId,
  id: number,
  by: Maker = { actor: operatorActor },
): Promise<boolean> {
  return transaction(services.db, async (tx) => {
    await pauseWebhooksOfKey(tx, companyId, id)
    const isGone = await deleteKey(tx, companyId, id)
    if (isGone) await audit(services, tx, companyId, { ...by, action: 'api_key.revoked', target: `api_key:${id}` })
    return isGone
  })
}

export const createCompany = (services: Services, company: NewCompany): Promise<CompanyId> =>
  transaction(services.db, (tx) => insertCompany(tx, company, services.clock.now()))
