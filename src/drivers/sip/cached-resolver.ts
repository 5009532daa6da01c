import { type Clock, second } from '../../lib/clock.ts'
import { secureRandom } from '../../lib/random.ts'
import type { Peer } from './flow.ts'
import { type Resolver, resolveTarget, type SipTarget } from './resolve.ts'

const cachedMs = 30 * second

/** Many calls within a short time cost one lookup. */
export function createCachedResolver(clock: Clock, resolver: Resolver): (target: SipTarget) => Promise<Peer[]> {
  const cache = new Map<string, { until: number; peers: Promise<Peer[]> }>()

  return (target) => {
    const key = `${target.transport}|${target.host}|${target.port ?? ''}`
    const known = cache.get(key)
    if (known && known.until > clock.machineNow()) return known.peers
    if (cache.size > 1_000) cache.clear()
    const peers = resolveTarget(resolver, target, secureRandom)
    cache.set(key, { until: clock.machineNow() + cachedMs, peers })
    peers.then(
      (found) => found.length === 0 && cache.delete(key),
      () => cache.delete(key),
    )
    return peers
  }
}
