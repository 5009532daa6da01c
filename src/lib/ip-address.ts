import { isIPv4, isIPv6 } from 'node:net'

export type IpFamily = 4 | 6

const mapped = '::ffff:'

/** The IPv4 address of an IPv4-mapped one, as dual-stack sockets report it. */
export const plainAddress = (address: string) => (address.startsWith(mapped) ? address.slice(mapped.length) : address)

/** The address as a socket of that family expects it: IPv6 sockets reach IPv4 hosts by mapped addresses. */
export const addressForSocket = (address: string, family: IpFamily) =>
  family === 6 && isIPv4(address) ? `${mapped}${address}` : address

/** The spelling that sockets report: IPv6 addresses have several (RFC 5952), IPv4-mapped ones become IPv4. */
export function canonicalAddress(address: string): string {
  if (!isIPv6(address) || address.includes('%')) return address
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(text) ?? []
  if (high === undefined || low === undefined) return text
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [a >> 8, a & 255, b >> 8, b & 255].join('.')
}

export const isWildcardAddress = (address: string) => address === '0.0.0.0' || address === '::'

/** The families that a socket bound to the address reaches: `::` is dual-stack. */
export const familiesOf = (bind: string): readonly IpFamily[] => (bind === '::' ? [4, 6] : isIPv6(bind) ? [6] : [4])

export const isOfFamily = (address: string, families: readonly IpFamily[]) => families.includes(isIPv6(address) ? 6 : 4)
