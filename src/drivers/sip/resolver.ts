import { Resolver as DnsClient, lookup } from 'node:dns/promises'
import { second } from '../../lib/clock.ts'

export interface SrvRecord {
  name: string
  port: number
  priority: number
  weight: number
}

export interface NaptrRecord {
  order: number
  preference: number
  flags: string
  service: string
  replacement: string
}

/** DNS lookups. All return an empty list if there are no records, and reject if the DNS server fails. */
export interface Resolver {
  naptr(name: string): Promise<NaptrRecord[]>
  srv(name: string): Promise<SrvRecord[]>
  addresses(host: string): Promise<string[]>
}

/** The name servers of the system and its hosts file, unless other name servers are given. */
export function systemResolver(servers?: readonly string[]): Resolver {
  const dns = new DnsClient({ timeout: 2 * second, tries: 2 })
  if (servers) dns.setServers(servers)
  const records = <T>(work: Promise<T[]>): Promise<T[]> => work.catch(noneOrThrow<T>)
  return {
    naptr: (name) => records(dns.resolveNaptr(name)),
    srv: (name) => records(dns.resolveSrv(name)),
    async addresses(host) {
      if (servers) return (await Promise.all([records(dns.resolve4(host)), records(dns.resolve6(host))])).flat()
      const found = await lookup(host, { all: true, order: 'ipv4first' }).catch(noneOrThrow<{ address: string }>)
      return found.map(({ address }) => address)
    },
  }
}

/** The name does not exist or has no records of this type. */
const noRecord = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

function noneOrThrow<T>(error: unknown): T[] {
  if (error instanceof Error && 'code' in error && noRecord.has(String(error.code))) return []
  throw error
}
