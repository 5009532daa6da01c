import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson, unindexed, unindexedText, usingIndex, wordsFromJson } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { isInternationalForm, normaliseForSearch } from '../../../domain/phone-number.ts'
import type { Window } from '../../../http/paging.ts'
import { readNational } from '../../../lib/phone-format.ts'
import { companyCountry } from '../../accounts/index.ts'
import {
  type CallSearch,
  callsOf,
  countOf,
  type FoundCalls,
  type FoundRow,
  found,
  type Rows,
  remembered,
} from './search-rows-store.ts'

// Filtered search: the most selective filter is read from its index, the others are checked on its rows.

type Filter = 'user' | 'assigned' | 'given' | 'rung' | 'phone' | 'number' | 'tag' | 'two tags' | 'missed' | 'parties'

interface FilterValues {
  companyId: CompanyId
  low: number
  high: number
  limit: number
  offset: number
  /** The number of rows one index contributes to the page. */
  maxRows: number
  direction: string
  userId: number
  digits: string
  /** The id of the company's number with these digits; 0 if there is none. */
  numberId: number
  tag: number
  /** Of two tags the one that is not read from the index. */
  otherTag: number
  tags: string
  tagCount: number
  partyNumbers: string
  /** A pattern. */
  partyDigits: string
  /** JSON list of external numbers. */
  parties: string
}

export async function filtered(db: Db, rows: Rows, search: CallSearch): Promise<FoundCalls> {
  const { direction, phone, tags, ownOf } = search
  const userId = search.userId ?? ownOf
  const { order, ...page } = rows
  const digits = phone === undefined ? undefined : await searchedDigits(db, rows.companyId, phone)
  if (digits === '') return { calls: [], total: 0 }
  const numberId = digits === undefined ? 0 : await ownNumber(db, rows.companyId, digits)
  if (search.parties?.length === 0) return { calls: [], total: 0 }
  const wanted = [...new Set(tags)]
  const given = {
    ...page,
    maxRows: rows.offset + rows.limit,
    direction,
    userId,
    digits,
    numberId,
    tags: JSON.stringify(wanted),
    tagCount: wanted.length,
    partyNumbers: JSON.stringify(search.party?.numbers ?? []),
    partyDigits: search.party?.digits ? `%${search.party.digits}%` : '-',
    parties: JSON.stringify(search.parties ?? []),
  }
  const candidates: Candidate[] = [
    ...wanted.map((tag) => ({ by: 'tag' as const, tag })),
    ...(userId === undefined ? [] : [{ by: 'user' as const }]),
    ...(search.missed ? [{ by: 'missed' as const }] : []),
    ...(digits === undefined ? [] : [{ by: 'phone' as const }]),
    ...(search.parties ? [{ by: 'parties' as const }] : []),
  ]
  // The calls of one user are few, and come from four indexes.
  const isOwn = ownOf !== undefined && search.userId === undefined
  const rarest: Sized = isOwn ? { by: 'user', n: 0 } : await rarestOf(db, given, candidates)
  const isOwnNumber = numberId !== 0
  const lead = rarest.by === 'tag' && wanted.length === 2 ? 'two tags' : rarest.by
  const shape: Shape = {
    order,
    // Calls on an own number, and calls with it as the external party: the latter are few, and found by phone number.
    arms: isOwn
      ? own
      : lead === 'phone'
        ? isOwnNumber
          ? ['number', 'phone']
          : ['phone']
        : isOwnNumber
          ? [lead, 'phone']
          : [lead],
    direction: direction !== undefined,
    user: userId !== undefined && !isOwn,
    phone: digits === undefined ? undefined : isOwnNumber ? 'own number' : 'outside',
    tags: wanted.length === 0 ? undefined : wanted.length === 1 ? 'one' : wanted.length === 2 ? 'two' : 'several',
    missed: search.missed === true,
    party: search.party !== undefined,
    voicemail: search.voicemail === true,
    parties: search.parties !== undefined,
    once: lead === 'two tags' || (candidates.length > 1 && rarest.n <= soonRead),
  }
  const values = {
    ...given,
    tag: rarest.tag ?? wanted[0] ?? 0,
    otherTag: wanted.find((tag) => tag !== (rarest.tag ?? wanted[0])) ?? 0,
  }
  const apart = rarest.n > soonRead || search.missed === true || (search.parties?.length ?? 0) > soonFound
  const [row] = await filterQueries(shape)(db, values, { apart })
  return found(row)
}

/** This many index rows are read within a few milliseconds. */
const soonRead = 10_000
/** The calls of so many numbers, too. */
const soonFound = 50

const own: Filter[] = ['user', 'assigned', 'given', 'rung']

interface Candidate {
  by: 'user' | 'phone' | 'tag' | 'missed' | 'parties'
  tag?: number
}

const anyWithDigits = hotQuery((db, { companyId, digits }: { companyId: CompanyId; digits: string }) =>
  db
    .selectFrom('call')
    .select('id')
    .where('company_id', '=', companyId)
    .where('external_digits', '=', digits)
    .limit(1)
    .compile(),
)

/**
 * Converts the input to E.164, the stored format. A national number is read in the country of the company. Digits that
 * are also an E.164 number without its plus mean that number if the company has calls with it.
 */
async function searchedDigits(db: Db, companyId: CompanyId, phone: string): Promise<string> {
  const typed = normaliseForSearch(phone)
  if (typed === '' || isInternationalForm(phone)) return typed
  const country = await companyCountry(db, companyId)
  const national = country === null ? null : await readNational(phone, country)
  if (national === null) return typed
  // No E.164 number starts with a zero.
  if (typed.startsWith('0')) return national
  const isKnown = (await ownNumber(db, companyId, typed)) !== 0
  return isKnown || (await anyWithDigits(db, { companyId, digits: typed })).length > 0 ? typed : national
}

const numberByDigits = hotQuery((db, { companyId, digits }: { companyId: CompanyId; digits: string }) =>
  db.selectFrom('number').select('id').where('company_id', '=', companyId).where('digits', '=', digits).compile(),
)

async function ownNumber(db: Db, companyId: CompanyId, digits: string): Promise<number> {
  const [number] = await numberByDigits(db, { companyId, digits: `+${digits}` })
  return number?.id ?? 0
}

type GivenValues = { [K in keyof FilterValues]?: FilterValues[K] | undefined }

interface Sized extends Candidate {
  /** Estimated number of rows to read. */
  n: number
}

async function rarestOf(db: Db, given: GivenValues, candidates: readonly Candidate[]): Promise<Sized> {
  const [first, ...others] = candidates
  if (!first) throw new Error('a search with a filter must have an index to read')
  if (others.length === 0) return { ...first, n: 0 }
  const sized: Sized[] = []
  for (const candidate of candidates) {
    const arms: Filter[] = candidate.by === 'phone' && given.numberId !== 0 ? ['phone', 'number'] : [candidate.by]
    let n = 0
    for (const arm of arms) {
      const [row] = await sizeQueries(arm)(db, { ...given, tag: candidate.tag ?? 0, limit: sampled })
      n += sizeFrom(row)
    }
    sized.push({ ...candidate, n: n * weightOf(candidate, candidates, given) })
  }
  return sized.reduce((rarest, one) => (one.n < rarest.n ? one : rarest))
}

/** A call whose index row lacks a column must be looked up, which costs as much as several index rows. */
function weightOf({ by }: Candidate, candidates: readonly Candidate[], { numberId }: GivenValues): number {
  const others = candidates.filter((other) => other.by !== by)
  const isOwnNumber = numberId !== 0
  const answers = (other: Candidate) =>
    (other.by === 'user' && (by === 'tag' || (by === 'phone' && isOwnNumber))) ||
    (other.by === 'phone' && isOwnNumber && (by === 'tag' || by === 'user'))
  return others.every(answers) ? 1 : 6
}

const sampled = 200

interface Sample {
  n: number
  first: number | null
  reached: number | null
  last: number | null
}

/** Extrapolates from the first calls and the time span they cover. */
function sizeFrom(sample: Sample | undefined): number {
  const { n, first, reached, last } = sample ?? { n: 0, first: null, reached: null, last: null }
  if (n < sampled || first === null || reached === null || last === null) return n
  return (n * (last - first + 1)) / (reached - first + 1)
}

const sizeQueries = remembered((arm: Filter) =>
  hotQuery<FilterValues, Sample>((db, v) =>
    sql<Sample>`select count(*) as n, min(at) as first, max(at) as reached,
      (select c.started_at from ${armOf(db, arm, v)} order by c.started_at desc limit 1) as last
      from (select c.started_at as at from ${armOf(db, arm, v)} order by c.started_at limit ${v.limit}) as few`.compile(
      db,
    ),
  ),
)

interface Shape {
  order: Window['order']
  arms: Filter[]
  /** Conditions checked per call, unless the chosen index already implies them. */
  direction: boolean
  user: boolean
  phone: 'own number' | 'outside' | undefined
  tags: 'one' | 'two' | 'several' | undefined
  missed: boolean
  party: boolean
  voicemail: boolean
  parties: boolean
  /** Two filters leave few calls: they are read once for the page and the total. */
  once: boolean
}

const filterQueries = remembered((shape: Shape) =>
  hotQuery<FilterValues, FoundRow>((db, v) => {
    const arms = shape.arms.map((arm) => {
      const rows = sql`${armOf(db, arm, v)} ${asked(db, shape, arm, v)}`
      return arm === 'two tags' ? sql`(${withOtherTag(rows, v)}) as c` : rows
    })
    const way = sql.raw(shape.order)
    const inOrder = sql`order by started_at ${way}, id ${way}`
    const pages = arms.map((arm) => sql`select c.id as id, c.started_at as started_at from ${arm}`)
    if (shape.once) {
      const page = sql`select id, started_at from matching ${inOrder} limit ${v.limit} offset ${v.offset}`
      return sql<FoundRow>`select * from (
        with matching as materialized (${sql.join(pages, sql` union all `)})
        select ${callsOf(db, page, shape.order)} as calls, (select count(*) from matching) as total) as found`.compile(
        db,
      )
    }
    const [only, ...others] = pages
    const page =
      others.length === 0
        ? sql`${only} order by c.started_at ${way}, c.id ${way} limit ${v.limit} offset ${v.offset}`
        : sql`select id, started_at from (${sql.join(
            pages.map((arm) => sql`select * from (${arm} ${inOrder} limit ${v.maxRows}) as arm`),
            sql` union all `,
          )}) as arms ${inOrder} limit ${v.limit} offset ${v.offset}`
    const total = sql.join(arms.map(countOf), sql` + `)
    return sql<FoundRow>`select ${callsOf(db, page, shape.order)} as calls, ${total} as total`.compile(db)
  }),
)

/** In index order and without further columns, so that SQLite merges the two lists. */
const withOtherTag = (rows: RawBuilder<unknown>, v: FilterValues): RawBuilder<unknown> => sql`
  select c.started_at as started_at, c.id as id from ${rows}
  intersect select m.started_at, m.call_id from call_tag as m
    where m.company_id = ${v.companyId} and m.tag_id = ${v.otherTag}
      and m.started_at >= ${v.low} and m.started_at <= ${v.high}
  order by 1, 2`

/** The calls of one index, as `c`; the tag index has every column a page needs. */
function armOf(db: Db, arm: Filter, v: FilterValues): RawBuilder<unknown> {
  const span = sql`c.started_at >= ${v.low} and c.started_at <= ${v.high}`
  const mine = sql`call as c where c.company_id = ${v.companyId}`
  switch (arm) {
    case 'user':
      return sql`${mine} and c.user_id = ${v.userId} and ${span}`
    case 'assigned':
      return sql`${mine} and c.assigned_to = ${v.userId} and ${isNot('user_id', v)} and ${span}`
    case 'given':
      return sql`${mine} and c.transferred_by = ${v.userId} and ${isNot('user_id', v)} and ${isNot('assigned_to', v)}
        and ${span}`
    case 'rung':
      return sql`(select distinct o.id as id, o.started_at as started_at
        from ring_attempt as r join call as o on o.id = r.call_id
        where r.company_id = ${v.companyId} and r.user_id = ${v.userId} and r.started_at >= ${v.low}
          and (o.answered_at is null or r.outcome = 'answered' or o.transferred_to = ${v.userId})
          and ${isNot('user_id', v, 'o')} and ${isNot('assigned_to', v, 'o')} and ${isNot('transferred_by', v, 'o')}
        ) as c where ${span}`
    case 'phone':
      // Excludes rows the number index already returns.
      return sql`${mine} and c.external_digits = ${v.digits} and ${unindexed('c.number_id')} <> ${v.numberId} and ${span}`
    case 'number':
      return sql`${mine} and c.number_id = ${v.numberId} and ${span}`
    case 'parties':
      // Without the hint SQLite reads all calls in order of time.
      return sql`call as c ${usingIndex(db, 'call_phone')} where c.company_id = ${v.companyId} and c.external_digits in ${wordsFromJson(db, v.parties)} and ${span}`
    case 'missed':
      return sql`${mine} and c.missed_call_reason is not null and ${span}`
    case 'tag':
    case 'two tags':
      return sql`(select m.call_id as id, m.started_at as started_at, m.direction as direction, m.user_id as user_id,
          m.number_id as number_id from call_tag as m
        where m.company_id = ${v.companyId} and m.tag_id = ${v.tag}) as c where ${span}`
  }
}

/** Excludes rows another index already returns. */
const isNot = (column: string, { userId }: FilterValues, row = 'c') =>
  sql`coalesce(${unindexed(`${row}.${column}`)}, 0) <> ${userId}`

/** Columns of an index besides id and time. */
const columnsOf: Partial<Record<Filter, readonly string[]>> = {
  tag: ['direction', 'user_id', 'number_id'],
  'two tags': ['direction', 'user_id', 'number_id'],
  rung: [],
}

function asked(db: Db, shape: Shape, arm: Filter, v: FilterValues): RawBuilder<unknown> {
  const own = columnsOf[arm]
  const here: RawBuilder<unknown>[] = []
  const elsewhere: RawBuilder<unknown>[] = []
  const ask = (name: string, condition: (row: 'c' | 'o') => RawBuilder<unknown>) => {
    if (!own || own.includes(name)) here.push(condition('c'))
    else elsewhere.push(condition('o'))
  }
  if (shape.direction) ask('direction', (row) => sql`${unindexedText(db, `${row}.direction`)} = ${v.direction}`)
  if (shape.user && arm !== 'user') ask('user_id', (row) => sql`${unindexed(`${row}.user_id`)} = ${v.userId}`)
  if (shape.phone === 'own number' && arm !== 'phone' && arm !== 'number') {
    ask('number_id', (row) => sql`${unindexed(`${row}.number_id`)} = ${v.numberId}`)
  }
  if (shape.phone === 'outside' && arm !== 'phone') {
    ask('external_digits', (row) => sql`${unindexedText(db, `${row}.external_digits`)} = ${v.digits}`)
  }
  if (shape.missed && arm !== 'missed') {
    ask('missed_call_reason', (row) => sql`${sql.ref(`${row}.missed_call_reason`)} is not null`)
  }
  if (shape.party) {
    ask('external_digits', (row) => {
      const digits = sql.ref(`${row}.external_digits`)
      return sql`(${digits} like ${v.partyDigits} or ${digits} in ${wordsFromJson(db, v.partyNumbers)})`
    })
  }
  if (shape.voicemail) ask('voicemail', (row) => sql`${sql.ref(`${row}.voicemail`)} is not null`)
  if (shape.parties && arm !== 'parties') {
    const among = wordsFromJson(db, v.parties)
    ask('external_digits', (row) => sql`${unindexedText(db, `${row}.external_digits`)} in ${among}`)
  }
  if (elsewhere.length > 0) {
    here.push(sql`exists (select 1 from call as o where o.id = c.id and ${sql.join(elsewhere, sql` and `)})`)
  }
  here.push(...tagsAsked(db, shape, arm, v))
  return here.length > 0 ? sql`and ${sql.join(here, sql` and `)}` : sql``
}

function tagsAsked(db: Db, { tags }: Shape, arm: Filter, v: FilterValues): RawBuilder<unknown>[] {
  const has = (tag: number) => sql`exists (select 1 from call_tag as x where x.call_id = c.id and x.tag_id = ${tag})`
  switch (tags) {
    case undefined:
      return []
    case 'one':
      return arm === 'tag' ? [] : [has(v.tag)]
    case 'two':
      if (arm === 'two tags') return []
      return arm === 'tag' ? [has(v.otherTag)] : [has(v.tag), has(v.otherTag)]
    case 'several':
      return [
        sql`${v.tagCount} = (select count(*) from call_tag as x
          where x.call_id = c.id and x.tag_id in ${idsFromJson(db, v.tags)})`,
      ]
  }
}
