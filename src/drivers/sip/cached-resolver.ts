import { type Clock, hour, second } from '../../lib/clock.ts'
import { secureRandom } from '../../lib/random.ts'
import type { Peer } from './flow.ts'
import { resolveTarget, type SipTarget } from './resolve.ts'
import type { Resolver } from './resolver.ts'

const cachedMs = 30 * second
/** While the DNS server fails, the last known targets are used. */
const staleMs = hour

interface Entry {
  until: number
  peers: Promise<Peer[]>
}

/** Many calls within a short time cost one lookup. */
export function createCachedResolver(clock: Clock, resolver: Resolver): (target: SipTarget) => Promise<Peer[]> {
  const cache = new Map<string, Entry>()
  const lastKnown = new Map<string, { until: number; peers: Peer[] }>()

  async function lookUp(key: string, target: SipTarget): Promise<Peer[]> {
    try {
      const peers = await resolveTarget(resolver, target, secureRandom)
      if (lastKnown.size > 1_000) lastKnown.clear()
      if (peers.length > 0) lastKnown.set(key, { until: clock.machineNow() + staleMs, peers })
      return peers
    } catch {
      const known = lastKnown.get(key)
      if (known && known.until > clock.machineNow()) return known.peers
      // A host without a DNS server may still know the name from its hosts file.
      return resolveTarget(addressesOnly(resolver), target, secureRandom)
    }
  }

  return (target) => {
    const key = `${target.transport}|${target.host}|${target.port ?? ''}`
    const known = cache.get(key)
    if (known && known.until > clock.machineNow()) return known.peers
    if (cache.size > 1_000) cache.clear()
    const peers = lookUp(key, target)
    cache.set(key, { until: clock.machineNow() + cachedMs, peers })
    peers.then(
      (found) => found.length === 0 && cache.delete(key),
      () => cache.delete(key),
    )
    return peers
  }
}

const addressesOnly = ({ addresses }: Resolver): Resolver => ({
  naptr: async () => [],
  srv: async () => [],
  addresses: (host) => addresses(host).catch(() => []),
})
