import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson, lockRow } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'

// Messages between two users. Each of the two has a row of the conversation with the last message and what the user has
// read, so that lists and unread counts do not search all messages.

export interface DirectMessage {
  id: number
  senderId: number
  /** Null: the sender was deleted. */
  text: string | null
  sentAt: number
}

export interface DirectConversation {
  colleagueId: number
  last: DirectMessage
}

/** The user whose conversations are read, and a colleague. */
export interface DirectPair {
  userId: number
  colleagueId: number
}

const pairOf = ({ userId, colleagueId }: DirectPair) =>
  `${Math.min(userId, colleagueId)}.${Math.max(userId, colleagueId)}`

const columns = ['id', 'sender_id', 'text', 'sent_at'] as const

interface Row {
  id: number
  sender_id: number
  text: string | null
  sent_at: number
}

const messageOf = ({ id, sender_id, text, sent_at }: Row): DirectMessage => ({
  id,
  senderId: sender_id,
  text,
  sentAt: sent_at,
})

/** Both rows of the conversation exist afterwards and are locked: messages of a pair commit in the order of their ids. */
async function lockPair(db: Db, companyId: CompanyId, { userId, colleagueId }: DirectPair): Promise<void> {
  const users = [userId, colleagueId].sort((a, b) => a - b)
  const rows = users.map((id) => ({
    user_id: id,
    colleague_id: id === userId ? colleagueId : userId,
    company_id: companyId,
    pair: pairOf({ userId, colleagueId }),
    last_message_id: 0,
    read_message_id: 0,
  }))
  await db
    .insertInto('direct_conversation')
    .values(rows)
    .onConflict((known) => known.columns(['user_id', 'colleague_id']).doNothing())
    .execute()
  const both = db
    .selectFrom('direct_conversation')
    .select('user_id')
    .where('company_id', '=', companyId)
    .where('user_id', 'in', users)
    .where('colleague_id', 'in', users)
    .orderBy('user_id')
  await lockRow(db, both).execute()
}

export async function insertDirectMessage(
  db: Db,
  companyId: CompanyId,
  pair: DirectPair,
  { text, at }: { text: string; at: number },
): Promise<DirectMessage> {
  await lockPair(db, companyId, pair)
  const { userId, colleagueId } = pair
  const row = await db
    .insertInto('direct_message')
    .values({
      company_id: companyId,
      pair: pairOf(pair),
      sender_id: userId,
      recipient_id: colleagueId,
      text,
      sent_at: at,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  await db
    .updateTable('direct_conversation')
    .set({ last_message_id: row.id })
    .where('company_id', '=', companyId)
    .where('user_id', 'in', [userId, colleagueId])
    .where('colleague_id', 'in', [userId, colleagueId])
    .execute()
  return messageOf(row)
}

/** Newest first. */
export async function pageOfDirectMessages(
  db: Db,
  companyId: CompanyId,
  pair: DirectPair,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<DirectMessage[]> {
  const rows = await db
    .selectFrom('direct_message')
    .select(columns)
    .where('company_id', '=', companyId)
    .where('pair', '=', pairOf(pair))
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(messageOf)
}

/** By their last message, newest first. */
export async function pageOfDirectConversations(
  db: Db,
  companyId: CompanyId,
  userId: number,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<DirectConversation[]> {
  const rows = await db
    .selectFrom('direct_conversation as c')
    .innerJoin('direct_message as m', 'm.id', 'c.last_message_id')
    .select(['c.colleague_id', 'm.id', 'm.sender_id', 'm.text', 'm.sent_at'])
    .where('c.company_id', '=', companyId)
    .where('c.user_id', '=', userId)
    .$if(before !== undefined, (query) => query.where('c.last_message_id', '<', before ?? 0))
    .orderBy('c.last_message_id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ colleagueId: row.colleague_id, last: messageOf(row) }))
}

/** Only colleagues with unread messages. */
export async function unreadByColleague(db: Db, companyId: CompanyId, userId: number): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('direct_conversation as c')
    .innerJoin('direct_message as m', (on) =>
      on
        .onRef('m.company_id', '=', 'c.company_id')
        .onRef('m.pair', '=', 'c.pair')
        .onRef('m.sender_id', '=', 'c.colleague_id')
        .onRef('m.id', '>', 'c.read_message_id'),
    )
    .select(['c.colleague_id', ({ fn }) => fn.countAll<number>().as('unread')])
    .where('c.company_id', '=', companyId)
    .where('c.user_id', '=', userId)
    .whereRef('c.last_message_id', '>', 'c.read_message_id')
    .groupBy('c.colleague_id')
    .execute()
  return new Map(rows.map((row) => [row.colleague_id, Number(row.unread)]))
}

export async function hasDirectConversation(
  db: Db,
  companyId: CompanyId,
  { userId, colleagueId }: DirectPair,
): Promise<boolean> {
  const row = await db
    .selectFrom('direct_conversation')
    .select('user_id')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('colleague_id', '=', colleagueId)
    .executeTakeFirst()
  return row !== undefined
}

/** Never back: a window that shows less may report later. True if the user had not read that far. */
export async function markDirectMessagesRead(
  db: Db,
  companyId: CompanyId,
  { userId, colleagueId }: DirectPair,
  messageId: number,
): Promise<boolean> {
  const result = await db
    .updateTable('direct_conversation')
    .set({ read_message_id: messageId })
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('colleague_id', '=', colleagueId)
    .where('read_message_id', '<', messageId)
    .where('last_message_id', '>=', messageId)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/**
 * After the rows of the users were deleted, with their conversations: what they wrote is gone, and conversations that no
 * user has any more as a whole. Colleagues keep what they wrote themselves.
 */
export async function eraseDirectMessagesOf(db: Db, companyId: CompanyId, userIds: readonly number[]): Promise<void> {
  const wanted = idsFromJson(db, JSON.stringify(userIds)) as never
  await db
    .deleteFrom('direct_message')
    .where('company_id', '=', companyId)
    .where(({ or, eb }) => or([eb('sender_id', 'in', wanted), eb('recipient_id', 'in', wanted)]))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('user')
            .select('user.id')
            .where('user.company_id', '=', companyId)
            .where(({ or, eb }) =>
              or([
                eb('user.id', '=', sql.ref<number>('direct_message.sender_id')),
                eb('user.id', '=', sql.ref<number>('direct_message.recipient_id')),
              ]),
            ),
        ),
      ),
    )
    .execute()
  await db
    .updateTable('direct_message')
    .set({ text: null })
    .where('company_id', '=', companyId)
    .where('sender_id', 'in', wanted)
    .execute()
}

/** Deletes the oldest messages from before a time, and conversations without messages. Returns how many. */
export async function deleteOldDirectMessages(
  db: Db,
  companyId: CompanyId,
  before: number,
  limit: number,
): Promise<number> {
  const old = await db
    .selectFrom('direct_message')
    .select('id')
    .where('company_id', '=', companyId)
    .where('sent_at', '<', before)
    .orderBy('sent_at')
    .limit(limit)
    .execute()
  if (old.length === 0) return 0
  const ids = old.map(({ id }) => id)
  await db.deleteFrom('direct_message').where('company_id', '=', companyId).where('id', 'in', ids).execute()
  // Only those whose last message was deleted here: a message that is sent at the same moment moves its conversation.
  await db
    .deleteFrom('direct_conversation')
    .where('company_id', '=', companyId)
    .where('last_message_id', 'in', ids)
    .execute()
  return ids.length
}
