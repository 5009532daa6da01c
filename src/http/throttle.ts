import { type Clock, minute } from '../lib/clock.ts'
import { networkOf } from '../lib/network.ts'

const tokensPerKey = 20
const keysPerAddress = 200
const longestBlock = 60 * minute
const most = 20_000

interface Count {
  since: number
  wrong: number
  blockedUntil: number
  blocks: number
}

/** Slows down whoever guesses credentials, one address at a time: the key's owner elsewhere never notices. */
export class Throttle {
  private readonly counts = new Map<string, Count>()
  private readonly clock: Clock
  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Seconds to wait, or undefined when the address may try. */
  wait(address: string, apiId: string): number | undefined {
    const now = this.clock.machineNow()
    const network = networkOf(address)
    const until = Math.max(this.blockedUntil(network), this.blockedUntil(`${network} ${apiId}`))
    return until > now ? Math.ceil((until - now) / 1_000) : undefined
  }

  wrongToken(address: string, apiId: string): void {
    this.count(`${networkOf(address)} ${apiId}`, tokensPerKey)
  }

  unknownKey(address: string): void {
    this.count(networkOf(address), keysPerAddress)
  }

  private blockedUntil(key: string): number {
    return this.counts.get(key)?.blockedUntil ?? 0
  }

  private count(key: string, allowed: number): void {
    const now = this.clock.machineNow()
    const known = this.counts.get(key) ?? { since: now, wrong: 0, blockedUntil: 0, blocks: 0 }
    if (now - known.since >= 2 * longestBlock) known.blocks = 0
    if (now - known.since >= minute) Object.assign(known, { since: now, wrong: 0 })
    known.wrong++
    if (known.wrong >= allowed) {
      // A minute at first, twice as long each time.
      known.blockedUntil = now + Math.min(minute * 2 ** known.blocks, longestBlock)
      known.blocks++
      known.wrong = 0
    }
    this.counts.delete(key)
    this.counts.set(key, known)
    if (this.counts.size > most) this.forgetOld(now)
  }

  private forgetOld(now: number): void {
    for (const [key, { since, blockedUntil }] of this.counts) {
      const idle = now - since >= minute && blockedUntil <= now
      if (idle || this.counts.size > most) this.counts.delete(key)
    }
  }
}
