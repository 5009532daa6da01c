import { openDirect } from '../direct-messages/notify-direct.ts'
import type { Store } from '../store.ts'

/** Opens the conversation of a notification that the user has selected; returns the function that stops it. */
export function openNotifiedConversations(store: Store): () => void {
  const onMessage = ({ data }: MessageEvent) => {
    if (data?.type === 'notification' && typeof data.user_id === 'number') openDirect(store, data.user_id)
  }
  navigator.serviceWorker?.addEventListener('message', onMessage)
  return () => navigator.serviceWorker?.removeEventListener('message', onMessage)
}
