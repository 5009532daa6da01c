import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { releaseLease, takeLease } from '../features/messages/transport/store.ts'
import { type Clock, minute, second } from '../lib/clock.ts'
import { randomId } from '../lib/secrets.ts'

/** With several processes, one of them sends the messages of a Number at a time. */
export interface Leases {
  /** Runs the work under the lease; undefined if another process holds it. */
  holding<T>(companyId: CompanyId, numberId: number, work: (isStillOurs: Keep) => Promise<T>): Promise<T | undefined>
}

/** Checked before each send: a process that was suspended for too long has lost the lease. */
export type Keep = () => Promise<boolean>

const leaseMs = 2 * minute
const renewMs = 30 * second

export const noLeases: Leases = { holding: (_companyId, _numberId, work) => work(async () => true) }

export function createLeases({ db, clock }: { db: Db; clock: Clock }): Leases {
  const token = randomId()
  // A Number has two queues. The lease is released when both are idle.
  const held = new Map<number, { queues: number; takenAt: number }>()
  // Releases in progress: taking the lease again waits for them, so that a new lease is not released with the old one.
  const leaving = new Map<number, Promise<void>>()

  async function take(companyId: CompanyId, numberId: number): Promise<boolean> {
    const now = clock.machineNow()
    const isOurs = await takeLease(db, companyId, numberId, token, { now, until: now + leaseMs })
    const ours = held.get(numberId)
    if (isOurs && ours) ours.takenAt = now
    return isOurs
  }

  async function keep(companyId: CompanyId, numberId: number): Promise<boolean> {
    const takenAt = held.get(numberId)?.takenAt ?? 0
    return clock.machineNow() - takenAt < renewMs || take(companyId, numberId)
  }

  return {
    async holding(companyId, numberId, work) {
      await leaving.get(numberId)
      const ours = held.get(numberId) ?? { queues: 0, takenAt: clock.machineNow() }
      held.set(numberId, ours)
      ours.queues++
      try {
        return (await take(companyId, numberId)) ? await work(() => keep(companyId, numberId)) : undefined
      } finally {
        ours.queues--
        if (ours.queues === 0) {
          held.delete(numberId)
          const left = releaseLease(db, companyId, numberId, token).finally(() => leaving.delete(numberId))
          leaving.set(
            numberId,
            left.catch(() => {}),
          )
          await left
        }
      }
    },
  }
}
