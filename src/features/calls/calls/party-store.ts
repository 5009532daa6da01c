import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson, unindexed } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { endOfRange } from '../../../domain/search-words.ts'

// Index of the external numbers of calls: every number once, by all its endings. Any part of a number is the beginning
// of an ending, and so a range of the index.

/** Shorter parts are found at the beginning of a number only. */
const minEnding = 3
const starts = sql.join(
  Array.from({ length: 38 }, (_, i) => sql`select ${sql.lit(i + 1)} as at`),
  sql` union all `,
)

interface Party {
  companyId: CompanyId
  digits: string
}

const insertParts = hotQuery<Party, never>(
  (db, v) =>
    sql<never>`insert into party_part (company_id, part, digits)
      select cast(${v.companyId} as bigint), substr(cast(${v.digits} as text), start.at), cast(${v.digits} as text)
      from (${starts}) as start
      where (start.at = 1 or start.at + ${sql.lit(minEnding - 1)} <= length(cast(${v.digits} as text)))
        and not exists (select 1 from party_part as known where known.company_id = ${v.companyId}
          and known.part = ${v.digits} and known.digits = ${v.digits})
      on conflict do nothing`.compile(db),
  { keepsPlan: true, unawaited: true },
)

/** Runs in the transaction that writes the call. */
export async function indexParty(db: Db, companyId: CompanyId, digits: string): Promise<void> {
  if (digits !== '') await insertParts(db, { companyId, digits })
}

export async function partiesOfCalls(db: Db, companyId: CompanyId, callIds: readonly number[]): Promise<string[]> {
  const rows = await db
    .selectFrom('call')
    .select('external_digits')
    .distinct()
    .where(unindexed('company_id'), '=', companyId)
    .where('id', 'in', idsFromJson(db, JSON.stringify(callIds)) as never)
    .where('external_digits', '<>', '')
    .execute()
  return rows.map((row) => row.external_digits)
}

/** After calls were deleted: removes numbers without calls from the index. */
export async function forgetParties(db: Db, companyId: CompanyId, parties: readonly string[]): Promise<void> {
  for (const digits of parties) {
    const endings = Array.from({ length: digits.length }, (_, i) => digits.slice(i))
    await db
      .deleteFrom('party_part')
      .where('company_id', '=', companyId)
      .where('part', 'in', endings)
      .where('digits', '=', digits)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('call').select('id').where('company_id', '=', companyId).where('external_digits', '=', digits),
          ),
        ),
      )
      .execute()
  }
}

/** Maximum number of external numbers a search by text considers. */
export const maxParties = 500

const partQuery = hotQuery((db, v: { companyId: CompanyId; low: string; high: string; limit: number }) =>
  sql<{ digits: string }>`select digits from party_part
    where company_id = ${v.companyId} and part >= ${v.low} and part < ${v.high} order by part, digits
    limit ${v.limit}`.compile(db),
)

/** External numbers that contain these digits. */
export async function partiesWith(db: Db, companyId: CompanyId, part: string): Promise<string[]> {
  const rows = await partQuery(db, { companyId, low: part, high: endOfRange(part), limit: 2 * maxParties })
  return [...new Set(rows.map(({ digits }) => digits))].slice(0, maxParties)
}
