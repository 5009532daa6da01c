import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { readApart } from '../../db/dialect.ts'
import type { CompanyId } from '../../db/tables.ts'
import { normaliseForSearch } from '../../domain/phone-number.ts'
import type { Window } from '../../http/paging.ts'
import { otherBeginning } from '../../lib/phone-format.ts'
import { companyCountry } from '../companies/store.ts'

/** Names have no index: so many of the newest contacts are looked through, which takes some milliseconds. */
const looked = 20_000

/** Contacts whose phone number begins with the digits of the text, or whose name or company holds it. */
export async function suggestedIds(db: Db, companyId: CompanyId, text: string, limit: number): Promise<number[]> {
  const digits = /^[+\d\s().-]+$/.test(text) ? normaliseForSearch(text) : ''
  if (digits === '') return byName(db, companyId, text, limit)
  const country = await companyCountry(db, companyId)
  const other = country === null ? null : await otherBeginning(text, country)
  const found = await byDigits(db, companyId, digits, limit)
  const alike = other === null ? [] : await byDigits(db, companyId, other, limit)
  return [...new Set([...found, ...alike])].sort((a, b) => a - b).slice(0, limit)
}

async function byDigits(db: Db, companyId: CompanyId, digits: string, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('contact_phone')
    .select('contact_id')
    .distinct()
    .where('company_id', '=', companyId)
    .where('digits', '>=', digits)
    // The sign behind 9: all numbers that begin alike lie between the two.
    .where('digits', '<', `${digits}:`)
    .orderBy('contact_id')
    .limit(limit)
    .execute()
  return rows.map(({ contact_id }) => contact_id)
}

async function byName(db: Db, companyId: CompanyId, text: string, limit: number): Promise<number[]> {
  const newest = db
    .selectFrom('contact')
    .select(['id', 'first_name', 'last_name', 'company_name'])
    .where('company_id', '=', companyId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(looked)
  const found = db.selectFrom(newest.as('newest')).select('id').where(holds(text)).limit(limit)
  const rows = await readApart(db, found.compile())
  return rows.map(({ id }) => id)
}

/** All contacts whose name or company holds every one of the words, the last changed first. */
export async function pageOfNamed(
  db: Db,
  companyId: CompanyId,
  words: readonly string[],
  { limit, offset, order }: Window,
): Promise<{ ids: number[]; total: number }> {
  const page = db
    .selectFrom('contact')
    .select(['id', sql<number>`count(*) over ()`.as('total')])
    .where('company_id', '=', companyId)
    .where(({ and }) => and(words.map(holds)))
    .orderBy('updated_at', order)
    .orderBy('id', order)
    .limit(limit)
    .offset(offset)
  const rows = await readApart(db, page.compile())
  return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 }
}

const name = sql`(coalesce(first_name, '') || ' ' || coalesce(last_name, '') || ' ' || coalesce(company_name, ''))`

/** In any case. SQLite knows capitals of English only, so others are looked for as people write them. */
function holds(text: string) {
  const small = text.toLowerCase()
  const title = small.replace(/(^|\s)\S/gu, (start) => start.toUpperCase())
  const like = (value: string) => `%${value.replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`(lower(${name}) like ${like(small)} escape '\\'
    or ${name} like ${like(title)} escape '\\' or ${name} like ${like(text.toUpperCase())} escape '\\')`
}
