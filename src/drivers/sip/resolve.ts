import { isIP } from 'node:net'
import { canonicalAddress } from '../../lib/ip-address.ts'
import type { Peer, TransportKind } from './flow.ts'
import type { NaptrRecord, Resolver, SrvRecord } from './resolver.ts'

export interface SipTarget {
  host: string
  port?: number | undefined
  /** `auto`: the records of the domain select it (RFC 3263 §4.1). */
  transport: TransportKind | 'auto'
}

interface Service {
  transport: TransportKind
  /** The name of its SRV records. */
  name: string
}

interface Host {
  transport: TransportKind
  name: string
  port: number
}

const maxTargets = 8
const prefixes: Record<TransportKind, string> = { udp: '_sip._udp', tcp: '_sip._tcp', tls: '_sips._tcp' }
const serviceFields: Record<string, TransportKind> = { 'SIP+D2U': 'udp', 'SIP+D2T': 'tcp', 'SIPS+D2T': 'tls' }
const portOf = (transport: TransportKind) => (transport === 'tls' ? 5061 : 5060)

/**
 * RFC 3263: NAPTR if no transport is configured, SRV if there is no port, then addresses, in the order in which they are
 * tried. Each keeps the configured name, which the certificate must match (RFC 5922 §4).
 */
export async function resolveTarget(resolver: Resolver, target: SipTarget, random: () => number): Promise<Peer[]> {
  const { host, port } = target
  const transport = target.transport === 'auto' ? 'udp' : target.transport
  const plain: Host = { transport, name: host, port: port ?? portOf(transport) }
  if (isIP(host)) return [{ transport, address: canonicalAddress(host), port: plain.port }]
  const hosts = port === undefined ? await hostsOf(resolver, target, random) : []
  const found = await Promise.all(
    (hosts.length > 0 ? hosts : [plain]).slice(0, maxTargets).map(async (one) => {
      const addresses = isIP(one.name) ? [one.name] : await resolver.addresses(one.name)
      return addresses.map((address): Peer => ({ transport: one.transport, address, port: one.port, name: host }))
    }),
  )
  return found.flat().slice(0, maxTargets)
}

async function hostsOf(resolver: Resolver, target: SipTarget, random: () => number): Promise<Host[]> {
  const services = await servicesOf(resolver, target)
  const found = await Promise.all(
    services.map(async ({ transport, name }) => {
      const records = inOrder(await resolver.srv(name), random)
      return records.map(({ name: host, port }): Host => ({ transport, name: host, port }))
    }),
  )
  return found.flat()
}

/** Without NAPTR records, the SRV records of each transport are looked up (§4.1). */
async function servicesOf(resolver: Resolver, { host, transport }: SipTarget): Promise<Service[]> {
  if (transport !== 'auto') return [{ transport, name: `${prefixes[transport]}.${host}` }]
  const named = servicesIn(await resolver.naptr(host))
  if (named.length > 0) return named
  return (['udp', 'tcp', 'tls'] as const).map((kind) => ({ transport: kind, name: `${prefixes[kind]}.${host}` }))
}

/** RFC 3403 §4.1: lower order first, then lower preference. Services and flags that we do not know are left out. */
function servicesIn(records: readonly NaptrRecord[]): Service[] {
  return [...records]
    .sort((a, b) => a.order - b.order || a.preference - b.preference)
    .flatMap(({ flags, service, replacement }) => {
      const transport = serviceFields[service.toUpperCase()]
      return transport && flags.toLowerCase() === 's' ? [{ transport, name: replacement }] : []
    })
}

/** RFC 2782: lower priority first; within a priority, weighted random order. */
export function inOrder(records: readonly SrvRecord[], random: () => number): SrvRecord[] {
  // The single target "." means that the service is not available.
  const left = records
    .filter(({ name }) => name !== '' && name !== '.')
    .sort((a, b) => a.priority - b.priority || a.weight - b.weight)
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
