import type { CompanyId } from '../../../db/tables.ts'
import { forbidden } from '../../../http/errors.ts'
import type { Services } from '../../../services.ts'
import { rolesOf } from '../users/store.ts'
import { findSso } from './store.ts'

/** Owners keep their password: it is the way back if the provider fails. */
export async function isForced({ db }: Pick<Services, 'db'>, companyId: CompanyId, userId: number): Promise<boolean> {
  const sso = await findSso(db, companyId)
  return sso?.forced === true && !(await rolesOf(db, companyId, userId)).includes('owner')
}

export async function requireNotForced(
  services: Pick<Services, 'db'>,
  companyId: CompanyId,
  userId: number,
): Promise<void> {
  if (await isForced(services, companyId, userId)) {
    throw forbidden('Your company requires single sign-on: choose "Sign in with SSO"')
  }
}
