import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { transaction } from '../../../db/transaction.ts'

// Parts of long texts until all have come.

export interface Part {
  carrierId: number
  /** Who wrote to whom under which reference, in how many parts. */
  key: string
  place: number
  from: string
  to: string
  total: number
  body: string
}

export interface PartialText extends Omit<Part, 'place' | 'body'> {
  /** When the first of them came. */
  since: number
  parts: { place: number; body: string }[]
}

const partsOf = (db: Db, companyId: CompanyId, carrierId: number) =>
  db.selectFrom('message_part').selectAll().where('company_id', '=', companyId).where('carrier_id', '=', carrierId)

/** All that is there of the text it belongs to; undefined when that text was complete before and this one came again. */
export async function storePart(
  db: Db,
  companyId: CompanyId,
  part: Part,
  at: number,
): Promise<PartialText | undefined> {
  const { carrierId, key, place, total } = part
  // A body may end in half a character, whose other half begins the next part: JSON can hold that.
  const body = JSON.stringify(part.body)
  const isNew = await transaction(db, async (tx) => {
    const done = await partsOf(tx, companyId, carrierId).where('key', '=', key).where('done', '=', 1).execute()
    if (done.some((row) => row.place === place && row.body === body)) return false
    // References are few: the same one may stand for another text by now.
    if (done.length > 0) await deleteParts(tx, companyId, carrierId, key)
    const row = { company_id: companyId, carrier_id: carrierId, key, place, total, body, done: 0 as const, at }
    await tx
      .insertInto('message_part')
      .values({ ...row, sender: part.from, recipient: part.to })
      .onConflict((conflict) => conflict.columns(['carrier_id', 'key', 'place']).doUpdateSet({ body }))
      .execute()
    return true
  })
  if (!isNew) return undefined
  // After the commit: two processes with a part each would otherwise not see the other's.
  const rows = await partsOf(db, companyId, carrierId).where('key', '=', key).orderBy('place').execute()
  return partialTextsOf(rows)[0]
}

/** Texts that are not complete, the oldest first. */
export async function incompleteTexts(db: Db, companyId: CompanyId, carrierId: number): Promise<PartialText[]> {
  const rows = await partsOf(db, companyId, carrierId).where('done', '=', 0).orderBy('place').execute()
  return partialTextsOf(rows).sort((a, b) => a.since - b.since)
}

type Row = Awaited<ReturnType<ReturnType<typeof partsOf>['execute']>>[number]

function partialTextsOf(rows: readonly Row[]): PartialText[] {
  const found = new Map<string, PartialText>()
  for (const { key, carrier_id, sender, recipient, total, place, body, at } of rows) {
    const kept = found.get(key) ?? {
      carrierId: carrier_id,
      key,
      from: sender,
      to: recipient,
      total,
      since: at,
      parts: [],
    }
    kept.since = Math.min(kept.since, at)
    kept.parts.push({ place, body: JSON.parse(body) })
    found.set(key, kept)
  }
  return [...found.values()]
}

export async function markComplete(db: Db, companyId: CompanyId, carrierId: number, key: string): Promise<void> {
  await db
    .updateTable('message_part')
    .set({ done: 1 })
    .where('company_id', '=', companyId)
    .where('carrier_id', '=', carrierId)
    .where('key', '=', key)
    .execute()
}

export async function deleteParts(db: Db, companyId: CompanyId, carrierId: number, key: string): Promise<void> {
  await db
    .deleteFrom('message_part')
    .where('company_id', '=', companyId)
    .where('carrier_id', '=', carrierId)
    .where('key', '=', key)
    .execute()
}

/** When the oldest part came that is still kept. */
export async function oldestPart(db: Db, companyId: CompanyId, carrierId: number): Promise<number | undefined> {
  const row = await partsOf(db, companyId, carrierId).orderBy('at').limit(1).executeTakeFirst()
  return row?.at
}

export async function deleteCompleteParts(
  db: Db,
  companyId: CompanyId,
  carrierId: number,
  before: number,
): Promise<void> {
  await db
    .deleteFrom('message_part')
    .where('company_id', '=', companyId)
    .where('carrier_id', '=', carrierId)
    .where('done', '=', 1)
    .where('at', '<=', before)
    .execute()
}
