import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { ipRanges } from './ip-ranges.ts'
import { isLoopbackHost, isPublicAddress, isPublicHost, plainHost } from './public-url.ts'

/** Destination of a request. The host is normalized: lower case, without brackets and trailing dot. */
export interface RequestDestination {
  protocol: string
  host: string
  port: number
  /** The content is public, so plain http is allowed. */
  plain?: boolean
  /** Another protocol than HTTP. */
  bare?: boolean
}

/** Which destinations may be contacted. Host names are checked twice: by form, and by every address they resolve to. */
export interface AddressPolicy {
  hostProblem(destination: RequestDestination): string | undefined
  /** A single forbidden address rejects the destination. */
  allows(destination: RequestDestination, addresses: readonly string[]): boolean
  /** Whether the literal address of another host is public or in a range allowed by the operator. */
  admits(address: string): boolean
}

export interface PolicyOptions {
  loopback: boolean
  allowRanges: readonly string[]
  ownNames: readonly string[]
  ownPorts: readonly number[]
}

// This host, its link-local network and cloud metadata services: no operator setting allows these.
const isNeverAdmitted = ipRanges([
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  '100.100.100.200',
  '168.63.129.16',
  // Unspecified, loopback, and every form that carries an IPv4 address.
  '::/8',
  '2002::/16',
  'fd00:ec2::254',
  'fe80::/10',
  'ff00::/8',
])

export function createAddressPolicy({ loopback, allowRanges, ownNames, ownPorts }: PolicyOptions): AddressPolicy {
  const names = new Set(ownNames.map(plainHost).filter((name) => !isLoopbackHost(name)))
  const isOwn = ipRanges([...addressesOfThisHost(), ...[...names].filter((name) => isIP(name) !== 0)])
  const isAllowed = ipRanges(allowRanges)

  const admits = (address: string) =>
    !isOwn(address) && (isPublicAddress(address) || (isAllowed(address) && !isNeverAdmitted(address)))

  return {
    admits,
    hostProblem({ protocol, host, port, plain }) {
      if (names.has(host)) return isOwnAddress
      if (loopback && isLoopbackHost(host)) return ownPorts.includes(port) ? isOwnAddress : undefined
      if (protocol !== 'https:' && !plain) return 'must begin with https://'
      const fit = isIP(host) === 0 ? isPublicHost(host) : admits(host)
      return fit ? undefined : 'must name a public host'
    },
    allows({ protocol, port, plain }, addresses) {
      if (addresses.length === 0) return false
      // A name that resolves to loopback must not resolve to anything else.
      if (addresses.some(isLoopbackHost)) {
        return loopback && addresses.every(isLoopbackHost) && !ownPorts.includes(port)
      }
      return (protocol === 'https:' || plain === true) && addresses.every(admits)
    },
  }
}

/** For addresses from the operator's settings. */
export const anyAddress: AddressPolicy = {
  hostProblem: () => undefined,
  allows: (_target, addresses) => addresses.length > 0,
  admits: () => true,
}

const isOwnAddress = 'must not name this installation'

function addressesOfThisHost(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => address)
}
