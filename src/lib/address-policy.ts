import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isLoopbackHost, isPublicAddress, isPublicHost, plainHost } from './public-url.ts'

/** Where a request would go; the host is plain: small letters, no brackets, no dot at the end. */
export interface Target {
  protocol: string
  host: string
  port: number
  /** What is read from there is public: http will do. */
  plain?: boolean
  /** Not for HTTP. */
  bare?: boolean
}

/** Which receivers may be called. Names are judged twice: by their form, and by every address they lead to. */
export interface AddressPolicy {
  flawOfHost(target: Target): string | undefined
  /** One bad address spoils all. */
  allows(target: Target, addresses: readonly string[]): boolean
  /** A literal address of another machine: public, or in a range the operator admits. */
  admits(address: string): boolean
}

export interface PolicyOptions {
  loopback: boolean
  allowRanges: readonly string[]
  ownNames: readonly string[]
  ownPorts: readonly number[]
}

// This machine, its neighbours and what clouds tell about it: no range of an operator opens these.
const isNeverAdmitted = rangesOf([
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
  const isOwn = rangesOf([...addressesOfThisHost(), ...[...names].filter((name) => isIP(name) !== 0)])
  const isAllowed = rangesOf(allowRanges)

  const admits = (address: string) =>
    !isOwn(address) && (isPublicAddress(address) || (isAllowed(address) && !isNeverAdmitted(address)))

  return {
    admits,
    flawOfHost({ protocol, host, port, plain }) {
      if (names.has(host)) return ownFlaw
      if (loopback && isLoopbackHost(host)) return ownPorts.includes(port) ? ownFlaw : undefined
      if (protocol !== 'https:' && !plain) return 'must begin with https://'
      const fit = isIP(host) === 0 ? isPublicHost(host) : admits(host)
      return fit ? undefined : 'must name a public host'
    },
    allows({ protocol, port, plain }, addresses) {
      if (addresses.length === 0) return false
      // A name that means this machine means nothing else.
      if (addresses.some(isLoopbackHost)) {
        return loopback && addresses.every(isLoopbackHost) && !ownPorts.includes(port)
      }
      return (protocol === 'https:' || plain === true) && addresses.every(admits)
    },
  }
}

/** For addresses that the operator has set. */
export const anyAddress: AddressPolicy = {
  flawOfHost: () => undefined,
  allows: (_target, addresses) => addresses.length > 0,
  admits: () => true,
}

const ownFlaw = 'must not name this installation'

function addressesOfThisHost(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => address)
}

// One list per family: a single one takes ::ffff:10.0.0.1 for a member of 10.0.0.0/8, and 10.0.0.1 for one of ::/8.
function rangesOf(texts: readonly string[]): (address: string) => boolean {
  const ipv4 = new BlockList()
  const ipv6 = new BlockList()
  for (const text of texts) {
    const [address = '', bits] = text.split('/')
    if (isIP(address) === 4) ipv4.addSubnet(address, Number(bits ?? 32), 'ipv4')
    else ipv6.addSubnet(address, Number(bits ?? 128), 'ipv6')
  }
  return (address) => (isIP(address) === 4 ? ipv4.check(address, 'ipv4') : ipv6.check(address, 'ipv6'))
}
