import { type Selectable, sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson, lockRow, rowsFromJson, unindexed } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId, MessageTable } from '../../../db/tables.ts'
import type { MediaTroubleCode, MessageStatus } from '../../../domain/message.ts'

/** A file of a message: its source URL, and its key in the file store once it was fetched. */
export interface Medium {
  url: string | null
  name: string
  type: string
  file: string | null
  /** Error code of an inbound file that could not be received. */
  error?: MediaTroubleCode
}

export interface Message {
  rowId: number
  id: string
  companyId: CompanyId
  numberId: number
  conversationId: string
  mode: MessageTable['mode']
  channel: MessageTable['channel']
  direction: MessageTable['direction']
  status: MessageStatus
  external: string | null
  externalDisplay: string | null
  participants: string[] | null
  author: string | null
  body: string
  media: Medium[]
  userId: number | null
  parentId: string | null
  templateContent: TemplateContent | null
  templateParams: unknown
  type: string | null
  metadata: Record<string, unknown> | null
  category: string | null
  kind: string | null
  country: string | null
  errorCode: number | null
  errorMessage: string | null
  queued: MessageTable['queued']
  fetching: boolean
  createdAt: number
  updatedAt: number
  sentAt: number
}

export interface TemplateContent {
  id: number
  name: string
  language: string
  category: string
  header: { type: string; text?: string; url?: string } | null
  body: string
  footer: string | null
  buttons: { type: string; text: string; value: string | null }[]
}

const parsed = (text: string | null) => (text === null ? null : JSON.parse(text))
const written = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value))

const messageOf = (row: Selectable<MessageTable>): Message => ({
  rowId: row.row_id,
  id: row.id,
  companyId: row.company_id,
  numberId: row.number_id,
  conversationId: row.conversation_id,
  mode: row.mode,
  channel: row.channel,
  direction: row.direction,
  status: row.status,
  external: row.external,
  externalDisplay: row.external_display,
  participants: parsed(row.participants),
  author: row.author,
  body: row.body,
  media: JSON.parse(row.media),
  userId: row.user_id,
  parentId: row.parent_id,
  templateContent: parsed(row.template_content),
  templateParams: parsed(row.template_params),
  type: row.type,
  metadata: parsed(row.metadata),
  category: row.category,
  kind: row.kind,
  country: row.country,
  errorCode: row.error_code,
  errorMessage: row.error_message,
  queued: row.queued,
  fetching: row.fetching === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  sentAt: row.sent_at,
})

/** Reads a row selected by another store. */
export const messageRows = { read: messageOf }

export type NewMessage = Omit<Message, 'rowId' | 'companyId' | 'errorCode' | 'errorMessage' | 'updatedAt' | 'sentAt'>

const insert = hotQuery((db, row: Omit<MessageTable, 'row_id'>) =>
  db
    .insertInto('message')
    .values({
      id: row.id,
      company_id: row.company_id,
      number_id: row.number_id,
      conversation_id: row.conversation_id,
      mode: row.mode,
      channel: row.channel,
      direction: row.direction,
      status: row.status,
      external: row.external,
      external_display: row.external_display,
      participants: row.participants,
      author: row.author,
      body: row.body,
      media: row.media,
      user_id: row.user_id,
      parent_id: row.parent_id,
      template_content: row.template_content,
      template_params: row.template_params,
      type: row.type,
      metadata: row.metadata,
      category: row.category,
      kind: row.kind,
      country: row.country,
      error_code: null,
      error_message: null,
      queued: row.queued,
      fetching: row.fetching,
      created_at: row.created_at,
      updated_at: row.updated_at,
      sent_at: row.sent_at,
    })
    .returningAll()
    .compile(),
)

export async function insertMessage(db: Db, companyId: CompanyId, message: NewMessage): Promise<Message> {
  const [row] = await insert(db, {
    id: message.id,
    company_id: companyId,
    number_id: message.numberId,
    conversation_id: message.conversationId,
    mode: message.mode,
    channel: message.channel,
    direction: message.direction,
    status: message.status,
    external: message.external,
    external_display: message.externalDisplay,
    participants: written(message.participants),
    author: message.author,
    body: message.body,
    media: JSON.stringify(message.media),
    user_id: message.userId,
    parent_id: message.parentId,
    template_content: written(message.templateContent),
    template_params: written(message.templateParams),
    type: message.type,
    metadata: written(message.metadata),
    category: message.category,
    kind: message.kind,
    country: message.country,
    queued: message.queued,
    fetching: message.fetching ? 1 : 0,
    created_at: message.createdAt,
    updated_at: message.createdAt,
    sent_at: message.createdAt,
  })
  if (!row) throw new Error('the insert returned no row')
  return messageOf(row)
}

/** Returns the messages in the given order. Locks them oldest first until the transaction ends, which prevents deadlocks. */
export async function lockMessages(db: Db, companyId: CompanyId, rowIds: readonly number[]): Promise<Message[]> {
  if (rowIds.length === 0) return []
  const query = db
    .selectFrom('message')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('row_id', 'in', idsFromJson(db, JSON.stringify(rowIds)))
    .orderBy('row_id')
  const found = new Map((await lockRow(db, query).execute()).map((row) => [row.row_id, messageOf(row)]))
  return rowIds.flatMap((id) => found.get(id) ?? [])
}

export async function messageAt(db: Db, companyId: CompanyId, rowId: number): Promise<Message | undefined> {
  const row = await db
    .selectFrom('message')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('row_id', '=', rowId)
    .executeTakeFirst()
  return row && messageOf(row)
}

/** Ids are unique in the installation. */
export async function isMessageIdTaken(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('message').select('row_id').where('id', '=', id).executeTakeFirst()) !== undefined
}

export async function messagesAfter(
  db: Db,
  companyId: CompanyId,
  { rowId, numberIds, limit }: { rowId: number; numberIds: readonly number[] | null; limit: number },
): Promise<Message[]> {
  let query = db
    .selectFrom('message')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('row_id', '>', rowId)
    // Not published yet.
    .where(({ or, eb }) => or([eb('direction', '=', 'outbound'), eb('fetching', '=', 0)]))
  if (numberIds !== null) query = query.where('number_id', 'in', idsFromJson(db, JSON.stringify(numberIds)))
  return (await query.orderBy('row_id').limit(limit).execute()).map(messageOf)
}

export interface Changed {
  rowId: number
  status: MessageStatus
  errorCode: number | null
  errorMessage: string | null
  queued: MessageTable['queued']
  sentAt: number
}

const change = hotQuery<{ companyId: CompanyId; at: number; rows: string }, never>((db, v) =>
  sql<never>`update message set status = given.status, error_code = given.error_code,
      error_message = given.error_message, queued = given.queued, sent_at = given.sent_at,
      updated_at = ${v.at}
    from ${rowsFromJson(db, v.rows, {
      row: 'bigint',
      status: 'text',
      error_code: 'integer',
      error_message: 'text',
      queued: 'integer',
      sent_at: 'bigint',
    })}
    where message.row_id = given.row and ${unindexed('message.company_id')} = ${v.companyId}`.compile(db),
)

/** Updates any number of messages in one statement. */
export async function changeMessages(
  db: Db,
  companyId: CompanyId,
  changes: readonly Changed[],
  at: number,
): Promise<void> {
  if (changes.length === 0) return
  const rows = changes.map((one) => ({
    row: one.rowId,
    status: one.status,
    error_code: one.errorCode,
    error_message: one.errorMessage,
    queued: one.queued,
    sent_at: one.sentAt,
  }))
  await change(db, { companyId, at, rows: JSON.stringify(rows) })
}

export async function setMedia(
  db: Db,
  companyId: CompanyId,
  { rowId, media, type }: Pick<Message, 'rowId' | 'media' | 'type'>,
): Promise<void> {
  await db
    .updateTable('message')
    .set({ media: JSON.stringify(media), type, fetching: 0 })
    .where('company_id', '=', companyId)
    .where('row_id', '=', rowId)
    .execute()
}

const waitingOn = (channel: 'texts' | 'whatsapp') =>
  hotQuery((db, v: { companyId: CompanyId; numberId: number; limit: number }) =>
    db
      .selectFrom('message')
      .selectAll()
      .where(unindexed('company_id'), '=', v.companyId)
      .where('number_id', '=', v.numberId)
      .where('queued', '>', sql.lit(0))
      .where('channel', channel === 'texts' ? 'is' : 'is not', null)
      .orderBy('row_id')
      .limit(v.limit)
      .compile(),
  )
const waiting = { texts: waitingOn('texts'), whatsapp: waitingOn('whatsapp') }

/** Queued messages of a Number, oldest first; texts do not wait for WhatsApp messages. */
export async function queueOf(
  db: Db,
  companyId: CompanyId,
  numberId: number,
  channel: 'texts' | 'whatsapp',
  limit: number,
): Promise<Message[]> {
  return (await waiting[channel](db, { companyId, numberId, limit })).map(messageOf)
}

/** Numbers with queued messages. */
export async function busyLines(db: Db): Promise<{ companyId: CompanyId; numberId: number }[]> {
  const rows = await db
    .selectFrom('message')
    .select(['company_id', 'number_id'])
    .where('queued', '>', sql.lit(0))
    .groupBy(['company_id', 'number_id'])
    .execute()
  return rows.map((row) => ({ companyId: row.company_id, numberId: row.number_id }))
}

export async function setQueued(
  db: Db,
  companyId: CompanyId,
  rowId: number,
  queued: MessageTable['queued'],
): Promise<void> {
  await db
    .updateTable('message')
    .set({ queued })
    .where('company_id', '=', companyId)
    .where('row_id', '=', rowId)
    .execute()
}

const lastIn = hotQuery((db, v: { companyId: CompanyId; numberId: number; external: string; at: number }) =>
  db
    .selectFrom('message')
    .select('created_at')
    .where('company_id', '=', v.companyId)
    .where('number_id', '=', v.numberId)
    .where('external', '=', v.external)
    .where('channel', 'is not', null)
    .where('direction', '=', 'inbound')
    .where('created_at', '<=', v.at)
    .orderBy('created_at', 'desc')
    .limit(1)
    .compile(),
)

/** Time of the customer's last WhatsApp message up to `now`. */
export async function lastInboundAt(
  db: Db,
  companyId: CompanyId,
  numberId: number,
  external: string,
  at: number,
): Promise<number | undefined> {
  const [row] = await lastIn(db, { companyId, numberId, external, at })
  return row?.created_at
}

/** Mode of the last WhatsApp message sent to this recipient. */
export async function lastModeTo(
  db: Db,
  companyId: CompanyId,
  numberId: number,
  external: string,
): Promise<MessageTable['mode'] | undefined> {
  const row = await db
    .selectFrom('message')
    .select('mode')
    .where('company_id', '=', companyId)
    .where('number_id', '=', numberId)
    .where('external', '=', external)
    .where('channel', 'is not', null)
    .where('direction', '=', 'outbound')
    .orderBy('created_at', 'desc')
    .orderBy('row_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.mode
}
