import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { lockRow } from '../../db/dialect.ts'
import type { CompanyId, ContactTable } from '../../db/tables.ts'
import { normaliseForSearch } from '../../domain/phone-number.ts'
import type { Window } from '../../http/paging.ts'
import { day } from '../../lib/clock.ts'

export interface Detail {
  id: number
  label: string
  value: string
}

export interface Contact {
  id: number
  firstName: string | null
  lastName: string | null
  companyName: string | null
  information: string | null
  createdAt: number
  updatedAt: number
  phones: Detail[]
  emails: Detail[]
}

/** Phone numbers and e-mail addresses are kept alike: what differs is the form they are searched by. */
export type DetailKind = 'contact_phone' | 'contact_email'

const searchForm: Record<DetailKind, (value: string) => object> = {
  contact_phone: (value) => ({ digits: normaliseForSearch(value) }),
  contact_email: (value) => ({ address: value.toLowerCase() }),
}

type Row = Omit<ContactTable, 'id' | 'company_id'> & { id: number }

const columns = ['id', 'first_name', 'last_name', 'company_name', 'information', 'created_at', 'updated_at'] as const

const toContact = (row: Row, phones: Detail[], emails: Detail[]): Contact => ({
  id: row.id,
  firstName: row.first_name,
  lastName: row.last_name,
  companyName: row.company_name,
  information: row.information,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  phones,
  emails,
})

export async function findContact(db: Db, companyId: CompanyId, id: number): Promise<Contact | undefined> {
  const [contact] = await contactsById(db, companyId, [id])
  return contact
}

/** Locked until the transaction ends: two changes of one contact happen one after the other. */
export async function lockContact(db: Db, companyId: CompanyId, id: number): Promise<boolean> {
  const mine = db.selectFrom('contact').select('id').where('company_id', '=', companyId).where('id', '=', id)
  return (await lockRow(db, mine).executeTakeFirst()) !== undefined
}

/** In the order of the ids given; each table is asked once for the whole page. */
export async function contactsById(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<Contact[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('contact')
    .select(columns)
    .where('company_id', '=', companyId)
    .where('id', 'in', [...ids])
    .execute()
  const phones = await detailsOf(db, companyId, 'contact_phone', ids)
  const emails = await detailsOf(db, companyId, 'contact_email', ids)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row ? [toContact(row, phones.get(id) ?? [], emails.get(id) ?? [])] : []
  })
}

async function detailsOf(db: Db, companyId: CompanyId, kind: DetailKind, contactIds: readonly number[]) {
  const rows = await db
    .selectFrom(kind)
    .select(['id', 'contact_id', 'label', 'value'])
    .where('company_id', '=', companyId)
    .where('contact_id', 'in', [...contactIds])
    .orderBy('id')
    .execute()
  const grouped = new Map<number, Detail[]>()
  for (const { contact_id, ...detail } of rows) {
    const list = grouped.get(contact_id)
    if (list) list.push(detail)
    else grouped.set(contact_id, [detail])
  }
  return grouped
}

export interface ContactQuery {
  orderBy: 'created_at' | 'updated_at'
  phone: string | undefined
  email: string | undefined
}

/** A page on the index alone; its parts are loaded by contactsById. */
export async function pageOfContacts(db: Db, companyId: CompanyId, query: ContactQuery, window: Window) {
  const { orderBy, phone, email } = query
  let mine = db.selectFrom('contact').where('contact.company_id', '=', companyId)
  if (window.from !== undefined) mine = mine.where(`contact.${orderBy}`, '>=', window.from)
  if (window.to !== undefined) mine = mine.where(`contact.${orderBy}`, '<=', window.to)
  if (phone !== undefined) mine = mine.where('contact.id', 'in', holders(db, companyId, 'phone', phone))
  if (email !== undefined) mine = mine.where('contact.id', 'in', holders(db, companyId, 'email', email))
  const ids = await mine
    .select('contact.id')
    .orderBy(`contact.${orderBy}`, window.order)
    .orderBy('contact.id', window.order)
    .limit(window.limit)
    .offset(window.offset)
    .execute()
  const unfiltered = phone === undefined && email === undefined && window.from === undefined && window.to === undefined
  const total = unfiltered
    ? await countOfContacts(db, companyId)
    : (await mine.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirstOrThrow()).n
  return { ids: ids.map(({ id }) => id), total }
}

function holders(db: Db, companyId: CompanyId, by: 'phone' | 'email', wanted: string) {
  return by === 'phone'
    ? db
        .selectFrom('contact_phone')
        .select('contact_id')
        .where('company_id', '=', companyId)
        .where('digits', '=', normaliseForSearch(wanted))
    : db
        .selectFrom('contact_email')
        .select('contact_id')
        .where('company_id', '=', companyId)
        .where('address', '=', wanted.toLowerCase())
}

async function countOfContacts(db: Db, companyId: CompanyId): Promise<number> {
  const { rows } = await sql<{ n: number | null }>`
    select cast(sum(n) as bigint) as n from contact_count where company_id = ${companyId}`.execute(db)
  return rows[0]?.n ?? 0
}

export interface NewContact {
  firstName: string | null
  lastName: string | null
  companyName: string | null
  information: string | null
  phones: { label: string; value: string }[]
  emails: { label: string; value: string }[]
}

export async function insertContact(db: Db, companyId: CompanyId, contact: NewContact, at: number): Promise<number> {
  const { id } = await db
    .insertInto('contact')
    .values({
      company_id: companyId,
      first_name: contact.firstName,
      last_name: contact.lastName,
      company_name: contact.companyName,
      information: contact.information,
      created_at: at,
      updated_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const phone of contact.phones) await insertDetail(db, companyId, 'contact_phone', id, phone)
  for (const email of contact.emails) await insertDetail(db, companyId, 'contact_email', id, email)
  await addToCount(db, companyId, at, 1)
  return id
}

async function addToCount(db: Db, companyId: CompanyId, createdAt: number, n: 1 | -1): Promise<void> {
  const dayNumber = Math.floor(createdAt / day)
  await sql`insert into contact_count as c (company_id, day, n) values (${companyId}, ${dayNumber}, ${n})
    on conflict (company_id, day) do update set n = c.n + ${n}`.execute(db)
}

export type ContactChange = Partial<Pick<ContactTable, 'first_name' | 'last_name' | 'company_name' | 'information'>>

/** updated_at moves at every change, those of phone numbers and e-mail addresses included. */
export async function updateContact(db: Db, companyId: CompanyId, id: number, change: ContactChange, at: number) {
  await db
    .updateTable('contact')
    .set({ ...change, updated_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

export async function deleteContact(db: Db, companyId: CompanyId, contact: Contact): Promise<void> {
  await db.deleteFrom('contact').where('company_id', '=', companyId).where('id', '=', contact.id).execute()
  await addToCount(db, companyId, contact.createdAt, -1)
}

export async function insertDetail(
  db: Db,
  companyId: CompanyId,
  kind: DetailKind,
  contactId: number,
  { label, value }: { label: string; value: string },
): Promise<void> {
  const row = { contact_id: contactId, company_id: companyId, label, value, ...searchForm[kind](value) }
  await db
    .insertInto(kind)
    .values(row as never)
    .execute()
}

export async function updateDetail(
  db: Db,
  companyId: CompanyId,
  kind: DetailKind,
  id: number,
  change: { label?: string; value?: string },
): Promise<void> {
  const set = { ...change, ...(change.value !== undefined && searchForm[kind](change.value)) }
  await db.updateTable(kind).set(set).where('company_id', '=', companyId).where('id', '=', id).execute()
}

export async function deleteDetail(db: Db, companyId: CompanyId, kind: DetailKind, id: number): Promise<void> {
  await db.deleteFrom(kind).where('company_id', '=', companyId).where('id', '=', id).execute()
}
