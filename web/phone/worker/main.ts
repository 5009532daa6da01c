import type { PushMessage } from '../../../src/domain/push-message.ts'
import { type NoticeTarget, noticeOf, ringTag } from '../notifications/notice.ts'
import { offlinePage } from './offline-page.ts'
import type { WorkerClient, WorkerScope } from './scope.ts'

// The service worker of the phone app. It opens the app without a network, and shows notifications while no page is open.
// It caches nothing: files of the app and responses of the API always come from the server.

const scope = self as unknown as WorkerScope

/** A network that drops packets would keep the browser waiting for minutes. */
const openTimeoutMs = 10_000

scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()))
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()))

scope.addEventListener('fetch', (event) => {
  if (event.request.mode === 'navigate' && event.request.method === 'GET') event.respondWith(open(event.request))
})

async function open(request: Request): Promise<Response> {
  const response = fetch(request).catch(() => undefined)
  const timeout = new Promise<undefined>((resolve) => setTimeout(resolve, openTimeoutMs))
  const first = await Promise.race([response, timeout])
  return first && !(first.status >= 502 && first.status <= 504) ? first : offlinePage()
}

scope.addEventListener('push', (event) => {
  const message = event.data?.json() as PushMessage | undefined
  if (message) event.waitUntil(show(message))
})

const windows = () => scope.clients.matchAll({ type: 'window', includeUncontrolled: true })

async function show(message: PushMessage): Promise<void> {
  // An app in the foreground shows the call itself.
  const isVisible = (await windows()).some(({ visibilityState }) => visibilityState === 'visible')
  if (message.kind !== 'ring_stop') {
    if (isVisible) return
    const { title, options } = noticeOf(message)
    return scope.registration.showNotification(title, options)
  }
  // Browsers require a notification for every push message, so the old one is replaced for a moment.
  if (!isVisible) {
    const { title, options } = noticeOf(message)
    await scope.registration.showNotification(title, options)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
  }
  for (const shown of await scope.registration.getNotifications({ tag: ringTag(message.key) })) shown.close()
}

scope.addEventListener('notificationclick', (event) => {
  const { notification, action } = event
  notification.close()
  const target = (notification.data ?? {}) as NoticeTarget
  event.waitUntil(action === 'decline' && target.key ? decline(target.key) : openApp(action, target))
})

async function openApp(action: string, target: NoticeTarget): Promise<void> {
  const open = (await windows()).find(({ url }) => new URL(url).pathname.startsWith('/phone'))
  if (!open) {
    const isAccepted = action === 'accept' && target.key
    const answer = isAccepted ? `?answer=${encodeURIComponent(target.key ?? '')}` : ''
    const colleague = target.user_id === undefined ? '' : `?colleague=${target.user_id}`
    await scope.clients.openWindow(`/phone${answer || colleague}`)
    return
  }
  const focused: WorkerClient = await open.focus().catch(() => open)
  focused.postMessage({ type: 'notification', action, ...target })
}

/** Without opening the app. */
async function decline(key: string): Promise<void> {
  const session = await fetch('/app/v1/session', { headers: { accept: 'application/json' } })
  if (!session.ok) return
  const { csrf_token } = (await session.json()) as { csrf_token: string }
  await fetch('/app/v1/me/calls/decline', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrf_token },
    body: JSON.stringify({ key }),
  })
}
