import type { Db } from '../db/database.ts'
import { type Clock, second } from '../lib/clock.ts'
import { registrationLease, takeRegistrationLease } from './registration-store.ts'
import type { LineNodeStatus } from './trunk-manager.ts'

/**
 * A trunk that registers is registered by one node at a time: with two, a carrier would send its calls to either. The node
 * holds a lease that the processes connected to it renew; another node gets it when it is not renewed any more.
 */
export interface RegistrationLeases {
  /** Renews the leases of nodes that are available, and takes those that have expired. The node of each trunk. */
  claim(trunkIds: readonly string[]): Promise<Map<string, string>>
}

interface Options {
  db: Db
  clock: Clock
  nodes(): readonly LineNodeStatus[]
}

/** With the interval of the trunk manager, a registration moves within ten seconds. */
const expiresAfterMs = 6 * second

export function createRegistrationLeases({ db, clock, nodes }: Options): RegistrationLeases {
  /** Leases of other nodes as they were read first; the clocks of hosts need not agree. */
  const seen = new Map<string, { beat: number; since: number }>()

  /** Undefined: no node is available. */
  async function claimOne(trunkId: string, usable: readonly LineNodeStatus[]): Promise<string | undefined> {
    const id = Number(trunkId)
    const lease = await registrationLease(db, id)
    const isOurs = lease !== undefined && usable.some((node) => node.id === lease.node)
    if (lease && !isOurs && !hasExpired(trunkId, lease.beat)) return lease.node
    const node = isOurs ? lease.node : leastLoaded(usable)
    if (node === undefined) return lease?.node
    seen.delete(trunkId)
    return (await takeRegistrationLease(db, id, node, lease)) || isOurs ? node : lease?.node
  }

  function hasExpired(trunkId: string, beat: number): boolean {
    const before = seen.get(trunkId)
    if (before?.beat === beat) return clock.steadyNow() - before.since >= expiresAfterMs
    seen.set(trunkId, { beat, since: clock.steadyNow() })
    return false
  }

  return {
    async claim(trunkIds) {
      const usable = nodes().filter(({ isUsable }) => isUsable)
      const holders = new Map<string, string>()
      for (const trunkId of trunkIds) {
        const node = await claimOne(trunkId, usable)
        // Unknown until the next look: registered by none of our nodes.
        holders.set(trunkId, node ?? '')
      }
      return holders
    },
  }
}

const leastLoaded = (nodes: readonly LineNodeStatus[]) =>
  nodes.toSorted((a, b) => a.legs / Math.max(1, a.maxLegs) - b.legs / Math.max(1, b.maxLegs))[0]?.id
