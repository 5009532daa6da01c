import { transaction } from '../../db/database.ts'
import type { CompanyId } from '../../db/tables.ts'
import { hashOf, randomId, randomToken } from '../../lib/secrets.ts'
import type { Services } from '../../services.ts'
import { deleteKey, insertCompany, insertKey, type NewCompany } from './store.ts'

export interface Key {
  id: number
  apiId: string
  /** Told once; only its hash is kept. */
  apiToken: string
}

export async function createKey(
  services: Services,
  companyId: CompanyId,
  wish: { name: string; createdBy: number | null },
): Promise<Key> {
  const apiId = randomId()
  const apiToken = randomToken()
  const key = { apiId, tokenHash: hashOf(apiToken), name: wish.name, createdBy: wish.createdBy }
  const id = await insertKey(services.db, companyId, key, services.clock.now())
  return { id, apiId, apiToken }
}

/** Refused from the next request on: nothing about keys is kept in memory. */
export const revokeKey = (services: Services, companyId: CompanyId, id: number): Promise<boolean> =>
  deleteKey(services.db, companyId, id)

export const createCompany = (services: Services, company: NewCompany): Promise<CompanyId> =>
  transaction(services.db, (tx) => insertCompany(tx, company, services.clock.now()))
