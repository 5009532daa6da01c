import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { transaction } from '../../../db/transaction.ts'

// Parts of concatenated messages until all have arrived.

export interface MessagePart {
  carrierId: number
  /** Sender, recipient, reference and number of parts. */
  key: string
  place: number
  from: string
  to: string
  total: number
  body: string
}

export interface PartialText extends Omit<MessagePart, 'place' | 'body'> {
  /** Arrival time of the first part. */
  since: number
  parts: { place: number; body: string }[]
}

const partsOf = (db: Db, companyId: CompanyId, carrierId: number) =>
  db.selectFrom('message_part').selectAll().where('company_id', '=', companyId).where('carrier_id', '=', carrierId)

/** All parts of the message received so far; undefined for a duplicate part of a complete message. */
export async function storePart(
  db: Db,
  companyId: CompanyId,
  part: MessagePart,
  at: number,
): Promise<PartialText | undefined> {
  const { carrierId, key, place, total } = part
  // A surrogate pair may be split across parts: JSON can represent the halves.
  const body = JSON.stringify(part.body)
  const isNew = await transaction(db, async (tx) => {
    const done = await partsOf(tx, companyId, carrierId).where('key', '=', key).where('done', '=', 1).execute()
    if (done.some((row) => row.place === place && row.body === body)) return false
    // References are reused: this one may belong to a new message.
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
  // Read after the commit: otherwise two processes with a part each would not see each other's.
  const rows = await partsOf(db, companyId, carrierId).where('key', '=', key).orderBy('place').execute()
  return partialTextsOf(rows)[0]
}

/** Incomplete messages, oldest first. */
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

/** Arrival time of the oldest stored part. */
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
