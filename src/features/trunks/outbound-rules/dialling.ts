import type { CompanyId } from '../../../db/tables.ts'
import { isE164 } from '../../../domain/phone-number.ts'
import { badRequest } from '../../../http/errors.ts'
import type { Services } from '../../../services.ts'
import { findNumber, linkedNumberIds } from '../../accounts/index.ts'

/** Calls can be placed only from a validated number, by a user linked to it. */
export async function mustBeLinked(
  services: Services,
  companyId: CompanyId,
  userId: number,
  numberId: number,
): Promise<void> {
  const number = await findNumber(services.db, companyId, numberId)
  if (!number) throw badRequest('`number_id` is not a Number of the company')
  if (!number.validated) throw badRequest('The Number is not validated: calls cannot be placed from it')
  const linked = await linkedNumberIds(services.db, companyId, [userId])
  if (!linked.get(userId)?.includes(numberId)) throw badRequest('The user is not linked to the Number')
}

export function mustBeDiallable(to: string): void {
  if (!isE164(to)) throw badRequest('`to` must be E.164: +, country code and number, for example +33123456789')
}
