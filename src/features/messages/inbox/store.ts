import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { aside, lockRow, readApart } from '../../../db/dialect.ts'
import type { CompanyId, ConversationTable } from '../../../db/tables.ts'
import { isInternationalForm } from '../../../domain/phone-number.ts'
import { readNational } from '../../../lib/phone-format.ts'
import { countriesOfCompany } from '../../accounts/index.ts'
import { type Call, callsById } from '../../calls/index.ts'
import { type Message, messageRows } from '../messages/store.ts'
import { type Conversation, conversationRows } from './conversations-store.ts'

// What an inbox shows: which conversations, and what was said and written in one.

/** Whose conversations: all, or those of some Numbers and those given to one person. */
export type Visibility = 'all' | { userId: number; numberIds: readonly number[] }

export interface InboxSearch {
  reach: Visibility
  numberId: number | undefined
  unread: boolean
  /** Null: nobody's; undefined: whoever's. */
  assignedTo: number | null | undefined
  archived: boolean
  /** In the last message, in the numbers, or one of the contacts' numbers. */
  words: string
  /** E.164, of contacts whose names hold the words. */
  named: readonly string[]
  /** Only what comes after it in the list. */
  after: { lastAt: number; id: string } | undefined
  limit: number
}

/** Unread ones are few, and found by an index of their own. */
const inInbox = (db: Db, companyId: CompanyId, unread = false) =>
  db
    .selectFrom('conversation')
    .where('company_id', '=', companyId)
    .where(unread ? aside('inbox') : 'inbox', '=', 1)

/** Written out, so that a database sees that the index of unread ones will do. */
const isUnread = sql<boolean>`unread > 0`

/** How many conversations one request searches for words, from the last written in on. */
const searchedAtOnce = 10_000

export interface FoundConversations {
  /** The last written in first. */
  conversations: Conversation[]
  /** The search ended here for now: what is older has not been looked at. */
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
  // Words have no index: as many are searched as take a few milliseconds, and the next request goes on behind them.
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
  let query = within(inInbox(db, companyId, search.unread).selectAll(), search.reach)
  query = query.where('archived', '=', search.archived ? 1 : 0)
  if (numberId !== undefined) query = query.where(search.unread ? aside('number_id') : 'number_id', '=', numberId)
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

function within<Q extends { where(condition: RawBuilder<boolean>): Q }>(query: Q, reach: Visibility): Q {
  if (reach === 'all') return query
  const assigned = sql<boolean>`assigned_user_id = ${reach.userId}`
  if (reach.numberIds.length === 0) return query.where(assigned)
  // Not by an index of numbers: of one person they are few, but their conversations are many.
  return query.where(sql<boolean>`(${aside('number_id')} in (${sql.join(reach.numberIds)}) or ${assigned})`)
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

/** The numbers of contacts, E.164: a national form is read in the country of the company, and of each of its Numbers. */
export async function phonesOfContacts(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('contact_phone')
    .select(['digits', 'value'])
    .where('company_id', '=', companyId)
    .where('contact_id', 'in', [...ids])
    .execute()
  const countries = await countriesOfCompany(db, companyId)
  const read = await Promise.all(
    rows.map(async ({ digits, value }) => {
      if (isInternationalForm(value)) return [digits]
      return [digits, ...(await Promise.all(countries.map((country) => readNational(value, country))))]
    }),
  )
  return [...new Set(read.flat())].flatMap((digits) => (digits === null ? [] : `+${digits}`))
}

/** In how many of them somebody waits for an answer to be read. */
export async function countUnread(db: Db, companyId: CompanyId, reach: Visibility): Promise<number> {
  const { n } = await within(
    inInbox(db, companyId, true)
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where('archived', '=', 0)
      .where(isUnread),
    reach,
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

/** The newest first, before a row; what went past the inbox is not in it. */
export async function messagesBefore(
  db: Db,
  companyId: CompanyId,
  conversationId: string,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<Message[]> {
  let query = db
    .selectFrom('message')
    .selectAll()
    // SQLite would read all messages of the company instead of those of the conversation.
    .where(aside('company_id'), '=', companyId)
    .where('conversation_id', '=', conversationId)
    .where('mode', '=', 'native')
    // Nobody hears of what a customer wrote before its files are here.
    .where(({ or, eb }) => or([eb('fetching', '=', 0), eb('direction', '=', 'outbound')]))
  if (before !== undefined) query = query.where('row_id', '<', before)
  return (await query.orderBy('row_id', 'desc').limit(limit).execute()).map(messageRows.read)
}

/** Calls of one person on one line, the newest first. */
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
    .where(aside('number_id'), '=', numberId)
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
