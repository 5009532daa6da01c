import { api } from '../../kit/api.ts'
import { phoneWorker } from './worker.ts'

// Web Push: notifications while no page of the app is open.

/** `unsupported`: the browser has no push service; `failed`: it could not be reached. */
export type PushState = 'on' | 'unsupported' | 'failed'

/** Subscribes this browser for the present session; repeated at every start, because a new session needs it again. */
export async function subscribeToPush(): Promise<PushState> {
  const worker = await phoneWorker()
  if (!worker || !('pushManager' in worker)) return 'unsupported'
  try {
    const { public_key } = await api.get('/v1/me/push_key')
    const subscription = await subscriptionFor(worker.pushManager, public_key)
    const { endpoint, keys } = subscription.toJSON()
    if (!endpoint || !keys?.p256dh || !keys.auth) return 'failed'
    await api.put('/v1/me/push_subscription', { body: { endpoint, p256dh: keys.p256dh, auth: keys.auth } })
    return 'on'
  } catch {
    return 'failed'
  }
}

/** A subscription made with another key, such as that of a restored installation, is replaced. */
async function subscriptionFor(push: PushManager, publicKey: string): Promise<globalThis.PushSubscription> {
  const present = await push.getSubscription()
  if (present && keyOf(present) === publicKey) return present
  await present?.unsubscribe()
  return push.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
}

function keyOf({ options }: globalThis.PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

export async function unsubscribeFromPush(): Promise<void> {
  const subscription = await (await phoneWorker())?.pushManager?.getSubscription()
  if (!subscription) return
  await api.post('/v1/me/push_subscription/remove', { body: { endpoint: subscription.endpoint } })
  await subscription.unsubscribe()
}
