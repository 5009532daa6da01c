import { lookup, Resolver } from 'node:dns/promises'
import { type Clock, minute, second } from './clock.ts'

export type Resolution = { addresses: readonly string[] } | { error: unknown }

/** DNS resolution with a cache. */
export interface NameResolver {
  /** Never rejects; the result may be cached. */
  resolve(name: string): Promise<Resolution>
  close(): void
}

// Slightly less than the resolution timeout of a connection, so that a server that only drops AAAA queries does not
// block it.
const queryTimeout = 1.5 * second
const maxKeptMs = minute
const failureKept = 5 * second
const maxEntries = 5_000

interface Entry {
  answer: Promise<Resolution>
  /** Undefined while the query is pending. */
  until?: number
}

// Not dns.lookup: it uses the small thread pool that also serves files, which a few hanging queries would block.
export function createNameResolver(clock: Clock, servers?: readonly string[]): NameResolver {
  const resolver = new Resolver({ timeout: queryTimeout, tries: 1 })
  if (servers) resolver.setServers(servers)
  const kept = new Map<string, Entry>()

  const isFresh = ({ until }: Entry) => {
    if (until === undefined) return true
    const left = until - clock.machineNow()
    // More than the maximum: the clock of the host was set back.
    return left > 0 && left <= maxKeptMs
  }

  const keep = (name: string, entry: Entry) => {
    kept.delete(name)
    for (const oldest of kept.keys()) {
      if (kept.size < maxEntries) break
      kept.delete(oldest)
    }
    kept.set(name, entry)
  }

  const ask = (name: string): Promise<Resolution> => {
    const asked = askBoth(resolver, name)
    const entry: Entry = { answer: asked }
    keep(name, entry)
    entry.answer = asked.then(({ keptMs, ...resolution }) => {
      entry.until = clock.machineNow() + keptMs
      return resolution
    })
    return entry.answer
  }

  return {
    async resolve(name) {
      // The resolver does not read the hosts file; RFC 6761 §6.3 defines these names.
      if (name === 'localhost' || name.endsWith('.localhost')) return { addresses: ['127.0.0.1', '::1'] }
      const known = kept.get(name)
      return known && isFresh(known) ? known.answer : ask(name)
    },
    close: () => resolver.cancel(),
  }
}

/** Resolution by the operating system including the hosts file, for host names from the operator's settings. */
export const systemNameResolver = (): NameResolver => ({
  resolve: async (name) => {
    try {
      return { addresses: (await lookup(name, { all: true })).map(({ address }) => address) }
    } catch (error) {
      return { error }
    }
  },
  close() {},
})

async function askBoth(resolver: Resolver, name: string): Promise<Resolution & { keptMs: number }> {
  const [ipv4, ipv6] = await Promise.allSettled([
    resolver.resolve4(name, { ttl: true }),
    resolver.resolve6(name, { ttl: true }),
  ])
  const records = [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (records.length === 0) {
    const error = ipv4.status === 'rejected' ? ipv4.reason : new Error('no address')
    return { error, keptMs: failureKept }
  }
  const keptMs = Math.min(maxKeptMs, ...records.map(({ ttl }) => ttl * second))
  return { addresses: records.map(({ address }) => address), keptMs }
}
