import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { lockRow, readApart, unindexed } from '../../../db/dialect.ts'
import type { CompanyId, ConversationTable } from '../../../db/tables.ts'
import { type Call, callsById } from '../../calls/index.ts'
import { type Message, messageRows } from '../messages/store.ts'
import { type Conversation, conversationRows } from './conversations-store.ts'

// Conversations of the inbox, and the messages and calls of one conversation.

/** All conversations, or those of some Numbers and those assigned to one user. */
export type Visibility = 'all' | { userId: number; numberIds: readonly number[] }

export interface InboxSearch {
  visibility: Visibility
  numberId: number | undefined
  unread: boolean
  /** Null: unassigned; undefined: any. */
  assignedTo: number | null | undefined
  archived: boolean
  /** Matches the last message, the numbers, or the contacts' numbers. */
  words: string
  /** E.164 numbers of contacts whose names match the words. */
  named: readonly string[]
  /** Cursor: only conversations after it in the list. */
  after: { lastAt: number; id: string } | undefined
  limit: number
}

/** Unread conversations are few and have an index of their own. */
const inInbox = (db: Db, companyId: CompanyId, unread = false) =>
  db
    .selectFrom('conversation')
    .where('company_id', '=', companyId)
    .where(unread ? unindexed('inbox') : 'inbox', '=', 1)

/** A literal, so that the query planner can use the partial index of unread conversations. */
const isUnread = sql<boolean>`unread > 0`

/** Maximum number of conversations that one request searches, latest first. */
const searchedAtOnce = 10_000

export interface FoundConversations {
  /** Latest message first. */
  conversations: Conversation[]
  /** Where the search stopped: older conversations were not searched yet. */
  searchedTo?: { lastAt: number; id: string }
}

export async function pageOfConversations(
  db: Db,
  companyId: CompanyId,
  search: InboxSearch,
): Promise<FoundConversations> {
  const { words, limit, named } = search
  const all = filtered(db, companyId, search)
  if (words === '') return { conversations: (await all.limit(limit).execute()).map(conversationRows.read) }
  // The text search has no index: each request scans a bounded number of conversations, and the next one continues there.
  const found = db
    .selectFrom(all.limit(searchedAtOnce).as('newest'))
    .selectAll()
    .where(holding(words, named))
    .orderBy('last_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  const rows = await readApart(db, found.compile())
  const conversations = rows.map((row) => conversationRows.read(row))
  if (rows.length === limit) return { conversations }
  const [last] = await readApart(
    db,
    all
      .limit(1)
      .offset(searchedAtOnce - 1)
      .compile(),
  )
  return { conversations, ...(last && { searchedTo: { lastAt: last.last_at, id: last.id } }) }
}

function filtered(db: Db, companyId: CompanyId, search: InboxSearch) {
  const { numberId, assignedTo, after } = search
  let query = within(inInbox(db, companyId, search.unread).selectAll(), search.visibility)
  query = query.where('archived', '=', search.archived ? 1 : 0)
  if (numberId !== undefined) query = query.where(search.unread ? unindexed('number_id') : 'number_id', '=', numberId)
  if (search.unread) query = query.where(isUnread)
  if (assignedTo === null) query = query.where('assigned_user_id', 'is', null)
  else if (assignedTo !== undefined) query = query.where('assigned_user_id', '=', assignedTo)
  if (after) {
    query = query.where(({ or, and, eb }) =>
      or([eb('last_at', '<', after.lastAt), and([eb('last_at', '=', after.lastAt), eb('id', '<', after.id)])]),
    )
  }
  return query.orderBy('last_at', 'desc').orderBy('id', 'desc')
}

function within<Q extends { where(condition: RawBuilder<boolean>): Q }>(query: Q, visibility: Visibility): Q {
  if (visibility === 'all') return query
  const assigned = sql<boolean>`assigned_user_id = ${visibility.userId}`
  if (visibility.numberIds.length === 0) return query.where(assigned)
  // Bypasses the index on number_id: a user has few Numbers, but these have many conversations.
  return query.where(sql<boolean>`(${unindexed('number_id')} in (${sql.join(visibility.numberIds)}) or ${assigned})`)
}

const like = (words: string) => `%${words.replace(/[\\%_]/g, '\\$&')}%`

function holding(words: string, named: readonly string[]): RawBuilder<boolean> {
  const digits = words.replace(/[^\d]/g, '')
  const ways = [sql<boolean>`lower(last_message) like ${like(words.toLowerCase())} escape '\\'`]
  if (digits.length >= 3 && !/\p{L}/u.test(words)) {
    ways.push(sql<boolean>`external like ${like(digits)}`, sql<boolean>`participants like ${like(digits)}`)
  }
  for (const phone of named) ways.push(sql<boolean>`participants like ${like(phone)}`)
  if (named.length > 0) ways.push(sql<boolean>`external in (${sql.join([...named])})`)
  return sql<boolean>`(${sql.join(ways, sql` or `)})`
}

/** Number of conversations with unread messages. */
export async function countUnread(db: Db, companyId: CompanyId, visibility: Visibility): Promise<number> {
  const { n } = await within(
    inInbox(db, companyId, true)
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where('archived', '=', 0)
      .where(isUnread),
    visibility,
  ).executeTakeFirstOrThrow()
  return Number(n)
}

export async function findConversation(db: Db, companyId: CompanyId, id: string): Promise<Conversation | undefined> {
  const row = await db
    .selectFrom('conversation')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && conversationRows.read(row)
}

export async function lockConversation(db: Db, companyId: CompanyId, id: string): Promise<Conversation | undefined> {
  const query = db.selectFrom('conversation').selectAll().where('company_id', '=', companyId).where('id', '=', id)
  const row = await lockRow(db, query).executeTakeFirst()
  return row && conversationRows.read(row)
}

export type ConversationChange = Partial<Pick<ConversationTable, 'assigned_user_id' | 'archived' | 'unread'>>

export async function changeConversation(
  db: Db,
  companyId: CompanyId,
  id: string,
  change: ConversationChange,
): Promise<void> {
  await db.updateTable('conversation').set(change).where('company_id', '=', companyId).where('id', '=', id).execute()
}

/** Newest first, before a row; without messages that bypass the inbox. */
export async function messagesBefore(
  db: Db,
  companyId: CompanyId,
  conversationId: string,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<Message[]> {
  let query = db
    .selectFrom('message')
    .selectAll()
    // Otherwise SQLite scans all messages of the company instead of those of the conversation.
    .where(unindexed('company_id'), '=', companyId)
    .where('conversation_id', '=', conversationId)
    .where('mode', '=', 'native')
    // Inbound messages are hidden until their files were fetched.
    .where(({ or, eb }) => or([eb('fetching', '=', 0), eb('direction', '=', 'outbound')]))
  if (before !== undefined) query = query.where('row_id', '<', before)
  return (await query.orderBy('row_id', 'desc').limit(limit).execute()).map(messageRows.read)
}

/** Calls between an external number and a Number, newest first. */
export async function callsBefore(
  db: Db,
  companyId: CompanyId,
  { digits, numberId }: { digits: string; numberId: number },
  { before, limit }: { before: { at: number; id: number } | undefined; limit: number },
): Promise<Call[]> {
  let query = db
    .selectFrom('call')
    .select('id')
    .where('company_id', '=', companyId)
    .where('external_digits', '=', digits)
    .where(unindexed('number_id'), '=', numberId)
  if (before) {
    query = query.where(({ or, and, eb }) =>
      or([eb('started_at', '<', before.at), and([eb('started_at', '=', before.at), eb('id', '<', before.id)])]),
    )
  }
  const rows = await query.orderBy('started_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  const calls = await callsById(
    db,
    companyId,
    rows.map(({ id }) => id),
  )
  return rows.flatMap(({ id }) => calls.get(id) ?? [])
}
