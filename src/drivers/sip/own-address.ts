import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isLoopbackHost, isPublicAddress } from '../../lib/public-url.ts'

/** Our address as the far end can reach it: the public one, unless the far end is in a private network. */
export function ownAddressFor(target: string, bind: string, publicIp: string | undefined): string {
  if (publicIp !== undefined && isPublicAddress(target)) return publicIp
  if (bind !== '0.0.0.0' && bind !== '::') return bind
  if (isLoopbackHost(target)) return isIPv6(target) ? '::1' : '127.0.0.1'
  const family = isIPv6(target) ? 'IPv6' : 'IPv4'
  const outward = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find((one) => !one.internal && one.family === family && !one.address.startsWith('fe80:'))
  return publicIp ?? outward?.address ?? '127.0.0.1'
}
