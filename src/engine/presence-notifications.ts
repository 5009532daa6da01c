import type { Db } from '../db/database.ts'
import { listen, notify } from '../db/dialect.ts'
import { presenceChannel } from '../features/accounts/presence/actions.ts'
import { type Clock, second } from '../lib/clock.ts'
import { ulid } from '../lib/ulid.ts'

/** Presence notifications of all processes: users who became available or disconnected. */
export interface PresenceNotifications {
  start(): void
  stop(): void
  /**
   * Resolves when all earlier notifications have been received: PostgreSQL delivers them some time after the commit.
   */
  caughtUp(): Promise<void>
}

const maxWaitMs = second

export function createPresenceNotifications({
  db,
  clock,
  onNotification,
}: {
  db: Db
  clock: Clock
  onNotification: (payload: string) => void
}): PresenceNotifications {
  const echoes = new Map<string, () => void>()
  let isListening = false
  let unsubscribe = () => {}

  return {
    start() {
      isListening = true
      unsubscribe = listen(db, presenceChannel, (payload) => {
        if (payload.startsWith(echo)) echoes.get(payload)?.()
        else onNotification(payload)
      })
    },
    stop: () => unsubscribe(),
    caughtUp: () =>
      new Promise((resolve) => {
        if (!isListening) return resolve()
        const word = `${echo}${ulid(clock.machineNow())}`
        // A lost connection is reopened automatically; this does not wait for it.
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
