import { looseTransaction } from '../../../db/database.ts'
import { tooManyRequests } from '../../../http/errors.ts'
import { minute, second } from '../../../lib/clock.ts'
import { hashOf } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { countAttempt } from '../sign-in/store.ts'

const perMinute = 30

/** Counts a message of a user, in all processes; 429 beyond the limit. Machine time: the sandbox clock may be frozen. */
export async function countDirectMessage({ db, clock }: Services, userId: number): Promise<void> {
  const now = clock.machineNow()
  const who = hashOf(`direct messages ${userId}`)
  const { tries, endsAt } = await looseTransaction(db, (tx) => countAttempt(tx, who, now, minute))
  if (tries <= perMinute) return
  const wait = Math.max(1, Math.ceil((endsAt - now) / second))
  throw tooManyRequests(`You can send ${perMinute} messages to colleagues per minute; try again in ${wait} s`, wait)
}
