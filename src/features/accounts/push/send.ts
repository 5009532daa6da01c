import type { CompanyId } from '../../../db/tables.ts'
import type { PushMessage } from '../../../domain/push-message.ts'
import { hour, second } from '../../../lib/clock.ts'
import { hashOf } from '../../../lib/secrets.ts'
import { unixSeconds } from '../../../lib/time-format.ts'
import { encryptPush, maxPushBytes, type VapidKeys, vapidHeader } from '../../../lib/web-push.ts'
import type { Services } from '../../../services.ts'
import { deletePushSubscription, type PushSubscription, pushSubscriptionsOf, vapidKeys } from './store.ts'

export type PushServices = Pick<Services, 'db' | 'vault' | 'clock' | 'log' | 'outbound' | 'links' | 'rules'>

/** How long a push service keeps a message for a browser that is offline, in seconds. */
const timeToLive = {
  ring: 30,
  ring_stop: 30,
  missed_call: 24 * 3_600,
  voicemail: 24 * 3_600,
  direct_message: 24 * 3_600,
}
const timeoutMs = 10 * second

/** Browsers of the user to send to. */
export const pushTargets = ({ db, vault, clock }: PushServices, companyId: CompanyId, userId: number) =>
  pushSubscriptionsOf(db, companyId, vault, userId, clock.machineNow())

/** Sends the message to each browser; never rejects because of a push service. */
export async function sendPush(
  services: PushServices,
  companyId: CompanyId,
  targets: readonly PushSubscription[],
  message: PushMessage,
): Promise<void> {
  if (targets.length === 0) return
  const keys = await vapidKeys(services.db, services.vault)
  await Promise.all(targets.map((target) => sendOne(services, companyId, target, message, keys)))
}

async function sendOne(
  services: PushServices,
  companyId: CompanyId,
  target: PushSubscription,
  message: PushMessage,
  keys: VapidKeys,
): Promise<void> {
  const { db, clock, log, outbound } = services
  const isRing = message.kind === 'ring' || message.kind === 'ring_stop'
  const { status, problem, detail } = await outbound.post({
    pool: `push ${companyId}`,
    url: target.endpoint,
    headers: {
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      ttl: String(timeToLive[message.kind]),
      urgency: isRing ? 'high' : 'normal',
      // A later message about the same call or of the same user replaces one that the browser has not received. RFC 8030
      // §5.4
      topic: hashOf(topicOf(message)).slice(0, 32),
      authorization: vapidHeader(keys, {
        endpoint: target.endpoint,
        subject: subjectOf(services),
        expires: unixSeconds(clock.machineNow() + 12 * hour),
      }),
    },
    body: encryptPush(bounded(message), target),
    timeoutMs,
  })
  // RFC 8030 §7.3: the subscription no longer exists.
  if (status === 404 || status === 410) return deletePushSubscription(db, companyId, target.id)
  if (status !== null && status >= 200 && status < 300) return
  log.warn(
    { event: 'push.failed', companyId, host: new URL(target.endpoint).host, status, problem, detail },
    'a push service did not accept a notification',
  )
}

function topicOf(message: PushMessage): string {
  if (message.kind === 'direct_message') return `user ${message.user_id}`
  return 'key' in message ? message.key : String(message.call_id)
}

function bounded(message: PushMessage): string {
  const text = JSON.stringify(message)
  if (Buffer.byteLength(text) <= maxPushBytes) return text
  return JSON.stringify({ ...message, title: message.title.slice(0, 200), detail: message.detail.slice(0, 200) })
}

/** Whom a push service may contact: RFC 8292 requires an https or mailto URI. */
function subjectOf({ links, rules }: PushServices): string {
  if (links.dashboard.startsWith('https:')) return links.dashboard
  return rules.supportContact.includes('@') ? `mailto:${rules.supportContact}` : 'mailto:admin@localhost.localdomain'
}
