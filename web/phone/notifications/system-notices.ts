import type { PushMessage } from '../../../src/domain/push-message.ts'
import { readChoices } from '../memory.ts'
import { activeRings, otherParty } from '../selectors.ts'
import type { Store } from '../store.ts'
import { noticeOf, ringTag } from './notice.ts'
import { phoneWorker } from './worker.ts'

// System notifications of an open app whose page is in the background.

/** By the browser and by the user. */
export const areNoticesAllowed = () =>
  'Notification' in window && Notification.permission === 'granted' && readChoices().notifications

/** Shows ringing calls and missed calls while the page is hidden; returns the function that stops it. */
export function showSystemNotices(store: Store): () => void {
  /** What each ringing call shows, by its key. */
  const shown = new Map<string, string>()
  // One after the other: a notification that takes long would otherwise replace its newer version.
  let last = Promise.resolve()
  const next = (run: () => Promise<void>) => {
    last = last.catch(() => undefined).then(run)
  }

  function update(): void {
    const rings = document.hidden && areNoticesAllowed() ? activeRings(store.get()) : []
    for (const ring of rings) {
      const { key, number } = ring
      const { title } = otherParty(ring)
      const detail = number?.name ?? ''
      // The name of the caller follows shortly after the ring; the same tag replaces the notification.
      if (shown.get(key) === title + detail) continue
      shown.set(key, title + detail)
      next(() => show({ kind: 'ring', key, title, detail }))
    }
    for (const key of shown.keys()) {
      if (rings.some((ring) => ring.key === key)) continue
      shown.delete(key)
      next(() => close(key))
    }
  }

  const unwatch = store.watch((_before, _after, event) => {
    update()
    if (event.type !== 'message' || event.message.type !== 'notice') return
    if (document.hidden && areNoticesAllowed()) void show(event.message.notice)
  })
  document.addEventListener('visibilitychange', update)
  update()
  return () => {
    unwatch()
    document.removeEventListener('visibilitychange', update)
    for (const key of shown.keys()) next(() => close(key))
  }
}

async function show(message: PushMessage): Promise<void> {
  const { title, options } = noticeOf(message)
  await (await phoneWorker())?.showNotification(title, options)
}

async function close(key: string): Promise<void> {
  const worker = await phoneWorker()
  for (const notice of (await worker?.getNotifications({ tag: ringTag(key) })) ?? []) notice.close()
}
