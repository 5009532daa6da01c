import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { containsText, hasOtherThanAscii, jsonArray, jsonRows, readApart, wordsFromJson } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId } from '../../../db/tables.ts'

/** Numbers of contacts that hold the digits anywhere, those that end with them first. */
export async function phonesHolding(db: Db, companyId: CompanyId, part: string, limit: number): Promise<string[]> {
  // The sign behind 9: all suffixes that begin with the part lie between the two.
  const rows = await partQuery(db, { companyId, low: part, high: `${part}:`, limit: 2 * limit })
  return [...new Set(rows.map(({ digits }) => digits))].slice(0, limit)
}

const partQuery = hotQuery((db, v: { companyId: CompanyId; low: string; high: string; limit: number }) =>
  sql<{ digits: string }>`select digits from phone_part
    where company_id = ${v.companyId} and part >= ${v.low} and part < ${v.high} order by part, digits
    limit ${v.limit}`.compile(db),
)

/** Contacts with one of the numbers, in the order of the numbers. */
export async function contactsWithPhones(
  db: Db,
  companyId: CompanyId,
  digits: readonly string[],
  limit: number,
): Promise<number[]> {
  if (digits.length === 0) return []
  const rows = await phoneQuery(db, { companyId, digits: JSON.stringify(digits), limit })
  const place = new Map(digits.map((one, n) => [one, n]))
  rows.sort((a, b) => (place.get(a.digits) ?? 0) - (place.get(b.digits) ?? 0))
  return [...new Set(rows.map(({ contact_id }) => contact_id))]
}

const phoneQuery = hotQuery((db, v: { companyId: CompanyId; digits: string; limit: number }) =>
  sql<{ contact_id: number; digits: string }>`select contact_id, digits from contact_phone
    where company_id = ${v.companyId} and digits in ${wordsFromJson(db, v.digits)} limit ${v.limit}`.compile(db),
)

export type SearchedKind = 'user' | 'number' | 'team' | 'tag' | 'webhook'

/** An object of the company that a few hundred others accompany: its name and what else identifies it. */
export interface NamedObject {
  kind: SearchedKind
  id: string
  name: string
  detail: string
  /** Not shown, but searched. */
  more: string
}

const maxPerKind = 500

/** Where the objects of a kind and their texts are. All read the rows of the company by an index. */
const objects: Record<
  SearchedKind,
  { from: RawBuilder<unknown>; texts: [name: string, detail: string, more: string] }
> = {
  user: {
    from: sql`${sql.table('user')} as o where o.deleted_at is null and`,
    texts: [`trim(o.first_name || ' ' || o.last_name)`, 'o.email', 'o.extension'],
  },
  number: { from: sql`number as o where`, texts: ['o.name', 'o.display', 'o.digits'] },
  team: { from: sql`team as o where`, texts: ['o.name', `''`, `''`] },
  tag: { from: sql`tag as o where`, texts: ['o.name', 'o.color', `''`] },
  webhook: { from: sql`webhook as o where o.deleted_at is null and`, texts: ['o.custom_name', 'o.url', `''`] },
}

/**
 * Objects whose texts may contain all words; `digits`: or this part of a number. Letters beyond ASCII are folded by the
 * caller, because the databases do it differently: objects with such letters are all returned.
 */
export async function objectsNamed(
  db: Db,
  companyId: CompanyId,
  kinds: readonly SearchedKind[],
  { words, digits }: { words: readonly string[]; digits: string | undefined },
): Promise<NamedObject[]> {
  const arms = kinds.map((kind) => {
    const { from, texts } = objects[kind]
    const [name, detail, more] = texts.map((text) => sql.raw(text))
    const all = sql`(${name} || ' ' || ${kind === 'tag' ? sql`''` : detail} || ' ' || ${more})`
    const contains = words.map((word) => containsText(db, all, word))
    const number = digits === undefined ? [] : [containsText(db, all, digits)]
    const matches = sql.join(
      [sql`(${sql.join(contains, sql` and `)})`, hasOtherThanAscii(db, all), ...number],
      sql` or `,
    )
    return sql`select * from (select ${sql.lit(kind)} as kind, cast(o.id as text) as id, ${name} as name,
        ${detail} as detail, ${more} as more
      from ${from} o.company_id = ${companyId} and (${matches}) limit ${maxPerKind}) as ${sql.ref(`${kind}s`)}`
  })
  const row = jsonArray(db, sql`kind, id, name, detail, more`)
  const query = sql<{ found: string }>`select cast(${jsonRows(db, row)} as text) as found
    from (${sql.join(arms, sql` union all `)}) as objects`.compile(db)
  const [found] = await readApart(db, query)
  const rows: [kind: SearchedKind, id: string, name: string, detail: string, more: string][] = JSON.parse(
    found?.found ?? '[]',
  )
  return rows.map(([kind, id, name, detail, more]) => ({ kind, id, name, detail, more }))
}
