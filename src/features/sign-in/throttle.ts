import { type Db, looseTransaction } from '../../db/database.ts'
import { emailKey } from '../../domain/email.ts'
import { type Clock, day, hour, minute } from '../../lib/clock.ts'
import { networkOf } from '../../lib/network.ts'
import { hashOf } from '../../lib/secrets.ts'
import type { SignIns } from '../../services.ts'
import { countTry, forgetTries, takeTryBack, triesOf } from './store.ts'

interface Limit {
  who: string
  most: number
  windowMs: number
}

/** Ten wrong passwords for one person from one network, a hundred from one network in a day; others never notice. */
export function createSignIns(db: Db, clock: Clock): SignIns {
  const person = (address: string, email: string): Limit => ({
    who: hashOf(`person ${networkOf(address)} ${emailKey(email)}`),
    most: 10,
    windowMs: 15 * minute,
  })
  const network = (address: string): Limit => ({
    who: hashOf(`network ${networkOf(address)}`),
    most: 100,
    windowMs: day,
  })
  const mailbox = (email: string): Limit => ({ who: hashOf(`mailbox ${emailKey(email)}`), most: 5, windowMs: hour })
  const now = () => clock.machineNow()
  const secondsTo = (end: number) => Math.max(1, Math.ceil((end - now()) / 1_000))

  /** When it may be tried again. */
  async function blockedUntil(limits: readonly Limit[]): Promise<number | undefined> {
    const found = await triesOf(
      db,
      limits.map(({ who }) => who),
      now(),
    )
    const full = limits.filter(({ who, most }) => (found.get(who)?.tries ?? 0) >= most)
    return full.length === 0 ? undefined : Math.max(...full.map(({ who }) => found.get(who)?.endsAt ?? 0))
  }

  /** Of many at the same moment the first few get through. */
  const count = (limits: readonly Limit[]): Promise<number | undefined> =>
    looseTransaction(db, async (tx) => {
      for (const { who, most, windowMs } of limits) {
        const { tries, endsAt } = await countTry(tx, who, now(), windowMs)
        if (tries > most) return endsAt
      }
      return undefined
    })

  return {
    async tried(address, email) {
      const limits = [person(address, email), network(address)]
      // Looked at first: whoever goes on although they are told to wait makes nobody write.
      const end = (await blockedUntil(limits)) ?? (await count(limits))
      return end === undefined ? undefined : secondsTo(end)
    },
    succeeded: (address, email) =>
      looseTransaction(db, async (tx) => {
        await forgetTries(tx, person(address, email).who)
        await takeTryBack(tx, network(address).who)
      }),
    async mayBeMailed(email) {
      return (await count([mailbox(email)])) === undefined
    },
  }
}
