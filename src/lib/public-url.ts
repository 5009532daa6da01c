import { BlockList, isIP } from 'node:net'

// Special-purpose ranges: RFC 6890 and its successors.
const special = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // A single address of a public range: the metadata service of some clouds.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  special.addSubnet(net, bits, 'ipv4')
}
// Of IPv6 only global unicast is public, except the ranges that embed other addresses.
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  special.addSubnet(net, bits, 'ipv6')
}

// The URL parser accepts too much: surrounding blanks, line breaks and backslashes, missing or surplus slashes.
const plainForm = /^[a-z][a-z0-9+.-]*:\/\/([^\s/?#\\]+)(?:[/?#](?:[^\p{Cc}\\]*[^\p{Cc}\s\\])?)?$/iu

const localNames = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|home\.arpa)$/

export interface AllowedUrls {
  schemes: readonly string[]
  loopback: boolean
  /** Literal addresses that are allowed although they are not public. */
  admits?: (address: string) => boolean
}

/** Why a URL given by a customer is not acceptable, by form alone; undefined when it is. */
export function findUrlProblem(text: string, allowed: AllowedUrls): string | undefined {
  if (text.length > 2_048) return 'must be at most 2,048 characters long'
  const authority = plainForm.exec(text)?.[1]
  const url = parse(text)
  if (!url || authority === undefined) return 'must be an absolute URL'
  if (authority.includes('@')) return 'must not hold credentials'
  const host = plainHost(url.hostname)
  if (allowed.loopback && isLoopbackHost(host) && (url.protocol === 'http:' || url.protocol === 'https:'))
    return undefined
  if (!allowed.schemes.includes(url.protocol)) return `must begin with ${allowed.schemes.join('// or ')}//`
  return isPublicHost(host) || allowed.admits?.(host) ? undefined : 'must name a public host'
}

/** Normalizes a host name: lower case, without brackets and trailing dot. */
export function plainHost(hostname: string): string {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '')
  return host.endsWith('.') ? host.slice(0, -1) : host
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** The URL parser has already normalized decimal, octal and hexadecimal addresses. */
export function isPublicHost(host: string): boolean {
  const family = isIP(host)
  if (family !== 0) return isPublicAddress(host)
  // With a second trailing dot even an address passes the URL parser as a name.
  if (host.split('.').includes('')) return false
  return host.includes('.') && !localNames.test(host.toLowerCase())
}

export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !special.check(address, 'ipv4')
  return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6')
}

/** For normalized hosts: `localhost`, 127.0.0.0/8 and ::1. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
