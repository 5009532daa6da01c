import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import {
  idsFromJson,
  jsonArray,
  jsonRows,
  lockRow,
  rowsFromJson,
  unindexed,
  wordsFromJson,
  writesTogether,
} from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { Piece } from '../../../db/piece.ts'
import type { CompanyId, ContactTable } from '../../../db/tables.ts'
import { isInternationalForm, normaliseForSearch } from '../../../domain/phone-number.ts'
import { nameWords } from '../../../domain/search-words.ts'
import type { Window } from '../../../http/paging.ts'
import { day } from '../../../lib/clock.ts'
import { callingCodeOf, nationalFormOf, readNational } from '../../../lib/phone-format.ts'
import { companyCountry } from '../../accounts/index.ts'
import { addWords, removeWords, wordsWritten } from '../names/store.ts'

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

type DetailParts = [id: number, label: string, value: string]
type ContactParts = [
  id: number,
  firstName: string | null,
  lastName: string | null,
  companyName: string | null,
  information: string | null,
  createdAt: number,
  updatedAt: number,
  phones: DetailParts[],
  emails: DetailParts[],
]

/** A row of `contact as c` with all that hangs on it, in the order of ContactParts. */
const contactParts = (db: Db) =>
  jsonArray(
    db,
    sql`c.id, c.first_name, c.last_name, c.company_name, c.information, c.created_at, c.updated_at,
      ${detailParts(db, 'contact_phone')}, ${detailParts(db, 'contact_email')}`,
  )

// The plus keeps SQLite from searching by company, which holds all the rows; by contact it is one or two.
const detailParts = (db: Db, kind: DetailKind) => sql`(
  select ${jsonRows(db, jsonArray(db, sql`d.id, d.label, d.value`), sql`d.id`)}
  from ${sql.table(kind)} as d where d.contact_id = c.id and +d.company_id = c.company_id)`

const toDetail = ([id, label, value]: DetailParts): Detail => ({ id, label, value })

const toContact = (of: ContactParts): Contact => ({
  id: of[0],
  firstName: of[1],
  lastName: of[2],
  companyName: of[3],
  information: of[4],
  createdAt: of[5],
  updatedAt: of[6],
  phones: of[7].map(toDetail),
  emails: of[8].map(toDetail),
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

/** By their creation, from behind a place on. */
export async function contactsAfter(
  db: Db,
  companyId: CompanyId,
  after: { at: number; id: number },
  most: number,
): Promise<Contact[]> {
  const { rows } = await sql<{ contacts: string }>`
    select cast(${jsonRows(db, contactParts(db), sql`c.created_at, c.id`)} as text) as contacts
    from (select * from contact where company_id = ${companyId} and (created_at, id) > (${after.at}, ${after.id})
      order by created_at, id limit ${most}) as c`.execute(db)
  const found: ContactParts[] = JSON.parse(rows[0]?.contacts ?? '[]')
  return found.map(toContact)
}

/** A phone number of a contact, with the contact. */
export interface ContactPhone {
  digits: string
  value: string
  contact: Contact
}

/** By their digits; the contact that was saved first comes last. */
export const contactPhones: Piece<ContactPhone[]> = {
  value: (db, companyId, digits) => sql`(
    select cast(${jsonRows(db, jsonArray(db, sql`p.digits, p.value, ${contactParts(db)}`), sql`c.id desc`)} as text)
    from contact_phone as p join contact as c on c.id = p.contact_id
    where p.company_id = ${companyId} and p.digits in ${wordsFromJson(db, digits)})`,
  read(value) {
    const rows: [digits: string, value: string, contact: ContactParts][] = JSON.parse(value)
    return rows.map((row) => ({ digits: row[0], value: row[1], contact: toContact(row[2]) }))
  },
}

/** Locked until the transaction ends: two changes of one contact happen one after the other. */
export async function lockContact(db: Db, companyId: CompanyId, id: number): Promise<boolean> {
  const mine = db.selectFrom('contact').select('id').where('company_id', '=', companyId).where('id', '=', id)
  return (await lockRow(db, mine).executeTakeFirst()) !== undefined
}

export interface ContactQuery {
  orderBy: 'created_at' | 'updated_at'
  phone: string | undefined
  email: string | undefined
}

export async function pageOfContacts(
  db: Db,
  companyId: CompanyId,
  { orderBy, phone, email }: ContactQuery,
  window: Window,
): Promise<{ contacts: Contact[]; total: number }> {
  const isWhole = phone === undefined && email === undefined && window.from === undefined && window.to === undefined
  const skips = isWhole && orderBy === 'created_at' && window.offset >= deep
  const { limit, offset, order, from, to } = skips ? await withoutSkippedDays(db, companyId, window) : window
  const { digits, national } = phone === undefined ? noPhone : await searchedForms(db, companyId, phone)
  const address = email?.toLowerCase()
  const query = pageQuery({ orderBy, order, isWhole, from, to, digits, national, address })
  const [found] = await query(db, { companyId, limit, offset, from, to, digits, national, address, ...edgesOf(window) })
  const contacts: ContactParts[] = JSON.parse(found?.contacts ?? '[]')
  return { contacts: contacts.map(toContact), total: found?.total ?? 0 }
}

interface Filters {
  from: number
  to: number
  /** JSON list of the digits that are searched for. */
  digits: string
  /** JSON list: those of them that match values written without a country code only. */
  national: string
  address: string
}

const noPhone = { digits: undefined, national: undefined }

/** A number and its national form are the same in the country of the company. */
async function searchedForms(
  db: Db,
  companyId: CompanyId,
  phone: string,
): Promise<Pick<Filters, 'digits' | 'national'>> {
  const typed = normaliseForSearch(phone)
  const country = await companyCountry(db, companyId)
  const read = country === null || isInternationalForm(phone) ? null : await readNational(phone, country)
  const international = read === null ? [typed] : [typed, read]
  const callingCode = country === null ? null : await callingCodeOf(country)
  const forms = await Promise.all(international.map(nationalFormOf))
  const national = forms.flatMap((form) => (form && form.callingCode === callingCode ? form.digits : []))
  const onlyNational = national.filter((digits) => !international.includes(digits))
  return { digits: JSON.stringify([...international, ...onlyNational]), national: JSON.stringify(onlyNational) }
}

/** What makes one query differ from another; of the filters only which are there. */
type Shape = { [F in keyof Filters]: Filters[F] | undefined } & {
  orderBy: ContactQuery['orderBy']
  order: Window['order']
  isWhole: boolean
}

type PageValues = Filters & { companyId: CompanyId; limit: number; offset: number } & Edges

/** Whether contacts are looked for by what they have, and not only by when they were made or changed. */
const isSearch = ({ digits, address }: Pick<Shape, 'digits' | 'address'>) =>
  digits !== undefined || address !== undefined

const pageQueries = new Map<string, ReturnType<typeof buildPageQuery>>()

function pageQuery(shape: Shape) {
  const { orderBy, order, isWhole, from, to, digits, address } = shape
  const present = [from, to, digits, address].map((filter) => filter !== undefined)
  const key = `${orderBy} ${order} ${isWhole} ${present}`
  const query = pageQueries.get(key) ?? buildPageQuery(shape)
  pageQueries.set(key, query)
  return query
}

/** One statement: the page is found on the index alone, then its rows, what hangs on them and the total come along. */
function buildPageQuery(shape: Shape) {
  const { orderBy, order } = shape
  return hotQuery((db, values: PageValues) => {
    const mine = matching(db, shape, values)
    const page = mine
      .select('id')
      .orderBy(orderBy, order)
      .orderBy('id', order)
      .limit(values.limit)
      .offset(values.offset)
    const total = isSearch(shape) ? mine.select(({ fn }) => fn.countAll().as('n')) : totalByDay(shape, values)
    const direction = sql.raw(order)
    const rows = jsonRows(db, contactParts(db), sql`${sql.ref(`c.${orderBy}`)} ${direction}, c.id ${direction}`)
    return sql<{ total: number | null; contacts: string }>`
      select ${total} as total, cast(${rows} as text) as contacts
      from ${page} as page join contact as c on c.id = page.id`.compile(db)
  })
}

function matching(db: Db, shape: Shape, values: PageValues) {
  const { companyId, from, to, digits, national, address } = values
  // A search is driven by the index of phone numbers or of addresses: SQLite would read all contacts of the company instead.
  const company = isSearch(shape) ? unindexed('company_id') : 'company_id'
  let mine = db.selectFrom('contact').where(company, '=', companyId)
  if (shape.from !== undefined) mine = mine.where(shape.orderBy, '>=', from)
  if (shape.to !== undefined) mine = mine.where(shape.orderBy, '<=', to)
  if (shape.digits !== undefined) {
    const phones = db.selectFrom('contact_phone').select('contact_id').where('company_id', '=', companyId)
    const matches = sql<boolean>`digits in ${wordsFromJson(db, digits)}
      and (digits not in ${wordsFromJson(db, national)} or not ${isInternational})`
    mine = mine.where('id', 'in', phones.where(matches))
  }
  if (shape.address !== undefined) {
    const emails = db.selectFrom('contact_email').select('contact_id').where('company_id', '=', companyId)
    mine = mine.where('id', 'in', emails.where('address', '=', address))
  }
  return mine
}

/** What `isInternationalForm` says of a value, as far as SQL can: it stands at its beginning, behind brackets or spaces. */
const isInternational = sql`(value like '%+%' or ltrim(value, ' (') like '00%')`

// A list between two times: whole days are known by their counts, and only the first and the last day are counted.

interface Edges {
  low: number
  lowEnd: number
  highStart: number
  high: number
  lowDay: number
  highDay: number
}

const endOfTime = 8_640_000_000_000_000

function edgesOf({ from, to }: Pick<Window, 'from' | 'to'>): Edges {
  const [low, high] = [from ?? 0, to ?? endOfTime]
  const [lowDay, highDay] = [Math.floor(low / day), Math.floor(high / day)]
  const lowEnd = Math.min(high, (lowDay + 1) * day - 1)
  return { low, lowEnd, lowDay, highDay, high, highStart: lowDay === highDay ? high + 1 : highDay * day }
}

function totalByDay({ orderBy, isWhole }: Shape, v: PageValues) {
  const n = sql.ref(orderBy === 'created_at' ? 'n' : 'changed')
  const days = sql`select coalesce(sum(${n}), 0) from contact_count where company_id = ${v.companyId}`
  if (isWhole) return sql`(select cast((${days}) as bigint))`
  const count = (low: number, high: number) => sql`(select count(*) from contact
    where company_id = ${v.companyId} and ${sql.ref(orderBy)} >= ${low} and ${sql.ref(orderBy)} <= ${high})`
  return sql`cast(${count(v.low, v.lowEnd)} + (${days} and day > ${v.lowDay} and day < ${v.highDay})
    + ${count(v.highStart, v.high)} as bigint)`
}

// Below this, walking the index costs less than one more statement.
const deep = 1_000

/** The same page of a shorter list: whole days are skipped by their counts, and not contact by contact. */
async function withoutSkippedDays(db: Db, companyId: CompanyId, window: Window): Promise<Window> {
  const { offset, order } = window
  const [first] = await dayOfOffset[order](db, { companyId, offset })
  if (!first) return window
  const edge = order === 'asc' ? { from: first.day * day } : { to: (first.day + 1) * day - 1 }
  return { ...window, ...edge, offset: offset - first.skipped }
}

const dayOfOffset = { asc: dayQuery('asc'), desc: dayQuery('desc') }

/** Exactly one day holds the offset; the limit lets SQLite stop there. */
function dayQuery(order: Window['order']) {
  return hotQuery((db, { companyId, offset }: { companyId: CompanyId; offset: number }) =>
    sql<{ day: number; skipped: number }>`
      select day, cast(through - n as bigint) as skipped
      from (
        select day, n, sum(n) over (order by day ${sql.raw(order)}) as through
        from contact_count where company_id = ${companyId}
      ) as running
      where through > ${offset} and through - n <= ${offset} limit 1`.compile(db),
  )
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
  const { id } = await writeContact(db, companyId, contact, at)
  await countContact(db, companyId, at)
  return id
}

/** The contact must be counted in the same transaction: last, because others who make one wait for that row. */
export async function writeContact(db: Db, companyId: CompanyId, contact: NewContact, at: number): Promise<Contact> {
  if (writesTogether(db)) return writeInOneStatement(db, companyId, contact, at)
  const id = await insertRows(db, companyId, contact, at)
  const written = await findContact(db, companyId, id)
  if (!written) throw new Error('a contact that was just written is there')
  return written
}

export const countContact = (db: Db, companyId: CompanyId, at: number): Promise<void> =>
  addToCount(db, companyId, at, { n: 1, changed: 1 })

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
  const { phones, emails, ...fields } = contact
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
  if (!row) throw new Error('an insert gives its row')
  const numbered = (details: NewContact['phones'], ids: readonly number[] | null) =>
    details.map((detail, i) => ({ id: ids?.[i] ?? 0, ...detail }))
  return {
    id: row.id,
    ...fields,
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

/** How many contacts were made on a day, and how many were last changed on it. */
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

export type ContactChange = Partial<Pick<ContactTable, 'first_name' | 'last_name' | 'company_name' | 'information'>>

/**
 * updated_at moves at every change, those of phone numbers and e-mail addresses included. The contact is locked. Gives the
 * words that are no longer in its name.
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

/** Its words go with it; the vocabulary is the caller's to clear. */
export async function deleteContact(db: Db, companyId: CompanyId, contact: Contact): Promise<void> {
  await db.deleteFrom('contact').where('company_id', '=', companyId).where('id', '=', contact.id).execute()
  await addToCount(db, companyId, contact.createdAt, { n: -1, changed: 0 })
  await addToCount(db, companyId, contact.updatedAt, { n: 0, changed: -1 })
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
