import type { Db } from '../../../db/database.ts'
import { notifyAll } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'

/** What open apps are told when a conversation changes; they read the rest themselves. */
export interface InboxUpdate {
  companyId: CompanyId
  conversationId: string
  /** `received`: a customer wrote. */
  what: 'received' | 'changed'
}

export const inboxChannel = 'inbox'

/** Told when the surrounding transaction commits, in every process; one that gets lost is made up for by the next look. */
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
