import { type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'
import { ServerAdapter } from './postgres.ts'

// Index of contacts by any part of a phone number: `phone_part` holds every suffix of every number that a contact of the
// company has; calls have an index of their own. Triggers maintain it, so that it is complete whatever writes the rows. It is derived data: dumps omit it.

/** Shorter parts are not searched. */
export const minPhonePart = 3
/** No E.164 number is longer; contacts keep numbers as entered. */
const maxDigits = 20

const isServer = (db: Db) => db.getExecutor().adapter instanceof ServerAdapter

/** The positions at which a suffix starts, as rows of `i`. */
function starts(db: Db): RawBuilder<unknown> {
  if (isServer(db)) return sql`generate_series(1, ${sql.lit(maxDigits)}) as starts(i)`
  const rows = Array.from({ length: maxDigits }, (_, n) => sql`select ${sql.lit(n + 1)} as i`)
  return sql`(${sql.join(rows, sql` union all `)}) as starts`
}

const addParts = (db: Db, digits: RawBuilder<unknown>) => sql`
  insert into phone_part (company_id, part, digits)
  select new.company_id, substr(${digits}, i), ${digits} from ${starts(db)}
  where i <= length(${digits}) - ${sql.lit(minPhonePart - 1)} on conflict do nothing`

const isNew = (digits: RawBuilder<unknown>) => sql`length(${digits}) >= ${sql.lit(minPhonePart)} and not exists (
  select 1 from phone_part where company_id = new.company_id and part = ${digits} and digits = ${digits})`

/** PostgreSQL would read all parts of the company for a list of parts while it has no statistics; one is found in the index. */
function removeParts(db: Db, digits: RawBuilder<unknown>): RawBuilder<unknown> {
  const these = sql`delete from phone_part where company_id = old.company_id and digits = ${digits}`
  return isServer(db)
    ? sql`for i in 1..length(${digits}) loop ${these} and part = substr(${digits}, i); end loop`
    : sql`${these} and part in (select substr(${digits}, i) from ${starts(db)})`
}

const isUnused = sql`not exists (
  select 1 from contact_phone as x where x.company_id = old.company_id and x.digits = old.digits)`

const added = sql`new.digits`
const removed = sql`old.digits`
const name = (verb: string) => sql.id(`phone_part_${verb}`)

/** What the triggers of PostgreSQL execute; replaces earlier versions. */
export async function definePhoneFunctions(db: Db): Promise<void> {
  if (!isServer(db)) return
  const define = (verb: string, steps: RawBuilder<unknown>) =>
    sql`create or replace function ${name(verb)}() returns trigger language plpgsql as
      $$ begin ${steps}; return null; end $$`.execute(db)
  const add = sql`if ${isNew(added)} then ${addParts(db, added)}; end if`
  const remove = sql`if ${isUnused} then ${removeParts(db, removed)}; end if`
  await define('insert', add)
  await define('change', sql`${add}; ${remove}`)
  await define('delete', remove)
}

export async function followContactPhones(db: Db): Promise<void> {
  const isChanged = sql`${removed} <> ${added}`
  const when = {
    insert: sql`after insert on contact_phone`,
    update: sql`after update of digits on contact_phone`,
    delete: sql`after delete on contact_phone`,
  }
  if (!isServer(db)) {
    const create = (verb: string, at: RawBuilder<unknown>, condition: RawBuilder<unknown>, run: RawBuilder<unknown>) =>
      sql`create trigger ${name(verb)} ${at} when ${condition} begin ${run}; end`.execute(db)
    await create('insert', when.insert, isNew(added), addParts(db, added))
    await create('change', when.update, sql`${isChanged} and ${isNew(added)}`, addParts(db, added))
    await create('leave', when.update, sql`${isChanged} and ${isUnused}`, removeParts(db, removed))
    await create('delete', when.delete, isUnused, removeParts(db, removed))
    return
  }
  await definePhoneFunctions(db)
  await sql`create trigger ${name('insert')} ${when.insert} for each row execute function ${name('insert')}()`.execute(
    db,
  )
  await sql`create trigger ${name('change')} ${when.update} for each row when (${isChanged})
    execute function ${name('change')}()`.execute(db)
  await sql`create trigger ${name('delete')} ${when.delete} for each row execute function ${name('delete')}()`.execute(
    db,
  )
}

/** Indexes a batch of numbers that are older than the triggers; returns the last id, undefined at the end. */
export async function indexSomePhones(db: Db, after: number, limit: number): Promise<number | undefined> {
  const batch = sql`select id, company_id, digits from contact_phone where id > ${after} order by id limit ${limit}`
  const { rows } = await sql<{ n: number; last: number | null }>`
    select count(*) as n, max(id) as last from (${batch}) as batch`.execute(db)
  await sql`insert into phone_part (company_id, part, digits)
    select distinct company_id, substr(digits, i), digits from (${batch}) as batch, ${starts(db)}
    where i <= length(digits) - ${sql.lit(minPhonePart - 1)} order by 1, 3, 2 on conflict do nothing`.execute(db)
  const { n = 0, last = null } = rows[0] ?? {}
  return n < limit || last === null ? undefined : last
}
