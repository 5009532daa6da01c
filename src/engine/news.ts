import type { Db } from '../db/database.ts'
import { listen, notify } from '../db/dialect.ts'
import { presenceChannel } from '../features/accounts/presence/actions.ts'
import { type Clock, second } from '../lib/clock.ts'
import { ulid } from '../lib/ulid.ts'

/** Who has become free or is gone, whichever process said so. */
export interface News {
  start(): void
  stop(): void
  /** Resolves when all that was said before has been heard: a server hands it on some time after the commit. */
  caughtUp(): Promise<void>
}

const maxWaitMs = second

export function createNews({ db, clock, hear }: { db: Db; clock: Clock; hear: (said: string) => void }): News {
  const echoes = new Map<string, () => void>()
  let isListening = false
  let unsubscribe = () => {}

  return {
    start() {
      isListening = true
      unsubscribe = listen(db, presenceChannel, (said) => {
        if (said.startsWith(echo)) echoes.get(said)?.()
        else hear(said)
      })
    },
    stop: () => unsubscribe(),
    caughtUp: () =>
      new Promise((resolve) => {
        if (!isListening) return resolve()
        const word = `${echo}${ulid(clock.machineNow())}`
        // A line that is down is opened again by itself; nobody waits for it here.
        const cancel = clock.machineAfter(maxWaitMs, done)
        function done() {
          echoes.delete(word)
          cancel()
          resolve()
        }
        echoes.set(word, done)
        notify(db, presenceChannel, word).catch(done)
      }),
  }
}

const echo = 'echo:'
