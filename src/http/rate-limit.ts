import { type Cancel, type Clock, minute } from '../lib/clock.ts'

export interface Spending {
  allowed: boolean
  limit: number
  remaining: number
  /** UNIX seconds at which the counter is reset. */
  resetAt: number
}

/** Exactly `limit` requests per company and minute, across keys, versions and processes. */
export interface RateLimit {
  spend(companyId: number): Promise<Spending>
  stop(): Promise<void>
}

/** The counter shared by several processes. */
export interface RateStore {
  /** Reserves n requests of the minute and returns the number used; undefined when that would exceed the limit. */
  reserve(companyId: number, minute: number, n: number, limit: number): Promise<number | undefined>
  giveBack(companyId: number, minute: number, n: number): Promise<void>
  /** Deletes the counters of past minutes. */
  forget(beforeMinute: number): Promise<void>
  /** Asks the other processes to return unused reservations. */
  recall(): Promise<void>
  onRecall(listener: () => void): () => void
}

const minuteOf = (clock: Clock) => Math.floor(clock.machineNow() / minute)

function spending(limit: number, used: number, at: number, allowed: boolean): Spending {
  return { allowed, limit, remaining: Math.max(0, limit - used), resetAt: (at + 1) * 60 }
}

/** With a single process, counting in memory is exact. */
export function countInMemory(limit: number, clock: Clock): RateLimit {
  let at = minuteOf(clock)
  let used = new Map<number, number>()
  return {
    async spend(companyId) {
      const now = minuteOf(clock)
      if (now !== at) [at, used] = [now, new Map()]
      const before = used.get(companyId) ?? 0
      if (before >= limit) return spending(limit, before, at, false)
      used.set(companyId, before + 1)
      return spending(limit, before + 1, at, true)
    },
    async stop() {},
  }
}

const largestLease = 10
// The fewer requests are left, the fewer are reserved at once: what others hold when the limit is reached has to be recalled.
const largestShare = 1 / 3
const idleMs = 200
const recallWaitMs = 50
const askAgainMs = 250

interface Purse {
  minute: number
  held: number
  lease: number
  leasedAt: number
  /** The last value of the shared counter, including our own reservation. */
  used: number
  refusedAt: number
  turn: Promise<unknown>
  giveBack: Cancel
}

/** Several processes: each reserves a batch of requests and spends them in memory. */
export function countByLeases(limit: number, clock: Clock, store: RateStore): RateLimit {
  const purses = new Map<number, Purse>()
  let tidiedAt = 0
  const stopListening = store.onRecall(() => {
    for (const [companyId, purse] of purses) empty(companyId, purse)
  })

  function empty(companyId: number, purse: Purse) {
    const { held } = purse
    if (held === 0 || purse.minute !== minuteOf(clock)) return
    purse.held = 0
    purse.lease = 1
    // If the connection is lost, the limit errs on the low side until the next minute.
    store.giveBack(companyId, purse.minute, held).catch(() => {})
  }

  function purseOf(companyId: number): Purse {
    const now = minuteOf(clock)
    const known = purses.get(companyId)
    if (known?.minute === now) return known
    const purse: Purse = {
      minute: now,
      held: 0,
      lease: 1,
      leasedAt: 0,
      used: 0,
      refusedAt: 0,
      turn: known?.turn ?? Promise.resolve(),
      giveBack: () => {},
    }
    purses.set(companyId, purse)
    if (purses.size > 10_000) for (const [id, old] of purses) if (old.minute !== now) purses.delete(id)
    return purse
  }

  function tidyHourly(at: number) {
    if (at - tidiedAt < 60) return
    tidiedAt = at
    // If it fails, the next hour retries.
    store.forget(at - 60).catch(() => {})
  }

  async function refill(companyId: number, purse: Purse): Promise<void> {
    tidyHourly(purse.minute)
    const now = clock.machineNow()
    const spentQuickly = now - purse.leasedAt < 1_000
    const share = Math.ceil((limit - purse.used) * largestShare)
    const wanted = spentQuickly ? Math.max(1, Math.min(purse.lease * 2, share, largestLease)) : 1
    let got = wanted
    let used = await store.reserve(companyId, purse.minute, wanted, limit)
    if (used === undefined && wanted > 1) {
      got = 1
      used = await store.reserve(companyId, purse.minute, 1, limit)
    }
    if (used === undefined) {
      await store.recall()
      await new Promise<void>((resolve) => clock.machineAfter(recallWaitMs, resolve))
      used = await store.reserve(companyId, purse.minute, 1, limit)
    }
    if (used === undefined) {
      purse.refusedAt = clock.machineNow()
      purse.used = limit
      return
    }
    Object.assign(purse, { held: purse.held + got, lease: got, leasedAt: now, used, refusedAt: 0 })
  }

  async function take(companyId: number): Promise<Spending> {
    const purse = purseOf(companyId)
    const justRefused = clock.machineNow() - purse.refusedAt < askAgainMs
    if (purse.held === 0 && !justRefused) await refill(companyId, purse)
    if (purse.held === 0) return spending(limit, limit, purse.minute, false)
    purse.held--
    purse.giveBack()
    if (purse.held > 0) purse.giveBack = clock.machineAfter(idleMs, () => empty(companyId, purse))
    return spending(limit, purse.used - purse.held, purse.minute, true)
  }

  return {
    spend(companyId) {
      const purse = purseOf(companyId)
      const mine = purse.turn.then(() => take(companyId))
      purse.turn = mine.catch(() => {})
      return mine
    },
    async stop() {
      stopListening()
      for (const [companyId, purse] of purses) {
        purse.giveBack()
        if (purse.held > 0) await store.giveBack(companyId, purse.minute, purse.held).catch(() => {})
        purse.held = 0
      }
    },
  }
}
