import { type Clock, minute } from './clock.ts'
import { networkOf } from './network.ts'

const wrongPerIdentifier = 20
const unknownPerNetwork = 200
const windowMs = minute
const maxBlockMs = 15 * minute
/** After this time without another block, the next block is short again. */
const forgivenAfterMs = 2 * maxBlockMs
const maxCounters = 20_000

/** Result of checking credentials. `unknown`: no record exists for the identifier, or none was given. */
export type Verdict<T> = { kind: 'valid'; value: T } | { kind: 'invalid' } | { kind: 'unknown' }

export type ThrottledVerdict<T> = Verdict<T> | { kind: 'blocked'; retryAfterSeconds: number }

interface Counter {
  key: string
  allowed: number
  /** Start of the current window and failed attempts in it. */
  since: number
  wrong: number
  /** Attempts in progress. Together with `wrong` never more than `allowed`. */
  evaluating: number
  waiting: (() => void)[]
  blockedUntil: number
  blocks: number
}

/**
 * Limits how fast credentials can be guessed, per network: the owner of a key elsewhere is not affected. An attempt
 * counts before it is evaluated, so parallel requests get as many evaluations as sequential ones and cause one block.
 * Valid credentials are not penalized: when all remaining attempts are in progress, the next one waits for a result.
 */
export class Throttle {
  private readonly counters = new Map<string, Counter>()
  private readonly clock: Clock
  constructor(clock: Clock) {
    this.clock = clock
  }

  /** `identifier` is an api_id or client_id; undefined where the secret alone identifies its owner. */
  async attempt<T>(
    address: string,
    identifier: string | undefined,
    evaluate: () => Promise<Verdict<T>>,
  ): Promise<ThrottledVerdict<T>> {
    const network = networkOf(address)
    const counters = [{ key: network, allowed: unknownPerNetwork }]
    if (identifier !== undefined) counters.unshift({ key: `${network} ${identifier}`, allowed: wrongPerIdentifier })
    const taken: Counter[] = []
    let verdict: Verdict<T> | undefined
    try {
      // The identifier always before the network, which prevents deadlocks between attempts.
      for (const { key, allowed } of counters) {
        const counter = await this.take(key, allowed)
        if (counter === undefined) return { kind: 'blocked', retryAfterSeconds: this.secondsLeft(key) }
        taken.push(counter)
      }
      verdict = await evaluate()
      return verdict
    } finally {
      for (const counter of taken) {
        const isNetwork = counter.key === network
        const isWrong = verdict?.kind === 'unknown' || (verdict?.kind === 'invalid' && !isNetwork)
        this.settle(counter, isWrong)
      }
    }
  }

  /** Resolves with the counter once it has room for one more attempt; undefined when it is blocked. */
  private async take(key: string, allowed: number): Promise<Counter | undefined> {
    for (;;) {
      const counter = this.counterOf(key, allowed)
      if (counter.blockedUntil > this.clock.machineNow()) return undefined
      this.startWindow(counter)
      if (counter.wrong + counter.evaluating < allowed) {
        counter.evaluating++
        return counter
      }
      await new Promise<void>((resume) => counter.waiting.push(resume))
    }
  }

  private settle(counter: Counter, isWrong: boolean): void {
    counter.evaluating--
    if (isWrong) this.countWrong(counter)
    const isBlocked = counter.blockedUntil > this.clock.machineNow()
    for (const resume of counter.waiting.splice(0, isBlocked ? counter.waiting.length : 1)) resume()
    if (isIdle(counter) && counter.wrong === 0 && counter.blocks === 0) this.counters.delete(counter.key)
  }

  private countWrong(counter: Counter): void {
    const now = this.clock.machineNow()
    if (now - counter.blockedUntil >= forgivenAfterMs) counter.blocks = 0
    this.startWindow(counter)
    counter.wrong++
    if (counter.wrong < counter.allowed) return
    // One minute at first, doubled each time.
    counter.blockedUntil = now + Math.min(minute * 2 ** counter.blocks, maxBlockMs)
    counter.blocks++
    counter.wrong = 0
  }

  private startWindow(counter: Counter): void {
    const now = this.clock.machineNow()
    if (counter.wrong > 0 && now - counter.since < windowMs) return
    Object.assign(counter, { since: now, wrong: 0 })
  }

  private secondsLeft(key: string): number {
    const until = this.counters.get(key)?.blockedUntil ?? 0
    return Math.max(1, Math.ceil((until - this.clock.machineNow()) / 1_000))
  }

  private counterOf(key: string, allowed: number): Counter {
    const known = this.counters.get(key)
    if (known) return known
    if (this.counters.size >= maxCounters) this.forget()
    const counter = { key, allowed, since: 0, wrong: 0, evaluating: 0, waiting: [], blockedUntil: 0, blocks: 0 }
    this.counters.set(key, counter)
    return counter
  }

  /** Counters without a block go first. Counters with attempts in progress are kept. */
  private forget(): void {
    const now = this.clock.machineNow()
    for (const counter of [...this.counters.values()].filter(isIdle)) {
      const isOld = now - counter.since >= windowMs && counter.blockedUntil <= now
      if (isOld || this.counters.size >= maxCounters) this.counters.delete(counter.key)
    }
  }
}

const isIdle = ({ evaluating, waiting }: Counter) => evaluating === 0 && waiting.length === 0
