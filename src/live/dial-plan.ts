import type { CompanyId } from '../db/tables.ts'
import { isE164 } from '../domain/phone-number.ts'
import { isEmergency } from '../domain/toll.ts'
import { findNumber, linkedNumberIds } from '../features/accounts/numbers/store.ts'
import { findUser } from '../features/accounts/users/store.ts'
import type { Services } from '../services.ts'

/** What a user dials, in the phone app or on a device. */
export interface DialledUser {
  services: Pick<Services, 'db'>
  companyId: CompanyId
  userId: number
}

/** The Number to call from; null for an extension. A text is the reason why it cannot be dialled. */
export async function dialPlan(
  user: DialledUser,
  to: string,
  wantedNumberId?: number,
): Promise<{ numberId: number | null } | string> {
  const help = await emergencyNumberId(user, to, wantedNumberId)
  if (help !== undefined) return { numberId: help }
  if (/^\d{3,6}$/.test(to)) return { numberId: null }
  if (!isE164(to)) return '`to` must be E.164, such as +33123456789, or an extension'
  const numberId = await numberToCallFrom(user, wantedNumberId)
  return typeof numberId === 'string' ? numberId : { numberId }
}

/** The Number for an emergency call, which must never ring at an internal extension. */
async function emergencyNumberId(
  user: DialledUser,
  to: string,
  wanted: number | undefined,
): Promise<number | undefined> {
  if (!/^\d{2,6}$/.test(to)) return undefined
  const id = await numberToCallFrom(user, wanted)
  const number = typeof id === 'number' && (await findNumber(user.services.db, user.companyId, id))
  return number && isEmergency(to, number.country) ? number.id : undefined
}

async function numberToCallFrom(
  { services: { db }, companyId, userId }: DialledUser,
  wanted: number | undefined,
): Promise<number | string> {
  const id = wanted ?? (await findUser(db, companyId, userId))?.defaultNumberId
  if (id === undefined || id === null) return '`number_id` is needed: the user has no default Number'
  const number = await findNumber(db, companyId, id)
  if (!number) return '`number_id` is not a Number of the company'
  if (!number.validated) return 'The Number is not validated: no call can be started from it'
  const linked = (await linkedNumberIds(db, companyId, [userId])).get(userId) ?? []
  return linked.includes(id) ? id : 'The user is not linked to the Number'
}
