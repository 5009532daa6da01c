import type { CompanyId } from '../db/tables.ts'
import type { PushMessage } from '../domain/push-message.ts'
import { pushTargets, sendPush } from '../features/accounts/push/send.ts'
import { vapidKeys } from '../features/accounts/push/store.ts'
import { createSerialQueue } from '../lib/serial-queue.ts'
import type { PhoneMessage, Services } from '../services.ts'
import { callsShown } from './call-views.ts'

// Web Push for the browsers of a user whose phone app may be closed: the service worker of the browser decides whether it
// shows the notification. One message at a time per user, so that the end of a ring never overtakes the ring.

export interface PushNotifier {
  start(): Promise<void>
  onMessage(companyId: CompanyId, userId: number, message: PhoneMessage): void
  /** Resolves when nothing is being sent; true if something was. */
  idle(): Promise<boolean>
}

type Notified = Extract<PhoneMessage, { kind: 'ring' | 'ring_stop' | 'notice' }>

const isNotified = (message: PhoneMessage): message is Notified =>
  message.kind === 'ring' || message.kind === 'ring_stop' || message.kind === 'notice'

export function createPushNotifier(services: Services): PushNotifier {
  const { db, vault, log } = services
  const queue = createSerialQueue()

  async function send(companyId: CompanyId, userId: number, message: Notified): Promise<void> {
    const targets = await pushTargets(services, companyId, userId)
    if (targets.length === 0) return
    const push = await pushMessageOf(services, companyId, userId, message)
    if (push) await sendPush(services, companyId, targets, push)
  }

  return {
    // The first start creates the keys.
    start: async () => void (await vapidKeys(db, vault)),
    onMessage(companyId, userId, message) {
      if (!isNotified(message)) return
      queue
        .run(`${userId}`, () => send(companyId, userId, message))
        .catch((error) => log.warn({ event: 'push.not_sent', companyId, error }, 'a notification could not be sent'))
    },
    idle: () => queue.idle(),
  }
}

/** Undefined if there is nothing to show. */
async function pushMessageOf(
  services: Services,
  companyId: CompanyId,
  userId: number,
  message: Notified,
): Promise<PushMessage | undefined> {
  if (message.kind === 'ring_stop') {
    const title = message.why === 'answered_elsewhere' ? 'Answered elsewhere' : 'Call ended'
    return { kind: 'ring_stop', key: message.key, title, detail: '' }
  }
  if (message.kind === 'notice') return message.notice
  const call = (await callsShown(services.db, companyId, userId)).find(({ key }) => key === message.key)
  // Answered or declined meanwhile.
  if (call?.state !== 'ringing') return undefined
  const colleagues = call.people.map(({ name }) => name).join(', ')
  const outside = call.external === 'anonymous' ? 'Anonymous' : (call.contact ?? call.external_display)
  const title = outside ?? (colleagues || 'A colleague')
  return { kind: 'ring', key: message.key, title, detail: call.number?.name ?? '' }
}
