import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { rowsFromJson, writesTogether } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import { isOneOfIds } from '../../../db/one-of.ts'
import type { CompanyId, ContactTable } from '../../../db/tables.ts'
import { nameWords } from '../../../domain/search-words.ts'
import { day } from '../../../lib/clock.ts'
import { addWords, removeWords, wordsWritten } from '../names/store.ts'
import { type Contact, type DetailKind, findContact, searchForm } from './store.ts'

export interface NewContact {
  firstName: string | null
  lastName: string | null
  companyName: string | null
  information: string | null
  /** Undefined: as before. */
  ownerId?: number | null
  phones: { label: string; value: string }[]
  emails: { label: string; value: string }[]
}

export async function insertContact(db: Db, companyId: CompanyId, contact: NewContact, at: number): Promise<number> {
  const { id } = await writeContact(db, companyId, contact, at)
  await countContact(db, companyId, at)
  return id
}

/** The contact must be counted in the same transaction: last, because concurrent inserts wait for that row. */
export async function writeContact(db: Db, companyId: CompanyId, contact: NewContact, at: number): Promise<Contact> {
  if (writesTogether(db)) return writeInOneStatement(db, companyId, contact, at)
  const id = await insertRows(db, companyId, contact, at)
  const written = await findContact(db, companyId, id)
  if (!written) throw new Error('a contact that was just written must exist')
  return written
}

export const countContact = (db: Db, companyId: CompanyId, at: number, n = 1): Promise<void> =>
  addToCount(db, companyId, at, { n, changed: n })

interface ContactValues {
  companyId: CompanyId
  firstName: string | null
  lastName: string | null
  companyName: string | null
  information: string | null
  at: number
  phones: string
  emails: string
  words: string
}

interface WrittenContact {
  id: number
  phones: number[] | null
  emails: number[] | null
}

const detailShape = { label: 'text', value: 'text', form: 'text', place: 'integer' } as const

const insertTogether = hotQuery<ContactValues, WrittenContact>(
  (db, v) => {
    const details = (kind: DetailKind, form: string, rows: string) => sql`
      insert into ${sql.table(kind)} (contact_id, company_id, label, value, ${sql.ref(form)})
      select c.id, cast(${v.companyId} as bigint), given.label, given.value, given.form
      from c, ${rowsFromJson(db, rows, detailShape)} order by given.place returning id`
    return sql<WrittenContact>`
      with c as (
        insert into contact (company_id, first_name, last_name, company_name, information, created_at, updated_at)
        values (${v.companyId}, ${v.firstName}, ${v.lastName}, ${v.companyName}, ${v.information}, ${v.at}, ${v.at})
        returning id),
      p as (${details('contact_phone', 'digits', v.phones)}),
      e as (${details('contact_email', 'address', v.emails)}),
      ${wordsWritten(db, v.companyId, v.words)}
      select c.id, (select json_agg(p.id order by p.id) from p) as phones,
        (select json_agg(e.id order by e.id) from e) as emails from c`.compile(db)
  },
  { keepsPlan: true },
)

async function writeInOneStatement(db: Db, companyId: CompanyId, contact: NewContact, at: number): Promise<Contact> {
  const { phones, emails, ownerId: _none, ...fields } = contact
  const rows = (kind: DetailKind, details: readonly { label: string; value: string }[]) =>
    JSON.stringify(
      details.map(({ label, value }, place) => ({
        label,
        value,
        form: Object.values(searchForm[kind](value))[0],
        place,
      })),
    )
  const words = JSON.stringify(nameWords(contact).map((word) => ({ word })))
  const given = { phones: rows('contact_phone', phones), emails: rows('contact_email', emails), words }
  const [row] = await insertTogether(db, { companyId, ...fields, at, ...given })
  if (!row) throw new Error('an insert must return its row')
  const numbered = (details: NewContact['phones'], ids: readonly number[] | null) =>
    details.map((detail, i) => ({ id: ids?.[i] ?? 0, ...detail }))
  return {
    id: row.id,
    ...fields,
    ownerId: null,
    createdAt: at,
    updatedAt: at,
    phones: numbered(phones, row.phones),
    emails: numbered(emails, row.emails),
  }
}

async function insertRows(db: Db, companyId: CompanyId, contact: NewContact, at: number): Promise<number> {
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
  const words = nameWords(contact).map((word) => ({ contactId: id, word }))
  await addWords(db, companyId, words)
  return id
}

/** Contacts created per day, and contacts last updated per day. */
async function addToCount(
  db: Db,
  companyId: CompanyId,
  at: number,
  { n, changed }: { n: number; changed: number },
): Promise<void> {
  await count(db, { companyId, day: Math.floor(at / day), n, changed })
}

const count = hotQuery<{ companyId: CompanyId; day: number; n: number; changed: number }, never>(
  (db, v) =>
    sql<never>`insert into contact_count as c (company_id, day, n, changed)
    values (${v.companyId}, ${v.day}, ${v.n}, ${v.changed})
    on conflict (company_id, day) do update set n = c.n + excluded.n, changed = c.changed + excluded.changed`.compile(
      db,
    ),
  { keepsPlan: true, unawaited: true },
)

export type ContactChange = Partial<
  Pick<ContactTable, 'first_name' | 'last_name' | 'company_name' | 'information' | 'owner_id'>
>

/**
 * Sets updated_at, also for changes of phone numbers and email addresses. The contact must be locked. Returns the words
 * that are no longer in its name.
 */
export async function updateContact(
  db: Db,
  companyId: CompanyId,
  contact: Contact,
  change: ContactChange,
  at: number,
): Promise<string[]> {
  const { id, updatedAt } = contact
  await db
    .updateTable('contact')
    .set({ ...change, updated_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
  const removed = await changeWords(db, companyId, contact, change)
  if (Math.floor(at / day) !== Math.floor(updatedAt / day)) {
    await addToCount(db, companyId, updatedAt, { n: 0, changed: -1 })
    await addToCount(db, companyId, at, { n: 0, changed: 1 })
  }
  return removed
}

async function changeWords(
  db: Db,
  companyId: CompanyId,
  contact: Contact,
  { first_name, last_name, company_name }: ContactChange,
): Promise<string[]> {
  const { id, firstName, lastName, companyName } = contact
  const before = nameWords(contact)
  const after = nameWords({
    firstName: first_name === undefined ? firstName : first_name,
    lastName: last_name === undefined ? lastName : last_name,
    companyName: company_name === undefined ? companyName : company_name,
  })
  const removed = before.filter((word) => !after.includes(word))
  const added = after.filter((word) => !before.includes(word))
  await removeWords(db, companyId, id, removed)
  await addWords(
    db,
    companyId,
    added.map((word) => ({ contactId: id, word })),
  )
  return removed
}

/** Their words are deleted with them; the caller cleans up the vocabulary. */
export async function deleteContacts(db: Db, companyId: CompanyId, contacts: readonly Contact[]): Promise<void> {
  await db
    .deleteFrom('contact')
    .where('company_id', '=', companyId)
    .where(
      isOneOfIds(
        db,
        'id',
        contacts.map(({ id }) => id),
      ),
    )
    .execute()
  const days = new Map<number, { n: number; changed: number }>()
  const less = (at: number, part: 'n' | 'changed') => {
    const of = Math.floor(at / day)
    const sum = days.get(of) ?? { n: 0, changed: 0 }
    days.set(of, { ...sum, [part]: sum[part] - 1 })
  }
  for (const { createdAt, updatedAt } of contacts) {
    less(createdAt, 'n')
    less(updatedAt, 'changed')
  }
  for (const [of, { n, changed }] of [...days].sort(([a], [b]) => a - b))
    await count(db, { companyId, day: of, n, changed })
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
