import type { Db } from '../db/database.ts'
import { livingKeys } from '../db/dialect.ts'
import { type Clock, hour, second } from '../lib/clock.ts'

/**
 * Distinguishes a process that has ended from one that is reconnecting. Both have lost their advisory lock, but a
 * live process acquires it again as soon as its database connection is back.
 */
export interface ProcessLiveness {
  /** Of these processes, those whose lock was missing in every check of the last seconds. */
  among(processes: readonly string[]): Promise<string[]>
}

/** Longer than a reconnection takes, including one or two failed attempts. */
const reconnectMs = 5 * second
/** Checks further apart than this give no information about the time between them. */
const maxGapMs = 15 * second
/** Calls of a process are taken over long before this; afterwards its entry is removed. */
const forgetMs = hour

export function createProcessLiveness({ db, clock }: { db: Db; clock: Clock }): ProcessLiveness {
  const missingSince = new Map<number, number>()
  let lookedAt = Number.NEGATIVE_INFINITY

  return {
    async among(processes) {
      const living = await livingKeys(db)
      const now = clock.steadyNow()
      if (now - lookedAt > maxGapMs) missingSince.clear()
      lookedAt = now
      for (const [key, since] of missingSince) {
        if (living.has(key) || now - since > forgetMs) missingSince.delete(key)
      }
      const missing = processes.filter((process) => !living.has(lifeKeyOf(process)))
      for (const process of missing) {
        const key = lifeKeyOf(process)
        missingSince.set(key, missingSince.get(key) ?? now)
      }
      return missing.filter((process) => now - (missingSince.get(lifeKeyOf(process)) ?? now) >= reconnectMs)
    },
  }
}

/** The key of the advisory lock that a process holds. */
export const lifeKeyOf = (process: string) => Number(process.split(':')[0])
