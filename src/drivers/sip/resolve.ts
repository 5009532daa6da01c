import { lookup, resolveSrv } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Peer, TransportKind } from './flow.ts'

export interface SrvRecord {
  name: string
  port: number
  priority: number
  weight: number
}

/** DNS lookups; both return an empty list if there are no records. */
export interface Resolver {
  srv(name: string): Promise<SrvRecord[]>
  addresses(host: string): Promise<string[]>
}

export interface SipTarget {
  host: string
  port?: number | undefined
  transport: TransportKind
}

/**
 * RFC 3263 with a given transport: SRV if there is no port, then addresses, in the order in which they are tried.
 * Each keeps the configured name, which the certificate must match (RFC 5922 §4).
 */
export async function resolveTarget(resolver: Resolver, place: SipTarget, random: () => number): Promise<Peer[]> {
  const { host, port, transport } = place
  const defaultPort = transport === 'tls' ? 5061 : 5060
  if (isIP(host)) return [{ transport, address: host, port: port ?? defaultPort }]
  const records = port === undefined ? await resolver.srv(`${services[transport]}.${host}`) : []
  const hosts = records.length > 0 ? inOrder(records, random) : [{ name: host, port: port ?? defaultPort }]
  const found = await Promise.all(
    hosts.slice(0, maxTargets).map(async (one) => {
      const addresses = isIP(one.name) ? [one.name] : await resolver.addresses(one.name)
      return addresses.map((address): Peer => ({ transport, address, port: one.port, name: host }))
    }),
  )
  return found.flat().slice(0, maxTargets)
}

const maxTargets = 8
const services: Record<TransportKind, string> = { udp: '_sip._udp', tcp: '_sip._tcp', tls: '_sips._tcp' }

/** RFC 2782: lower priority first; within a priority, weighted random order. */
export function inOrder(records: SrvRecord[], random: () => number): SrvRecord[] {
  const left = [...records].sort((a, b) => a.priority - b.priority || a.weight - b.weight)
  const order: SrvRecord[] = []
  while (left.length > 0) {
    const group = left.filter(({ priority }) => priority === left[0]?.priority)
    let point = random() * group.reduce((sum, { weight }) => sum + weight, 0)
    const chosen =
      group.find(({ weight }) => {
        point -= weight
        return point < 0
      }) ?? group[0]
    if (!chosen) break
    order.push(chosen)
    left.splice(left.indexOf(chosen), 1)
  }
  return order
}

export function systemResolver(): Resolver {
  return {
    srv: (name) => resolveSrv(name).catch(() => []),
    addresses: (host) =>
      lookup(host, { all: true, order: 'ipv4first' }).then(
        (found) => found.map(({ address }) => address),
        () => [],
      ),
  }
}
