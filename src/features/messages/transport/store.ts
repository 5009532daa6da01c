import type { Db } from '../../../db/database.ts'
import type { CompanyId, MessagePieceTable } from '../../../db/tables.ts'

// Message parts submitted to carriers, their references and delivery reports, and the sending leases.

export type MessagePiece = Omit<MessagePieceTable, 'company_id'>

export async function insertPieces(db: Db, companyId: CompanyId, pieces: readonly MessagePiece[]): Promise<void> {
  if (pieces.length === 0) return
  await db
    .insertInto('message_piece')
    .values(pieces.map((piece) => ({ ...piece, company_id: companyId })))
    .execute()
}

export async function piecesOf(db: Db, companyId: CompanyId, messageRow: number): Promise<MessagePiece[]> {
  return db
    .selectFrom('message_piece')
    .select(['message_row', 'place', 'recipient', 'carrier_id', 'ref', 'status'])
    .where('company_id', '=', companyId)
    .where('message_row', '=', messageRow)
    .orderBy('place')
    .execute()
}

/** The message part that a carrier's reference identifies. */
export async function pieceByRef(
  db: Db,
  companyId: CompanyId,
  carrierId: number,
  ref: string,
): Promise<MessagePiece | undefined> {
  return db
    .selectFrom('message_piece')
    .select(['message_row', 'place', 'recipient', 'carrier_id', 'ref', 'status'])
    .where('company_id', '=', companyId)
    .where('carrier_id', '=', carrierId)
    .where('ref', '=', ref)
    .executeTakeFirst()
}

export async function setPiece(
  db: Db,
  companyId: CompanyId,
  { message_row, place, status }: Pick<MessagePiece, 'message_row' | 'place' | 'status'>,
): Promise<void> {
  await db
    .updateTable('message_piece')
    .set({ status })
    .where('company_id', '=', companyId)
    .where('message_row', '=', message_row)
    .where('place', '=', place)
    .execute()
}

/** False for a duplicate. */
export async function recordArrival(
  db: Db,
  companyId: CompanyId,
  carrierId: number,
  ref: string,
  at: number,
): Promise<boolean> {
  const done = await db
    .insertInto('message_arrival')
    .values({ company_id: companyId, carrier_id: carrierId, ref, report: null, at })
    .onConflict((conflict) => conflict.columns(['carrier_id', 'ref']).doNothing())
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** A delivery report may arrive before the response that contains its message reference. */
export async function storeEarlyReport(
  db: Db,
  companyId: CompanyId,
  carrierId: number,
  ref: string,
  report: string,
  at: number,
): Promise<void> {
  await db
    .insertInto('message_arrival')
    .values({ company_id: companyId, carrier_id: carrierId, ref: `report ${ref}`, report, at })
    .onConflict((conflict) => conflict.columns(['carrier_id', 'ref']).doUpdateSet({ report, at }))
    .execute()
}

export async function takeEarlyReports(
  db: Db,
  companyId: CompanyId,
  carrierId: number,
  refs: readonly string[],
): Promise<string[]> {
  const rows = await db
    .deleteFrom('message_arrival')
    .where('company_id', '=', companyId)
    .where('carrier_id', '=', carrierId)
    .where(
      'ref',
      'in',
      refs.map((ref) => `report ${ref}`),
    )
    .returning('report')
    .execute()
  return rows.flatMap(({ report }) => report ?? [])
}

/** Across companies: carriers do not repeat a message after this long. */
export async function deleteOldArrivals(db: Db, before: number): Promise<void> {
  await db.deleteFrom('message_arrival').where('at', '<', before).execute()
}

export async function takeLease(
  db: Db,
  companyId: CompanyId,
  numberId: number,
  token: string,
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  const done = await db
    .insertInto('message_lease')
    .values({ number_id: numberId, company_id: companyId, token, until })
    .onConflict((conflict) =>
      conflict
        .column('number_id')
        .doUpdateSet({ token, until })
        .where('message_lease.company_id', '=', companyId)
        .where(({ or, eb }) => or([eb('message_lease.until', '<=', now), eb('message_lease.token', '=', token)])),
    )
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function releaseLease(db: Db, companyId: CompanyId, numberId: number, token: string): Promise<void> {
  await db
    .deleteFrom('message_lease')
    .where('company_id', '=', companyId)
    .where('number_id', '=', numberId)
    .where('token', '=', token)
    .execute()
}
