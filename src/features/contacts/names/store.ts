import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import {
  hasLateral,
  holdNames,
  jsonArray,
  jsonRows,
  lockRow,
  readApart,
  rowsFromJson,
  shareNames,
  sharingNames,
  unindexed,
} from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { endingsOf, endOfRange, searchWords } from '../../../domain/search-words.ts'

// Index of contact names: `contact_word` holds the words of each contact, `name_part` every suffix of every word of the
// company. A search looks up its text as the prefix of a suffix, then the contacts with those words.

export interface ContactWord {
  contactId: number
  word: string
}

/** Runs in the transaction that writes the contacts. */
export async function addWords(db: Db, companyId: CompanyId, words: readonly ContactWord[]): Promise<void> {
  if (words.length === 0) return
  const rows = words.map(({ contactId, word }) => ({ contact_id: contactId, word }))
  await insertWords(db, { companyId, rows: JSON.stringify(rows) })
  await shareNames(db, companyId)
  const distinct = [...new Set(words.map(({ word }) => word))].sort().map((word) => ({ word }))
  const fresh = await insertVocabulary(db, { companyId, words: JSON.stringify(distinct) })
  const parts = fresh.flatMap(({ word }) => endingsOf(word).map((part) => ({ part, word })))
  if (parts.length > 0) await insertParts(db, { companyId, parts: JSON.stringify(parts) })
}

const insertWords = hotQuery((db, v: { companyId: CompanyId; rows: string }) =>
  sql<never>`insert into contact_word (contact_id, company_id, word)
    select given.contact_id, cast(${v.companyId} as bigint), given.word
    from ${rowsFromJson(db, v.rows, { contact_id: 'bigint', word: 'text' })} where 1 = 1 on conflict do nothing`.compile(
    db,
  ),
)

// Sorted, so that two transactions with the same new words cannot deadlock.
const insertVocabulary = hotQuery((db, v: { companyId: CompanyId; words: string }) =>
  sql<{ word: string }>`insert into name_part (company_id, part, word)
    select cast(${v.companyId} as bigint), given.word, given.word
    from ${rowsFromJson(db, v.words, { word: 'text' })} where 1 = 1 order by given.word
    on conflict do nothing returning word`.compile(db),
)

const insertParts = hotQuery((db, v: { companyId: CompanyId; parts: string }) =>
  sql<never>`insert into name_part (company_id, part, word)
    select cast(${v.companyId} as bigint), given.part, given.word
    from ${rowsFromJson(db, v.parts, { part: 'text', word: 'text' })} where 1 = 1 on conflict do nothing`.compile(db),
)

/**
 * The same within a statement that inserts the contact as `c`, where the database supports it. `words`: JSON, rows of
 * `word`, sorted.
 */
export const wordsWritten = (db: Db, companyId: CompanyId, words: string): RawBuilder<unknown> => sql`
  w as (
    insert into contact_word (contact_id, company_id, word)
    select c.id, cast(${companyId} as bigint), given.word from c, ${rowsFromJson(db, words, { word: 'text' })}),
  shared as materialized (select ${sharingNames(companyId)}),
  fresh as (
    insert into name_part (company_id, part, word)
    select cast(${companyId} as bigint), given.word, given.word
    from shared, ${rowsFromJson(db, words, { word: 'text' })} order by given.word on conflict do nothing returning word),
  parts as (
    insert into name_part (company_id, part, word)
    select cast(${companyId} as bigint), substr(fresh.word, start), fresh.word
    from fresh, generate_series(2, length(fresh.word)) as start on conflict do nothing)`

/** The words stay in the vocabulary until `forgetWords`, in a separate transaction. */
export async function removeWords(
  db: Db,
  companyId: CompanyId,
  contactId: number,
  words: readonly string[],
): Promise<void> {
  if (words.length === 0) return
  await db
    .deleteFrom('contact_word')
    .where('company_id', '=', companyId)
    .where('contact_id', '=', contactId)
    .where('word', 'in', words)
    .execute()
}

/** Removes words without contacts from the vocabulary. */
export async function forgetWords(db: Db, companyId: CompanyId, words: readonly string[]): Promise<void> {
  await holdNames(db, companyId)
  const parts = words.flatMap((word) => endingsOf(word).map((part) => ({ part, word })))
  const given = rowsFromJson(db, JSON.stringify(parts), { part: 'text', word: 'text' })
  await sql`delete from name_part where company_id = ${companyId} and (part, word) in (
    select given.part, given.word from ${given} where not exists (
      select 1 from contact_word as w where w.company_id = ${companyId} and w.word = given.word))`.execute(db)
}

/** Indexes a batch of contacts after an id; returns the last id, undefined at the end. */
export async function indexSomeNames(db: Db, after: number, limit: number): Promise<number | undefined> {
  // Locked: a concurrent change of the name would leave words of the old one.
  const some = db
    .selectFrom('contact')
    .select(['id', 'company_id', 'first_name', 'last_name', 'company_name'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
  const rows = await lockRow(db, some).execute()
  const byCompany = new Map<CompanyId, ContactWord[]>()
  for (const { id, company_id: companyId, first_name, last_name, company_name } of rows) {
    const words = byCompany.get(companyId) ?? []
    byCompany.set(companyId, words)
    for (const word of searchWords([first_name, last_name, company_name])) words.push({ contactId: id, word })
  }
  for (const [companyId, words] of byCompany) await addWords(db, companyId, words)
  return rows.length < limit ? undefined : rows.at(-1)?.id
}

/** Maximum number of contacts a search returns. */
export const maxFound = 1_000
const maxWords = 2_000

/**
 * Contacts that have every search term as a word or part of a word in their names. Exact words come first, then words
 * that start with the term; within a rank the newest or oldest contact.
 */
export async function contactsNamed(
  db: Db,
  companyId: CompanyId,
  searched: readonly string[],
  { order, max = maxFound }: { order: 'asc' | 'desc'; max?: number },
): Promise<number[]> {
  const { words, others } = await rarest(db, companyId, searched)
  if (words.length === 0) return []
  // A contact may have several of the words: if too few are left, twice as many rows are read.
  const limits = order === 'desc' ? [max, 2 * max] : [2 * max]
  const sign = order === 'asc' ? 1 : -1
  let ids: number[] = []
  for (const limit of limits) {
    const found = await contactsWith(db, companyId, words, others, limit)
    found.sort(([a, rankOfA], [b, rankOfB]) => rankOfA - rankOfB || sign * (a - b))
    ids = [...new Set(found.map(([id]) => id))].slice(0, max)
    if (ids.length === max || found.length < limit) break
  }
  return ids
}

/** Of several terms, the one with the fewest contacts is read first. */
async function rarest(db: Db, companyId: CompanyId, searched: readonly string[]) {
  let best: { words: string[]; n: number; others: string[] } | undefined
  for (const one of searched) {
    const words = await wordsHolding(db, companyId, one)
    const n = searched.length === 1 ? 0 : (await contactsWith(db, companyId, words, [], 2 * maxFound)).length
    if (!best || n < best.n) best = { words, n, others: searched.filter((other) => other !== one) }
  }
  return best ?? { words: [], others: [] }
}

/** In display order. */
async function wordsHolding(db: Db, companyId: CompanyId, part: string): Promise<string[]> {
  const rows = await partQuery(db, { companyId, low: part, high: endOfRange(part), limit: maxWords })
  const rank = (word: string) => (word === part ? 0 : word.startsWith(part) ? 1 : 2)
  return [...new Set(rows.map(({ word }) => word))].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

const partQuery = hotQuery((db, v: { companyId: CompanyId; low: string; high: string; limit: number }) =>
  sql<{ word: string }>`select word from name_part
    where company_id = ${v.companyId} and part >= ${v.low} and part < ${v.high} order by part, word
    limit ${v.limit}`.compile(db),
)

type Found = [id: number, rank: number]

/** Word by word in the given order, newest contacts first, and no further than needed. */
async function contactsWith(
  db: Db,
  companyId: CompanyId,
  words: readonly string[],
  others: readonly string[],
  limit: number,
): Promise<Found[]> {
  const values = { companyId, words: JSON.stringify(words), limit }
  // With one term this reads as much as requested; with several, all contacts of a frequent word may be read.
  const [row] =
    others.length === 0
      ? await foundByOneTerm(db, values)
      : await readApart(db, foundQuery(db, companyId, values, others))
  return JSON.parse(row?.found ?? '[]')
}

interface FoundValues {
  companyId: CompanyId
  words: string
  limit: number
}

const foundByOneTerm = hotQuery((db, v: FoundValues) => foundQuery(db, v.companyId, v, []))

/** Exported for the test of its plan. */
export function foundQuery(db: Db, companyId: CompanyId, v: Omit<FoundValues, 'companyId'>, others: readonly string[]) {
  const mine = sql`c.company_id = ${companyId}`
  const also = sql.join(
    others.map(
      (other) => sql`and exists (select 1 from contact_word as x where x.contact_id = c.contact_id
        and ${unindexed('x.company_id')} = c.company_id and x.word like ${like(other)} escape '\\')`,
    ),
    sql` `,
  )
  // A join with free order would read all contacts of all words first.
  const rows = hasLateral(db)
    ? sql`select found.id as id, given.position as position
        from json_array_elements_text(${v.words}::json) with ordinality as given(word, position) cross join lateral (
          select c.contact_id as id from contact_word as c where ${mine} and c.word = given.word ${also}
          order by c.contact_id desc limit ${v.limit}) as found limit ${v.limit}`
    : sql`select c.contact_id as id, given.key as position
        from json_each(${v.words}) as given cross join contact_word as c indexed by contact_word_search
        where ${mine} and c.word = given.value ${also} limit ${v.limit}`
  return sql<{ found: string }>`select cast(${jsonRows(db, jsonArray(db, sql`id, position`))} as text) as found
    from (${rows}) as rows`.compile(db)
}

const like = (part: string) => `%${part.replace(/[\\%_]/g, '\\$&')}%`
