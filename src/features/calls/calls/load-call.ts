import { readableSince } from '../../../domain/call/history.ts'
import type { Caller } from '../../../http/caller.ts'
import type { Services } from '../../../services.ts'
import { maySeeAll, userIdOf } from '../../accounts/index.ts'
import { type Call, findCall, isCallOfUser } from './store.ts'

interface Loading {
  params: { id: number }
  caller: Caller
  services: Services
}

/** A call that is too old is treated as unknown, and so is a call of another user for an agent. */
export async function loadCall({ params, caller, services: { db, clock } }: Loading): Promise<Call | undefined> {
  const call = await findCall(db, caller.companyId, params.id)
  if (!call || call.startedAt < readableSince(clock.now())) return undefined
  const person = maySeeAll(caller) ? null : userIdOf(caller)
  return person === null || (await isCallOfUser(db, caller.companyId, call, person)) ? call : undefined
}
