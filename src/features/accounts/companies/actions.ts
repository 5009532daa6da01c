import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { Services } from '../../../services.ts'
import { insertCompany, type NewCompany } from './store.ts'

export const createCompany = (services: Services, company: NewCompany): Promise<CompanyId> =>
  transaction(services.db, (tx) => insertCompany(tx, company, services.clock.now()))
