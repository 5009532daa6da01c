import type { Db } from '../../../db/database.ts'
import { lockRow } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { Medium } from './store.ts'

// Messages past the retention period of their company.

/** Deletes the oldest messages from before a time, with all their rows. Returns how many, and the keys of their files. */
export async function deleteOldMessages(
  db: Db,
  companyId: CompanyId,
  before: number,
  limit: number,
): Promise<{ deleted: number; files: string[] }> {
  const old = await db
    .selectFrom('message')
    .select(['row_id', 'id', 'conversation_id', 'media'])
    .where('company_id', '=', companyId)
    .where('created_at', '<', before)
    // Not while it is being sent or its files are being fetched.
    .where('queued', '=', 0)
    .where('fetching', '=', 0)
    .orderBy('created_at')
    .orderBy('row_id')
    .limit(limit)
    .execute()
  if (old.length === 0) return { deleted: 0, files: [] }
  const rows = old.map(({ row_id }) => row_id)
  const ids = old.map(({ id }) => id)
  await db.deleteFrom('message_piece').where('company_id', '=', companyId).where('message_row', 'in', rows).execute()
  await db.deleteFrom('message_callback').where('company_id', '=', companyId).where('message_id', 'in', ids).execute()
  await db.deleteFrom('message').where('company_id', '=', companyId).where('row_id', 'in', rows).execute()
  const conversations = [...new Set(old.map((one) => one.conversation_id))]
  await deleteEmptyConversations(db, companyId, conversations, before)
  await lowerUnread(db, companyId, conversations)
  const media = old.flatMap((one): Medium[] => JSON.parse(one.media))
  return { deleted: old.length, files: media.flatMap(({ file }) => file ?? []) }
}

/** Of these. A conversation that receives a message at the same moment has a later time. */
async function deleteEmptyConversations(
  db: Db,
  companyId: CompanyId,
  ids: readonly string[],
  before: number,
): Promise<void> {
  await db
    .deleteFrom('conversation')
    .where('company_id', '=', companyId)
    .where('id', 'in', [...ids])
    .where('last_at', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('message')
            .select('message.row_id')
            .whereRef('message.conversation_id', '=', 'conversation.id')
            .where('message.company_id', '=', companyId),
        ),
      ),
    )
    .execute()
}

/** No more messages are unread than inbound ones are left. Locked, because a message may arrive at the same moment. */
async function lowerUnread(db: Db, companyId: CompanyId, ids: readonly string[]): Promise<void> {
  const unread = db
    .selectFrom('conversation')
    .select(['id', 'unread'])
    .where('company_id', '=', companyId)
    .where('id', 'in', [...ids])
    .where('unread', '>', 0)
    .orderBy('id')
  for (const { id, unread: counted } of await lockRow(db, unread).execute()) {
    const left = await db
      .selectFrom('message')
      .select('row_id')
      .where('company_id', '=', companyId)
      .where('conversation_id', '=', id)
      .where('direction', '=', 'inbound')
      .orderBy('row_id', 'desc')
      .limit(counted)
      .execute()
    if (left.length === counted) continue
    await db
      .updateTable('conversation')
      .set({ unread: left.length })
      .where('company_id', '=', companyId)
      .where('id', '=', id)
      .execute()
  }
}
