import { Type } from 'typebox'
import type { Caller } from '../../../http/caller.ts'
import { forbidden } from '../../../http/errors.ts'
import { Id } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { mayChangeAll, userIdOf } from '../../accounts/index.ts'
import { loadCall } from './load-call.ts'
import { CallView } from './schemas.ts'
import { type Call, isCallOfUser } from './store.ts'

// Shared by all routes of one call.

export { loadCall }
export const callsTag = 'Calls'
export const CallParams = Type.Object({ id: Id })
export const OneCall = Type.Object({ call: CallView })

interface Loading {
  params: { id: number }
  caller: Caller
  services: Services
}

/** Supervisors read all calls but change only their own. */
export async function loadCallToChange(input: Loading): Promise<Call | undefined> {
  const { caller, services } = input
  const call = await loadCall(input)
  const person = mayChangeAll(caller) ? null : userIdOf(caller)
  if (!call || person === null || (await isCallOfUser(services.db, caller.companyId, call, person))) return call
  throw forbidden('This call belongs to another user; ask an admin')
}
