import { isIPv6 } from 'node:net'

/**
 * The unit that attempts are counted by: an IPv4 address, or the /64 of an IPv6 address, because a single customer of
 * an access provider owns a whole /64.
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

/** A trailing IPv4 address takes the place of two groups. */
const groupsIn = (text: string) =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]))
const withoutZeros = (group: string) => Number.parseInt(group, 16).toString(16)
