import { type Db, looseTransaction } from '../../../db/database.ts'
import { emailKey } from '../../../domain/email.ts'
import { type Clock, day, hour, minute, second } from '../../../lib/clock.ts'
import { limitConcurrency } from '../../../lib/limit-concurrency.ts'
import { networkOf } from '../../../lib/network.ts'
import { hashOf } from '../../../lib/secrets.ts'
import type { SignIns } from '../../../services.ts'
import { countAttempt, deleteAttempts, signInAttempts, uncountAttempt } from './store.ts'

interface Limit {
  who: string
  max: number
  windowMs: number
}

const slowedMs = second
const slowedAtOnce = 2
const slowedWaiting = 50

/**
 * Ten failed sign-ins for one account from one network block that account from there for up to 15 minutes. A hundred a
 * day from one network, or for one account from anywhere, slow down further attempts instead: colleagues behind the
 * same address and the owner of an attacked account can still sign in.
 */
export function createSignIns(db: Db, clock: Clock): SignIns {
  const pair = (address: string, email: string): Limit => ({
    who: hashOf(`person ${networkOf(address)} ${emailKey(email)}`),
    max: 10,
    windowMs: 15 * minute,
  })
  const shared = (address: string, email: string): Limit[] => [
    { who: hashOf(`network ${networkOf(address)}`), max: 100, windowMs: day },
    { who: hashOf(`account ${emailKey(email)}`), max: 100, windowMs: day },
  ]
  const mailbox = (email: string): Limit => ({ who: hashOf(`mailbox ${emailKey(email)}`), max: 5, windowMs: hour })
  // A wrong code follows a correct password: the limit counts all networks together.
  const codes = (userId: number): Limit => ({ who: hashOf(`code ${userId}`), max: 10, windowMs: hour })
  const now = () => clock.machineNow()
  const secondsTo = (end: number) => Math.max(1, Math.ceil((end - now()) / 1_000))
  const slowDown = createSlowDown(clock)

  async function exhausted(limits: readonly Limit[]): Promise<{ who: string; endsAt: number }[]> {
    const found = await signInAttempts(
      db,
      limits.map(({ who }) => who),
      now(),
    )
    return limits
      .filter(({ who, max }) => (found.get(who)?.tries ?? 0) >= max)
      .map(({ who }) => ({ who, endsAt: found.get(who)?.endsAt ?? 0 }))
  }

  /** Counted before the password is verified, so that parallel attempts cannot exceed the limit. */
  const count = (limits: readonly Limit[]) =>
    looseTransaction(db, async (tx) => {
      const counted: { tries: number; endsAt: number }[] = []
      for (const { who, windowMs } of limits) counted.push(await countAttempt(tx, who, now(), windowMs))
      return counted
    })

  return {
    async tried(address, email) {
      const blocking = pair(address, email)
      const slowing = shared(address, email)
      // Read first: attempts during a block write nothing.
      const full = await exhausted([blocking, ...slowing])
      const block = full.find(({ who }) => who === blocking.who)
      if (block) return secondsTo(block.endsAt)
      const before = full[0]?.who
      // A throttled network writes no faster than its attempts are admitted.
      if (before) await slowDown(before)
      const counts = await count([blocking, ...slowing])
      const [own] = counts
      if (own && own.tries > blocking.max) return secondsTo(own.endsAt)
      const after = slowing.find(({ max }, i) => (counts[i + 1]?.tries ?? 0) > max)
      if (!before && after) await slowDown(after.who)
      return undefined
    },
    succeeded: (address, email) =>
      looseTransaction(db, async (tx) => {
        await deleteAttempts(tx, pair(address, email).who)
        for (const { who } of shared(address, email)) await uncountAttempt(tx, who)
      }),
    async codeTried(userId) {
      const limit = codes(userId)
      const [full] = await exhausted([limit])
      if (full) return { wait: secondsTo(full.endsAt) }
      const [counted] = await count([limit])
      if (!counted || counted.tries > limit.max) return { wait: secondsTo(counted?.endsAt ?? 0) }
      return { left: limit.max - counted.tries }
    },
    codeSucceeded: (userId) => deleteAttempts(db, codes(userId).who),
    async mayBeMailed(email) {
      const limit = mailbox(email)
      const [counted] = await count([limit])
      return counted !== undefined && counted.tries <= limit.max
    },
  }
}

/** Admits two attempts per second for each key and process; with 50 waiting, the oldest gets 503. */
function createSlowDown(clock: Clock): (key: string) => Promise<void> {
  const lanes = new Map<string, { inTurn: ReturnType<typeof limitConcurrency>; users: number }>()
  const wait = () => new Promise<void>((resolve) => clock.machineAfter(slowedMs, resolve))
  return async (key) => {
    const lane = lanes.get(key) ?? { inTurn: limitConcurrency(slowedAtOnce, slowedWaiting), users: 0 }
    lanes.set(key, lane)
    lane.users++
    try {
      await lane.inTurn(wait)
    } finally {
      lane.users--
      if (lane.users === 0) lanes.delete(key)
    }
  }
}
