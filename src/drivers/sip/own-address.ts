import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isWildcardAddress } from '../../lib/ip-address.ts'
import { isLoopbackHost, isPublicAddress } from '../../lib/public-url.ts'
import { addressList } from './guard.ts'

/**
 * Our address as the far end can reach it: the public one, unless the far end is in a private network or of the other
 * address family.
 */
export function ownAddressFor(target: string, bind: string, publicIp: string | undefined): string {
  const isOfFamily = (address: string) => isIPv6(address) === isIPv6(target)
  const announced = publicIp !== undefined && isOfFamily(publicIp) ? publicIp : undefined
  if (announced !== undefined && isPublicAddress(target)) return announced
  if (!isWildcardAddress(bind)) return bind
  const loopback = isIPv6(target) ? '::1' : '127.0.0.1'
  if (isLoopbackHost(target)) return loopback
  const outward = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && isOfFamily(address) && !address.startsWith('fe80:'))
  // A host may have several networks, and a public and a private address of the same family.
  const nearest =
    outward.find(({ cidr }) => cidr !== null && addressList([cidr])(target)) ??
    outward.find(({ address }) => isPublicAddress(address) === isPublicAddress(target)) ??
    outward[0]
  return announced ?? nearest?.address ?? loopback
}
