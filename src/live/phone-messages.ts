import type { CompanyId } from '../db/tables.ts'
import { createSerialQueue } from '../lib/serial-queue.ts'
import type { PhoneMessage, Services } from '../services.ts'
import type { ConnectedApps } from './connected-apps.ts'
import type { Relay, RelayedMessage } from './process-relay.ts'
import { phoneSessions } from './store.ts'
import { toServerMessage } from './wire-format.ts'

type To = 'all' | 'latest'

/** Transient messages to the phone apps of a user, in this process and in others. */
export interface PhoneMessages {
  send(companyId: CompanyId, userId: number, message: PhoneMessage, to: To): void
  /** Resolves when no message is being sent; true if one was. */
  idle(): Promise<boolean>
}

interface Options {
  services: Services
  me: string
  /** Other processes may use the same data. */
  shared: boolean
  apps: ConnectedApps
  relay: Pick<Relay, 'send'>
  /** Handles a message for phone apps of this process. */
  receive(companyId: CompanyId, message: RelayedMessage): void
}

export function createPhoneMessages({ services, me, shared, apps, relay, receive }: Options): PhoneMessages {
  const { db, log } = services
  const queue = createSerialQueue()

  function sendHere(companyId: CompanyId, userId: number, message: PhoneMessage, to: To): void {
    const open = apps.phonesOf(companyId, userId).filter((phone) => phone.isOpen())
    const wanted = addressees(open, ({ session }) => session, message, to)
    if (wanted.length === 0) return
    const text = JSON.stringify(toServerMessage(message))
    for (const phone of wanted) void phone.send(text)
  }

  async function sendEverywhere(companyId: CompanyId, userId: number, message: PhoneMessage, to: To): Promise<void> {
    const open = (await phoneSessions(db, companyId, userId)).map((session) => {
      const here = session.owner === me ? apps.phoneAt({ companyId, userId, session: session.name }) : undefined
      const isSupervision = session.kind === 'supervision'
      return { ...session, isSupervision, activeAt: here?.activeAt ?? session.activeAt }
    })
    const wanted = addressees(open, ({ name }) => name, message, to)
    const text = JSON.stringify(toServerMessage(message))
    for (const owner of new Set(wanted.map((session) => session.owner))) {
      const relayed = { userId, sessions: wanted.filter((one) => one.owner === owner).map(({ name }) => name), text }
      if (owner === me) receive(companyId, relayed)
      else await relay.send(companyId, owner, relayed)
    }
  }

  return {
    send(companyId, userId, message, to) {
      if (!shared) return sendHere(companyId, userId, message, to)
      queue
        .run(`${userId}`, () => sendEverywhere(companyId, userId, message, to))
        .catch((error) => log.warn({ event: 'live.send_failed', error }, 'message could not be sent to a phone app'))
    },
    idle: () => queue.idle(),
  }
}

/**
 * An SDP answer goes to the session that offered; other messages go to all sessions, or to the most recently used phone
 * app. A call does not ring in a window for supervision.
 */
function addressees<T extends { activeAt: number; isSupervision: boolean }>(
  all: readonly T[],
  nameOf: (one: T) => string,
  message: PhoneMessage,
  to: To,
): readonly T[] {
  if (message.kind === 'sdp_answer') return all.filter((one) => nameOf(one) === message.session)
  const phones = all.filter(({ isSupervision }) => !isSupervision)
  if (to === 'all') return message.kind === 'ring' ? phones : all
  return phones.toSorted((a, b) => b.activeAt - a.activeAt).slice(0, 1)
}
