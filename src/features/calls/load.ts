import { Type } from 'typebox'
import { readableSince } from '../../domain/call/history.ts'
import type { Caller } from '../../http/caller.ts'
import { forbidden } from '../../http/errors.ts'
import { Id } from '../../http/schemas.ts'
import type { Services } from '../../services.ts'
import { mayChangeAll, maySeeAll, personOf } from '../roles.ts'
import { CallView } from './schemas.ts'
import { type Call, findCall, isTheirs } from './store.ts'

// What every route about one call begins with.

export const tag = 'Calls'
export const CallParams = Type.Object({ id: Id })
export const OneCall = Type.Object({ call: CallView })

interface Loading {
  params: { id: number }
  caller: Caller
  services: Services
}

/** One that is too old is as unknown as one that never was, and so is somebody else's to an agent. */
export async function loadCall({ params, caller, services: { db, clock } }: Loading): Promise<Call | undefined> {
  const call = await findCall(db, caller.companyId, params.id)
  if (!call || call.startedAt < readableSince(clock.now())) return undefined
  const person = maySeeAll(caller) ? null : personOf(caller)
  return person === null || (await isTheirs(db, caller.companyId, call, person)) ? call : undefined
}

/** Whoever reads all calls changes only their own, unless they are an admin. */
export async function loadCallToChange(input: Loading): Promise<Call | undefined> {
  const { caller, services } = input
  const call = await loadCall(input)
  const person = mayChangeAll(caller) ? null : personOf(caller)
  if (!call || person === null || (await isTheirs(services.db, caller.companyId, call, person))) return call
  throw forbidden('This is somebody else’s call; ask an admin')
}
