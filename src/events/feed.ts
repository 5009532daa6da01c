import type { Db } from '../db/database.ts'
import { listen } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'

/** Notifies followers that the event log of a company has grown; followers read the events from the log. */
export interface Feed {
  start(): void
  /** Calls `onGrowth` after each growth until unsubscribed, and `onEnd` when the process stops. */
  follow(companyId: CompanyId, onGrowth: () => void, onEnd: () => void): () => void
  followers(companyId: CompanyId): number
  stop(): void
}

interface Follower {
  onGrowth: () => void
  onEnd: () => void
}

export function createFeed(db: Db): Feed {
  const following = new Map<CompanyId, Set<Follower>>()
  let unsubscribe = () => {}

  return {
    start() {
      unsubscribe = listen(db, 'feed', (companyId) => {
        for (const { onGrowth } of following.get(Number(companyId)) ?? []) onGrowth()
      })
    },
    follow(companyId, onGrowth, onEnd) {
      const follower = { onGrowth, onEnd }
      const followers = following.get(companyId) ?? new Set()
      following.set(companyId, followers.add(follower))
      return () => {
        followers.delete(follower)
        if (followers.size === 0 && following.get(companyId) === followers) following.delete(companyId)
      }
    },
    followers: (companyId) => following.get(companyId)?.size ?? 0,
    stop() {
      unsubscribe()
      for (const { onEnd } of [...following.values()].flatMap((set) => [...set])) onEnd()
    },
  }
}
