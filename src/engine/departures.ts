import type { Db } from '../db/database.ts'
import { livingKeys } from '../db/dialect.ts'
import { type Clock, hour, second } from '../lib/clock.ts'

/**
 * Tells a process that has ended from one that is reconnecting. Both have lost the advisory lock that shows that they are
 * alive, but a live process takes it again as soon as its connection to the database is back.
 */
export interface Departures {
  /** Of these processes, those whose lock was missing in every look of the last seconds. */
  among(processes: readonly string[]): Promise<string[]>
}

/** Longer than a reconnection takes, including one failed attempt or two. */
const reconnectMs = 5 * second
/** Looks further apart than this say nothing about the time between them. */
const maxGapMs = 15 * second
/** Calls of a process are taken over long before this; afterwards its entry is removed. */
const forgetMs = hour

export function createDepartures({ db, clock }: { db: Db; clock: Clock }): Departures {
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

/** The number of the advisory lock that ends with a process. */
export const lifeKeyOf = (process: string) => Number(process.split(':')[0])
