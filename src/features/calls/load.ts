import { Type } from 'typebox'
import { readableSince } from '../../domain/call/history.ts'
import type { Caller } from '../../http/caller.ts'
import { Id } from '../../http/schemas.ts'
import type { Services } from '../../services.ts'
import { CallView } from './schemas.ts'
import { type Call, findCall } from './store.ts'

// What every route about one call begins with.

export const tag = 'Calls'
export const CallParams = Type.Object({ id: Id })
export const OneCall = Type.Object({ call: CallView })

interface Loading {
  params: { id: number }
  caller: Caller
  services: Services
}

/** One that is too old is as unknown as one that never was. */
export async function loadCall({ params, caller, services }: Loading): Promise<Call | undefined> {
  const call = await findCall(services.db, caller.companyId, params.id)
  return call && call.startedAt >= readableSince(services.clock.now()) ? call : undefined
}

/** The person; nobody for the company's own software. */
export const personOf = ({ via }: Caller) => (via.kind === 'session' ? via.userId : null)
