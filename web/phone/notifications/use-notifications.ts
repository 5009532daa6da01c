import { useEffect } from 'react'
import type { PhoneParts } from '../context.ts'
import { answerAcceptedCalls } from './accepted-call.ts'
import { openNotifiedConversations } from './opened-conversation.ts'
import { subscribeToPush } from './push.ts'
import { areNoticesAllowed, showSystemNotices } from './system-notices.ts'
import { phoneWorker } from './worker.ts'

/** Notifications of the phone app in the background, and while it is closed. `session` changes with each sign-in. */
export function useNotifications(parts: Pick<PhoneParts, 'store' | 'sound'> | undefined, session: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the server forgets the browser with its session
  useEffect(() => {
    void phoneWorker()
    if (areNoticesAllowed()) void subscribeToPush()
  }, [session])
  useEffect(() => {
    if (!parts) return
    const stops = [showSystemNotices(parts.store), answerAcceptedCalls(parts), openNotifiedConversations(parts.store)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [parts])
}
