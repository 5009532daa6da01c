import { isIPv6 } from 'node:net'

/**
 * Whom to count a try against: an IPv4 address, or the /64 of an IPv6 one. A single customer of a provider has all of a /64,
 * and could otherwise come from another address each time.
 */
export function networkOf(address: string): string {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (v4) return v4
  if (!isIPv6(address)) return address
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::')
  const first = groupsIn(head)
  const last = groupsIn(tail ?? '')
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last]
  return `${groups.slice(0, 4).map(withoutZeros).join(':')}::/64`
}

/** An IPv4 address at the end takes the place of two groups. */
const groupsIn = (text: string) =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]))
const withoutZeros = (group: string) => Number.parseInt(group, 16).toString(16)
