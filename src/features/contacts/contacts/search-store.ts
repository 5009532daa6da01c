import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { jsonRows, unindexed, wordsFromJson } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { isInternationalForm, normaliseForSearch } from '../../../domain/phone-number.ts'
import type { Window } from '../../../http/paging.ts'
import { day } from '../../../lib/clock.ts'
import { callingCodeOf, nationalFormOf, readNational } from '../../../lib/phone-format.ts'
import { companyCountry } from '../../accounts/index.ts'
import { type Contact, type ContactParts, contactParts, toContact } from './store.ts'

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
  /** JSON list of the searched digits. */
  digits: string
  /** JSON list: those that match only values stored without a country code. */
  national: string
  address: string
}

const noPhone = { digits: undefined, national: undefined }

/** A number and its national format match in the country of the company. */
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

/** Determines the query variant; of the filters only which are present. */
type Shape = { [F in keyof Filters]: Filters[F] | undefined } & {
  orderBy: ContactQuery['orderBy']
  order: Window['order']
  isWhole: boolean
}

type PageValues = Filters & { companyId: CompanyId; limit: number; offset: number } & Edges

/** Whether contacts are searched by phone number or address, and not only listed by time. */
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

/** One statement: the page is found from the index alone, then joined with its rows, related rows and the total. */
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
  // A search starts from the phone number or address index: SQLite would otherwise read all contacts of the company.
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

/** `isInternationalForm` as far as SQL can express it: a plus at the start, after brackets or spaces. */
const isInternational = sql`(value like '%+%' or ltrim(value, ' (') like '00%')`

// For a list within a time range: whole days are taken from daily counts; only the first and last day are counted.

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

// Below this offset, walking the index costs less than another statement.
const deep = 1_000

/** The same page of a shorter list: whole days are skipped by their counts instead of contact by contact. */
async function withoutSkippedDays(db: Db, companyId: CompanyId, window: Window): Promise<Window> {
  const { offset, order } = window
  const [first] = await dayOfOffset[order](db, { companyId, offset })
  if (!first) return window
  const edge = order === 'asc' ? { from: first.day * day } : { to: (first.day + 1) * day - 1 }
  return { ...window, ...edge, offset: offset - first.skipped }
}

const dayOfOffset = { asc: dayQuery('asc'), desc: dayQuery('desc') }

/** Exactly one day contains the offset; the limit lets SQLite stop there. */
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
