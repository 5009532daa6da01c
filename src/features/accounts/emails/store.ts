import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { containsText } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { Window } from '../../../http/paging.ts'

export interface NewMail {
  userId: number | null
  recipient: string
  subject: string
  textSealed: string
  partsSealed?: string | null
  reportRunId?: number | null
}

export async function insertMail(db: Db, companyId: CompanyId, mail: NewMail, at: number): Promise<number> {
  const { id } = await db
    .insertInto('mail')
    .values({
      company_id: companyId,
      user_id: mail.userId,
      recipient: mail.recipient,
      subject: mail.subject,
      text_sealed: mail.textSealed,
      parts_sealed: mail.partsSealed ?? null,
      report_run_id: mail.reportRunId ?? null,
      created_at: at,
      sent_at: null,
      error: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** For the job, which knows the email but not its company. */
export function findMailToSend(db: Db, mailId: number) {
  return db.selectFrom('mail').selectAll().where('id', '=', mailId).where('sent_at', 'is', null).executeTakeFirst()
}

export async function markMail(db: Db, mailId: number, outcome: { sentAt?: number; error?: string }): Promise<void> {
  const change = { sent_at: outcome.sentAt ?? null, error: outcome.error ?? null }
  await db.updateTable('mail').set(change).where('id', '=', mailId).execute()
}

export const mailStates = ['sent', 'failed', 'not_sent'] as const

export interface MailFilter {
  /** Part of the recipient or the subject. */
  search?: string | undefined
  state?: (typeof mailStates)[number] | undefined
  /** Milliseconds, both included. */
  from?: number | undefined
  to?: number | undefined
}

function matching(db: Db, companyId: CompanyId, { search, state, from, to }: MailFilter) {
  let query = db.selectFrom('mail').where('company_id', '=', companyId)
  if (from !== undefined) query = query.where('created_at', '>=', from)
  if (to !== undefined) query = query.where('created_at', '<=', to)
  if (state === 'sent') query = query.where('sent_at', 'is not', null)
  if (state === 'failed') query = query.where('sent_at', 'is', null).where('error', 'is not', null)
  if (state === 'not_sent') query = query.where('sent_at', 'is', null).where('error', 'is', null)
  if (search === undefined) return query
  const contains = (column: 'recipient' | 'subject') => containsText(db, sql.ref(column), search)
  return query.where(sql<boolean>`(${contains('recipient')} or ${contains('subject')})`)
}

/** `total` counts up to the last page. */
export async function pageOfMails(db: Db, companyId: CompanyId, window: Window, filter: MailFilter = {}) {
  const mine = matching(db, companyId, filter)
  const within = mine.select('id').limit(window.wall)
  const { total } = await db
    .selectFrom(within.as('within'))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await mine
    .selectAll()
    .orderBy('created_at', window.order)
    .orderBy('id', window.order)
    .limit(window.limit)
    .offset(window.offset)
    .execute()
  return { rows, total }
}

/** Emails, sent or not: the text is encrypted, recipient and subject are not. */
export async function deleteOldMails(db: Db, before: number): Promise<void> {
  await db.deleteFrom('mail').where('created_at', '<', before).execute()
}
