import { BlockList, isIP } from 'node:net'

/** An address or a CIDR range, of IPv4 or IPv6. */
export function isIpRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** Whether an address is in one of the ranges. */
// One list per family: a single one matches ::ffff:10.0.0.1 with 10.0.0.0/8, and 10.0.0.1 with ::/8.
export function ipRanges(texts: readonly string[]): (address: string) => boolean {
  const ipv4 = new BlockList()
  const ipv6 = new BlockList()
  for (const text of texts) {
    const [address = '', bits] = text.split('/')
    if (isIP(address) === 4) ipv4.addSubnet(address, Number(bits ?? 32), 'ipv4')
    else ipv6.addSubnet(address, Number(bits ?? 128), 'ipv6')
  }
  return (address) => (isIP(address) === 4 ? ipv4.check(address, 'ipv4') : ipv6.check(address, 'ipv6'))
}
