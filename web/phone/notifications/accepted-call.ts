import { notify, notifyError } from '../../kit/ui/toast.tsx'
import type { PhoneParts } from '../context.ts'
import { activeRings } from '../selectors.ts'

// Calls that the user accepts in a notification.

/** The call to answer when the notification has opened the app; read before the app clears its URL. */
let opening: string | null = new URL(window.location.href).searchParams.get('answer')

/** Answers calls accepted in a notification; returns the function that stops it. */
export function answerAcceptedCalls({ store, sound }: Pick<PhoneParts, 'store' | 'sound'>): () => void {
  const answer = async (key: string) => {
    if (!activeRings(store.get()).some((ring) => ring.key === key)) return notify('The call no longer rings')
    try {
      const reply = await sound.ask({ type: 'answer', key })
      if (!reply.ok) notifyError(new Error(reply.why))
    } catch (error) {
      notifyError(error)
    }
  }
  const unwatch = store.watch((before, after) => {
    if (opening === null || !after.isKnown || before.isKnown) return
    const key = opening
    opening = null
    void answer(key)
  })
  const onMessage = ({ data }: MessageEvent) => {
    if (data?.type === 'notification' && data.action === 'accept' && typeof data.key === 'string') void answer(data.key)
  }
  navigator.serviceWorker?.addEventListener('message', onMessage)
  return () => {
    unwatch()
    navigator.serviceWorker?.removeEventListener('message', onMessage)
  }
}
