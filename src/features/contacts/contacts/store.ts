import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson, jsonArray, jsonRows, lockRow, unindexed, wordsFromJson } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import { isOneOfIds } from '../../../db/one-of.ts'
import type { JsonSubquery } from '../../../db/piece.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { normaliseForSearch } from '../../../domain/phone-number.ts'

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
  ownerId: number | null
  createdAt: number
  updatedAt: number
  phones: Detail[]
  emails: Detail[]
}

/** Phone numbers and email addresses are stored alike; only their search format differs. */
export type DetailKind = 'contact_phone' | 'contact_email'

export const searchForm: Record<DetailKind, (value: string) => object> = {
  contact_phone: (value) => ({ digits: normaliseForSearch(value) }),
  contact_email: (value) => ({ address: value.toLowerCase() }),
}

type DetailParts = [id: number, label: string, value: string]

export type ContactParts = [
  id: number,
  firstName: string | null,
  lastName: string | null,
  companyName: string | null,
  information: string | null,
  createdAt: number,
  updatedAt: number,
  phones: DetailParts[],
  emails: DetailParts[],
  ownerId: number | null,
]

/** A row of `contact as c` with its related rows, in the order of ContactParts. */
export const contactParts = (db: Db) =>
  jsonArray(
    db,
    sql`c.id, c.first_name, c.last_name, c.company_name, c.information, c.created_at, c.updated_at,
      ${detailParts(db, 'contact_phone')}, ${detailParts(db, 'contact_email')}, c.owner_id`,
  )

// The plus keeps SQLite from using the company index, which covers all rows; by contact it is one or two.
const detailParts = (db: Db, kind: DetailKind) => sql`(
  select ${jsonRows(db, jsonArray(db, sql`d.id, d.label, d.value`), sql`d.id`)}
  from ${sql.table(kind)} as d where d.contact_id = c.id and +d.company_id = c.company_id)`

const toDetail = ([id, label, value]: DetailParts): Detail => ({ id, label, value })

export const toContact = (of: ContactParts): Contact => ({
  id: of[0],
  firstName: of[1],
  lastName: of[2],
  companyName: of[3],
  information: of[4],
  createdAt: of[5],
  updatedAt: of[6],
  phones: of[7].map(toDetail),
  emails: of[8].map(toDetail),
  ownerId: of[9],
})

const contactById = hotQuery(
  (db, { companyId, id }: { companyId: CompanyId; id: number }) =>
    sql<{ contact: string }>`select cast(${contactParts(db)} as text) as contact
    from contact as c where c.company_id = ${companyId} and c.id = ${id}`.compile(db),
  { keepsPlan: true },
)

export async function findContact(db: Db, companyId: CompanyId, id: number): Promise<Contact | undefined> {
  const [row] = await contactById(db, { companyId, id })
  return row && toContact(JSON.parse(row.contact))
}

/** In the order of the ids. */
export async function contactsById(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<Contact[]> {
  const [row] = await contactsByIds(db, { companyId, ids: JSON.stringify(ids) })
  const found: ContactParts[] = JSON.parse(row?.contacts ?? '[]')
  const byId = new Map(found.map((parts) => [parts[0], parts]))
  return ids.flatMap((id) => {
    const parts = byId.get(id)
    return parts ? [toContact(parts)] : []
  })
}

const contactsByIds = hotQuery((db, { companyId, ids }: { companyId: CompanyId; ids: string }) =>
  sql<{ contacts: string }>`select cast(${jsonRows(db, contactParts(db), sql`c.id`)} as text) as contacts
    from contact as c where ${unindexed('c.company_id')} = ${companyId} and c.id in ${idsFromJson(db, ids)}`.compile(
    db,
  ),
)

/** By creation time, after a position. */
export async function contactsAfter(
  db: Db,
  companyId: CompanyId,
  after: { at: number; id: number },
  limit: number,
): Promise<Contact[]> {
  const { rows } = await sql<{ contacts: string }>`
    select cast(${jsonRows(db, contactParts(db), sql`c.created_at, c.id`)} as text) as contacts
    from (select * from contact where company_id = ${companyId} and (created_at, id) > (${after.at}, ${after.id})
      order by created_at, id limit ${limit}) as c`.execute(db)
  const found: ContactParts[] = JSON.parse(rows[0]?.contacts ?? '[]')
  return found.map(toContact)
}

/** A phone number with its contact. */
export interface ContactPhone {
  digits: string
  value: string
  contact: Contact
}

/** By digits; the contact saved first comes last. */
export const contactPhones: JsonSubquery<ContactPhone[]> = {
  value: (db, companyId, digits) => sql`(
    select cast(${jsonRows(db, jsonArray(db, sql`p.digits, p.value, ${contactParts(db)}`), sql`c.id desc`)} as text)
    from contact_phone as p join contact as c on c.id = p.contact_id
    where p.company_id = ${companyId} and p.digits in ${wordsFromJson(db, digits)})`,
  read(value) {
    const rows: [digits: string, value: string, contact: ContactParts][] = JSON.parse(value)
    return rows.map((row) => ({ digits: row[0], value: row[1], contact: toContact(row[2]) }))
  },
}

/** Locked until the transaction ends, so that changes to a contact are serialized. */
export async function lockContact(db: Db, companyId: CompanyId, id: number): Promise<boolean> {
  const mine = db.selectFrom('contact').select('id').where('company_id', '=', companyId).where('id', '=', id)
  return (await lockRow(db, mine).executeTakeFirst()) !== undefined
}

/** In the order of their ids, so that two transactions never wait for each other. Returns those that exist. */
export async function lockContacts(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<Contact[]> {
  const mine = db
    .selectFrom('contact')
    .select('id')
    .where(unindexed('company_id'), '=', companyId)
    .where(isOneOfIds(db, 'id', ids))
    .orderBy('id')
  const locked = await lockRow(db, mine).execute()
  return contactsById(
    db,
    companyId,
    locked.map(({ id }) => id),
  )
}
