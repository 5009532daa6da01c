import { listen } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { findConversation } from '../features/messages/inbox/store.ts'
import { inboxChannel, parseInboxUpdate } from '../features/messages/inbox/updates.ts'
import { usersToNotify } from '../features/messages/inbox/visibility.ts'
import { createCoalescedTask } from '../lib/coalesced-task.ts'
import type { Services } from '../services.ts'
import type { ServerMessage } from './protocol.ts'

// Each process notifies its own connected apps that a conversation has changed. Notifications contain no content: apps
// read it with their own session, so they reveal nothing a user may not see.

export interface InboxNotifier {
  start(): void
  stop(): Promise<void>
  idle(): Promise<boolean>
}

export interface InboxNotifierOptions {
  services: Pick<Services, 'db' | 'log'>
  /** Whether a user of the company is connected to this process. */
  hasConnections(companyId: CompanyId): boolean
  /** `concerned` are the users who see the conversation. */
  send(companyId: CompanyId, concerned: ReadonlySet<number>, text: string): void
}

export function createInboxNotifier({
  services: { db, log },
  hasConnections,
  send,
}: InboxNotifierOptions): InboxNotifier {
  // Duplicate notifications are merged until they are sent.
  const waiting = new Set<string>()
  let unsubscribe = () => {}
  const task = createCoalescedTask(
    async () => {
      for (const payload of waiting) {
        waiting.delete(payload)
        await notifyChange(payload)
      }
    },
    (error) => log.warn({ event: 'live.inbox_notify_failed', error }, 'conversation change could not be sent to apps'),
  )

  async function notifyChange(payload: string): Promise<void> {
    const { companyId, conversationId, what } = parseInboxUpdate(payload)
    if (!hasConnections(companyId)) return
    const conversation = await findConversation(db, companyId, conversationId)
    if (!conversation) return
    const message: ServerMessage = { type: 'inbox', conversation_id: conversationId, what }
    send(companyId, await usersToNotify(db, companyId, conversation), JSON.stringify(message))
  }

  return {
    start() {
      unsubscribe = listen(db, inboxChannel, (payload) => {
        waiting.add(payload)
        task.trigger()
      })
    },
    async stop() {
      unsubscribe()
      await task.idle()
    },
    idle: () => task.idle(),
  }
}
