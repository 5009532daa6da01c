import { Type } from 'typebox'
import type { Caller } from '../../../http/caller.ts'
import { forbidden } from '../../../http/errors.ts'
import type { Services } from '../../../services.ts'
import type { Conversation } from './conversations-store.ts'
import { findConversation } from './store.ts'
import { rightsOf } from './visibility.ts'

// Shared by the routes of the inbox.

export const inboxTag = 'Inbox'
const ConversationId = Type.String({
  pattern: '^[0-9a-f-]{36}$',
  maxLength: 36,
  examples: ['5f0f3c1e-8d4b-4c57-9a3e-2f6b1c9d7e10'],
})
export const params = Type.Object({ id: ConversationId })

/** Undefined (404) if the caller may not see it. */
export async function loadConversation({
  params: { id },
  caller,
  services: { db },
}: {
  params: { id: string }
  caller: Caller
  services: Services
}): Promise<Conversation | undefined> {
  const conversation = await findConversation(db, caller.companyId, id)
  if (!conversation) return undefined
  return (await rightsOf(db, caller)).maySee(conversation) ? conversation : undefined
}

export async function mustWrite({ db }: Services, caller: Caller, conversation: Conversation): Promise<void> {
  if (!(await rightsOf(db, caller)).mayWrite(conversation)) {
    throw forbidden('You are not linked to this Number, and the conversation is not assigned to you')
  }
}
