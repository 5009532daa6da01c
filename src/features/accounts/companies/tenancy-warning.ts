import type { Services } from '../../../services.ts'
import { listCompanies } from './store.ts'

/**
 * Warns an installation that served several companies before TENANCY existed: their admins have more rights than
 * intended.
 */
export async function warnOfSeveralCompanies({ db, log, rules }: Services): Promise<void> {
  if (rules.sandbox || rules.tenancy === 'multi') return
  const companies = (await listCompanies(db)).length
  if (companies < 2) return
  log.warn(
    { event: 'tenancy.several_companies', companies },
    'TENANCY=single, but several companies exist: each has every feature and can add numbers; set TENANCY=multi',
  )
}
