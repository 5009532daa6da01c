import { listen } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { findConversation } from '../features/messages/inbox/store.ts'
import { inboxChannel, parseInboxUpdate } from '../features/messages/inbox/updates.ts'
import { usersToNotify } from '../features/messages/inbox/visibility.ts'
import type { Services } from '../services.ts'
import { inPasses } from './passes.ts'
import type { ServerMessage } from './protocol.ts'

// Each process notifies its own connected apps that a conversation has changed. Notifications contain no content: apps
// read it with their own session, so they reveal nothing a user may not see.

export interface InboxEars {
  start(): void
  stop(): Promise<void>
  idle(): Promise<boolean>
}

export interface InboxParts {
  services: Pick<Services, 'db' | 'log'>
  /** Whether a user of the company is connected to this process. */
  isAnybodyHere(companyId: CompanyId): boolean
  /** `concerned` are the users who see the conversation. */
  tell(companyId: CompanyId, concerned: ReadonlySet<number>, text: string): void
}

export function createInboxEars({ services: { db, log }, isAnybodyHere, tell }: InboxParts): InboxEars {
  // Duplicate notifications are merged until they are sent.
  const waiting = new Set<string>()
  let unsubscribe = () => {}
  const passes = inPasses(
    async () => {
      for (const payload of waiting) {
        waiting.delete(payload)
        await tellOf(payload)
      }
    },
    (error) => log.warn({ event: 'live.inbox_notify_failed', error }, 'conversation change could not be sent to apps'),
  )

  async function tellOf(payload: string): Promise<void> {
    const { companyId, conversationId, what } = parseInboxUpdate(payload)
    if (!isAnybodyHere(companyId)) return
    const conversation = await findConversation(db, companyId, conversationId)
    if (!conversation) return
    const message: ServerMessage = { type: 'inbox', conversation_id: conversationId, what }
    tell(companyId, await usersToNotify(db, companyId, conversation), JSON.stringify(message))
  }

  return {
    start() {
      unsubscribe = listen(db, inboxChannel, (payload) => {
        waiting.add(payload)
        passes.ask()
      })
    },
    async stop() {
      unsubscribe()
      await passes.idle()
    },
    idle: () => passes.idle(),
  }
}
