import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type Feature, hasFeature } from '../../../http/caller.ts'
import type { Services } from '../../../services.ts'
import { findCompany } from './store.ts'

/** Whether the plan of a company includes a feature. Without plans every company has every feature. */
export async function mayUse(
  { rules }: Pick<Services, 'rules'>,
  db: Db,
  companyId: CompanyId,
  feature: Feature,
): Promise<boolean> {
  return rules.everyFeature || hasFeature(await findCompany(db, companyId), feature)
}

/** Whether the service may use a feature for a company without a request, which only an active company may send. */
export async function mayActFor(
  services: Pick<Services, 'rules'>,
  db: Db,
  companyId: CompanyId,
  feature: Feature,
): Promise<boolean> {
  const { active } = await findCompany(db, companyId)
  return active && (await mayUse(services, db, companyId, feature))
}
