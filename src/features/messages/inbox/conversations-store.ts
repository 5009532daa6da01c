import { createHash, randomUUID } from 'node:crypto'
import type { Db } from '../../../db/database.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId, ConversationTable } from '../../../db/tables.ts'
import { notifyInbox } from './updates.ts'

export interface Conversation {
  id: string
  companyId: CompanyId
  numberId: number
  external: string | null
  participants: string[] | null
  inbox: boolean
  unread: number
  assignedUserId: number | null
  archived: boolean
  lastAt: number
  lastMessage: string | null
  lastDirection: ConversationTable['last_direction']
  createdAt: number
}

const conversationOf = (row: ConversationTable): Conversation => ({
  id: row.id,
  companyId: row.company_id,
  numberId: row.number_id,
  external: row.external,
  participants: row.participants === null ? null : JSON.parse(row.participants),
  inbox: row.inbox === 1,
  unread: row.unread,
  assignedUserId: row.assigned_user_id,
  archived: row.archived === 1,
  lastAt: row.last_at,
  lastMessage: row.last_message,
  lastDirection: row.last_direction,
  createdAt: row.created_at,
})

/** Reads a row selected by another store. */
export const conversationRows = { read: conversationOf }

/** One external number, or a group in any order. */
export type Who = { external: string } | { participants: readonly string[] }

const inOrder = (participants: readonly string[]) => [...new Set(participants)].sort()

/** Independent of the order of the participants. */
function keyOf(who: Who): string {
  if ('external' in who) return who.external
  return createHash('sha256').update(inOrder(who.participants).join(' ')).digest('hex')
}

const byKey = hotQuery((db, v: { companyId: CompanyId; numberId: number; who: string }) =>
  db
    .selectFrom('conversation')
    .selectAll()
    .where('company_id', '=', v.companyId)
    .where('number_id', '=', v.numberId)
    .where('who', '=', v.who)
    .compile(),
)

/** The conversation with these participants on this Number; created if there is none. */
export async function conversationWith(
  db: Db,
  companyId: CompanyId,
  numberId: number,
  who: Who,
  at: number,
): Promise<Conversation> {
  const key = keyOf(who)
  const [known] = await byKey(db, { companyId, numberId, who: key })
  if (known) return conversationOf(known)
  const row: ConversationTable = {
    id: randomUUID(),
    company_id: companyId,
    number_id: numberId,
    external: 'external' in who ? who.external : null,
    participants: 'participants' in who ? JSON.stringify(inOrder(who.participants)) : null,
    who: key,
    inbox: 0,
    unread: 0,
    assigned_user_id: null,
    archived: 0,
    last_at: at,
    last_message: null,
    last_direction: null,
    created_at: at,
  }
  await db
    .insertInto('conversation')
    .values(row)
    .onConflict((conflict) => conflict.columns(['number_id', 'who']).doNothing())
    .execute()
  const [made] = await byKey(db, { companyId, numberId, who: key })
  if (!made) throw new Error('the created conversation was not found')
  return conversationOf(made)
}

interface RecordedMessage {
  companyId: CompanyId
  id: string
  at: number
  body: string
  direction: 'inbound' | 'outbound'
  more: number
}

const note = hotQuery((db, v: RecordedMessage) =>
  db
    .updateTable('conversation')
    .set(({ eb }) => ({
      inbox: 1,
      archived: 0,
      last_at: v.at,
      last_message: v.body,
      last_direction: v.direction,
      unread: eb('unread', '+', v.more),
    }))
    .where('company_id', '=', v.companyId)
    .where('id', '=', v.id)
    .compile(),
)

/** Moves the conversation to the top of the inbox, and marks it unread for an inbound message. */
export async function recordMessage(
  db: Db,
  companyId: CompanyId,
  id: string,
  { direction, body, at }: Pick<RecordedMessage, 'direction' | 'body' | 'at'>,
): Promise<void> {
  await note(db, { companyId, id, at, body: body.slice(0, 200), direction, more: direction === 'inbound' ? 1 : 0 })
  await notifyInbox(db, companyId, [id], direction === 'inbound' ? 'received' : 'changed')
}

export async function setUnread(db: Db, companyId: CompanyId, id: string, unread: number): Promise<void> {
  await db
    .updateTable('conversation')
    .set({ unread })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

/** A message of the past: the conversation gets it as its last message if there is no later one, and is not marked unread. */
export async function recordPastMessage(
  db: Db,
  companyId: CompanyId,
  id: string,
  { direction, body, at }: Pick<RecordedMessage, 'direction' | 'body' | 'at'>,
): Promise<void> {
  await db
    .updateTable('conversation')
    .set({ inbox: 1, last_at: at, last_message: body.slice(0, 200), last_direction: direction })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where(({ or, eb }) => or([eb('inbox', '=', 0), eb('last_at', '<=', at)]))
    .execute()
}
