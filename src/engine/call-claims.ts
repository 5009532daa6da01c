import { transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { readSetting } from '../features/accounts/companies/store.ts'
import type { Services } from '../services.ts'
import { adopt, isRecovering, type OrphanedCall, orphans, owners } from './active-call-store.ts'
import type { ProcessLiveness } from './process-liveness.ts'
import type { TrunkDriver } from './trunk-manager.ts'

/** Finds processes that have ended, and makes this one the owner of their calls. */
export interface CallClaims {
  /** Processes that have ended, and had calls. */
  departed(): Promise<string[]>
  /** Processes that have ended and whose calls are all resumed or ended: what is left of them on the lines can end. */
  departedFromLines(gone: readonly string[]): Promise<string[]>
  /** Some of their calls; empty when none is left. */
  claim(gone: readonly string[]): Promise<LostCall[]>
}

interface Options {
  services: Pick<Services, 'db' | 'clock'>
  real: TrunkDriver | undefined
  me: string
  shared: boolean
  liveness: ProcessLiveness
}

export interface LostCall extends OrphanedCall {
  lostAt: number
  /** Monotonic time. */
  claimedAt: number
}

export function createCallClaims({ services, real, me, shared, liveness }: Options): CallClaims {
  const { db, clock } = services

  async function departed(): Promise<string[]> {
    const others = (await owners(db)).filter((owner) => owner !== me)
    return shared && others.length > 0 ? liveness.among(others, real?.lostProcesses?.()) : others
  }

  /** Processes that had legs, and no call or none any more. */
  async function departedFromLines(gone: readonly string[]): Promise<string[]> {
    // Another process may be about to adopt the legs.
    if (shared && (await isRecovering(db))) return []
    const lost = (real?.lostProcesses?.() ?? []).filter((owner) => owner !== me)
    const left = new Set(await owners(db))
    const ended = shared && lost.length > 0 ? await liveness.among(lost, lost) : lost
    return [...new Set([...gone, ...ended])].filter((owner) => !left.has(owner))
  }

  /** Other processes may do the same concurrently: each call is taken over once. */
  const claim = (gone: readonly string[]): Promise<LostCall[]> =>
    transaction(db, async (tx) => {
      const left = await orphans(tx, gone)
      const seen = new Map<string, number>()
      for (const { owner, companyId, keys } of ownedBy(left)) {
        const at = seen.get(owner) ?? Number((await readSetting(tx, seenKey(owner))) ?? 0)
        seen.set(owner, at)
        await adopt(tx, companyId, { keys, owner: me, seen: at })
      }
      // The first process that took a call over has stored the time: its own heartbeat is not relevant for the call.
      return left.map((call) => ({
        ...call,
        claimedAt: clock.steadyNow(),
        lostAt: call.lostAt ?? Math.max(seen.get(call.owner) ?? 0, call.updatedAt),
      }))
    })

  return { departed, departedFromLines, claim }
}

/** Setting with the time at which the process was last seen. */
export const seenKey = (owner: string) => `calls seen ${owner}`

/** Calls with the same owner and company. */
function ownedBy(calls: readonly OrphanedCall[]) {
  const groups = new Map<string, { owner: string; companyId: CompanyId; keys: string[] }>()
  for (const { owner, companyId, key } of calls) {
    const group = groups.get(`${owner} ${companyId}`) ?? { owner, companyId, keys: [] }
    group.keys.push(key)
    groups.set(`${owner} ${companyId}`, group)
  }
  return groups.values()
}
