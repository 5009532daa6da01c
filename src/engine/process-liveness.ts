import { randomInt } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { livingKeys } from '../db/dialect.ts'
import { type Clock, hour, second } from '../lib/clock.ts'
import { ulid } from '../lib/ulid.ts'

/**
 * Distinguishes a process that has ended from one that is reconnecting. Both have lost their advisory lock, but a
 * live process acquires it again as soon as its database connection is back.
 */
export interface ProcessLiveness {
  /**
   * Of these processes, those whose lock was missing in every check of the last seconds. For a process in `lost`, which has
   * also disconnected from its line node, one check is enough.
   */
  among(processes: readonly string[], lost?: readonly string[]): Promise<string[]>
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
    async among(processes, lost = []) {
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
      const isGone = (process: string) =>
        lost.includes(process) || now - (missingSince.get(lifeKeyOf(process)) ?? now) >= reconnectMs
      return missing.filter(isGone)
    },
  }
}

/** Starts with the key of an advisory lock that is released when the process ends, so that other processes notice. */
export const newProcessId = (now: number) => `${randomInt(1, 2 ** 31 - 1)}:${ulid(now)}`

/** The key of the advisory lock that a process holds. */
export const lifeKeyOf = (process: string) => Number(process.split(':')[0])
