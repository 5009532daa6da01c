import type { Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { conversationWith, recordPastMessage } from '../inbox/conversations-store.ts'
import { previewOf } from './format.ts'
import { changeMessages, insertMessage, type Medium, type NewMessage } from './store.ts'

export type PastMedium = Medium

export type PastMessage = Omit<
  NewMessage,
  'conversationId' | 'author' | 'templateParams' | 'queued' | 'fetching' | 'media'
> & {
  media: PastMedium[]
  errorCode: number | null
  errorMessage: string | null
  updatedAt: number
  sentAt: number
}

/** Stores a message that another server has sent or received: it is not sent, and no event is published. */
export async function insertPastMessage(tx: Tx, companyId: CompanyId, message: PastMessage): Promise<void> {
  const { errorCode, errorMessage, updatedAt, sentAt, external, participants, ...fields } = message
  const { direction, createdAt, numberId, mode, status } = fields
  const who = participants === null ? { external: external ?? '' } : { participants }
  const conversation = await conversationWith(tx, companyId, numberId, who, createdAt)
  const { rowId, ...stored } = await insertMessage(tx, companyId, {
    ...fields,
    external,
    participants: participants && (conversation.participants ?? participants),
    conversationId: conversation.id,
    author: null,
    templateParams: null,
    queued: 0,
    fetching: false,
  })
  await changeMessages(tx, companyId, [{ rowId, status, errorCode, errorMessage, queued: 0, sentAt }], updatedAt)
  if (mode === 'native')
    await recordPastMessage(tx, companyId, conversation.id, { direction, body: previewOf(stored), at: createdAt })
}
