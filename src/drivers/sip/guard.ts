import { BlockList, isIP, isIPv6 } from 'node:net'
import { type Clock, hour, minute } from '../../lib/clock.ts'

/** Rate limits and bans by source address. Scanners send tens of messages per second, so this check is cheap. */
export interface SipGuard {
  /** False for a banned address. */
  admits(address: string): boolean
  /** Counts an unsolicited message: the tenth within ten minutes bans the address. */
  failed(address: string): 'counted' | 'banned'
  /** False if the address exceeds the rate limit. */
  withinRate(address: string): boolean
}

export interface GuardLimits {
  failures: number
  perSecond: number
  burst: number
}

export const defaultGuardLimits: GuardLimits = { failures: 10, perSecond: 100, burst: 400 }

const countedFor = 10 * minute
const bannedFor = hour
const maxRemembered = 20_000

export function createGuard(
  clock: Clock,
  isTrusted: (address: string) => boolean,
  limits = defaultGuardLimits,
): SipGuard {
  const failures = new Map<string, { count: number; until: number }>()
  const buckets = new Map<string, { tokens: number; at: number }>()

  const isBanned = (address: string) => {
    const found = failures.get(address)
    return found !== undefined && found.count >= limits.failures && found.until > clock.machineNow()
  }

  return {
    // UDP source addresses can be forged: a trunk is never banned.
    admits: (address) => !isBanned(address) || isTrusted(address),
    failed(address) {
      const now = clock.machineNow()
      const found = failures.get(address)
      const count = (found && found.until > now ? found.count : 0) + 1
      const isOver = count >= limits.failures
      failures.delete(address)
      failures.set(address, { count, until: now + (isOver ? bannedFor : countedFor) })
      forgetOldest(failures)
      return isOver ? 'banned' : 'counted'
    },
    withinRate(address) {
      const now = clock.machineNow()
      const { tokens, at } = buckets.get(address) ?? { tokens: limits.burst, at: now }
      const left = Math.min(limits.burst, tokens + (Math.max(now - at, 0) / 1_000) * limits.perSecond) - 1
      buckets.set(address, { tokens: Math.max(left, 0), at: now })
      forgetOldest(buckets)
      return left >= 0
    },
  }
}

function forgetOldest(map: Map<string, unknown>) {
  if (map.size <= maxRemembered) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}

/** Matches addresses and CIDR ranges. Invalid entries are ignored, so a typo admits no address. */
export function addressList(texts: readonly string[]): (address: string) => boolean {
  const ipv4 = new BlockList()
  const ipv6 = new BlockList()
  for (const text of texts) {
    const [address = '', bits] = text.trim().split('/')
    const widest = isIPv6(address) ? 128 : 32
    const width = bits === undefined ? widest : Number(bits)
    if (!isIP(address) || !Number.isInteger(width) || width < 1 || width > widest) continue
    if (isIPv6(address)) ipv6.addSubnet(address, width, 'ipv6')
    else ipv4.addSubnet(address, width, 'ipv4')
  }
  return (address) =>
    isIPv6(address) ? ipv6.check(address, 'ipv6') : isIP(address) === 4 && ipv4.check(address, 'ipv4')
}
