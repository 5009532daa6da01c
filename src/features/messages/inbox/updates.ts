import type { Db } from '../../../db/database.ts'
import { notifyAll } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'

/** Notification to open apps that a conversation changed; they fetch the details themselves. */
export interface InboxUpdate {
  companyId: CompanyId
  conversationId: string
  /** `received`: an inbound message arrived. */
  what: 'received' | 'changed'
}

export const inboxChannel = 'inbox'

/** Sent to all processes when the transaction commits; a lost notification is made up for by the next fetch. */
export async function notifyInbox(
  db: Db,
  companyId: CompanyId,
  conversationIds: Iterable<string>,
  what: InboxUpdate['what'],
): Promise<void> {
  await notifyAll(
    db,
    [...new Set(conversationIds)].map((id) => [inboxChannel, `${companyId}:${what}:${id}`] as const),
  )
}

export function parseInboxUpdate(payload: string): InboxUpdate {
  const [companyId = '', what = '', conversationId = ''] = payload.split(':')
  return { companyId: Number(companyId), conversationId, what: what === 'received' ? 'received' : 'changed' }
}
