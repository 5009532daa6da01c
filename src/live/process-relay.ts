import { listen, notify } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { type Cancel, second } from '../lib/clock.ts'
import { createCoalescedTask } from '../lib/coalesced-task.ts'
import { every } from '../lib/every.ts'
import { ulid } from '../lib/ulid.ts'
import type { Services } from '../services.ts'
import { insertRelayedMessage, takeRelayedMessages } from './store.ts'

// A socket may be connected to another process on the same database. Its messages are stored as rows, because a
// database notification holds at most 8,000 bytes and may be lost; the notification only signals that there are rows.

export interface RelayedMessage {
  userId: number
  sessions: string[]
  /** The message; null: the session has moved to another socket. */
  text: string | null
}

export interface Relay {
  start(): void
  stop(): Promise<void>
  send(companyId: CompanyId, owner: string, message: RelayedMessage): Promise<void>
  idle(): Promise<boolean>
}

export interface RelayParts {
  services: Services
  me: string
  /** Strictly increasing. */
  stamp(): number
  receive(companyId: CompanyId, message: RelayedMessage): void
}

const channel = 'live'
const sweepMs = 2 * second

export function createRelay({ services: { db, clock, log }, me, stamp, receive }: RelayParts): Relay {
  const collecting = createCoalescedTask(
    async () => {
      for (const { companyId, content } of await takeRelayedMessages(db, me)) receive(companyId, JSON.parse(content))
    },
    (error) =>
      log.warn({ event: 'live.relay_read_failed', error }, 'messages relayed by other processes could not be read'),
  )
  let unsubscribe = () => {}
  let cancel: Cancel = () => {}

  return {
    start() {
      unsubscribe = listen(db, channel, (owner) => owner === me && collecting.trigger())
      cancel = every(clock, sweepMs, collecting.trigger)
    },
    async stop() {
      unsubscribe()
      cancel()
      await collecting.idle()
    },
    async send(companyId, owner, message) {
      const id = ulid(clock.machineNow())
      await insertRelayedMessage(db, companyId, { id, owner, content: JSON.stringify(message), at: stamp() })
      await notify(db, channel, owner)
    },
    idle: () => collecting.idle(),
  }
}
