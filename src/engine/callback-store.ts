import type { Db } from '../db/database.ts'
import { lockRow } from '../db/dialect.ts'
import type { CallbackRequestTable, CompanyId } from '../db/tables.ts'
import type { CallbackParams } from '../domain/call/events.ts'
import type { Target } from '../domain/flow/document.ts'

export interface CallbackRequest {
  id: string
  companyId: CompanyId
  callId: number
  numberId: number
  phone: string
  targets: Target[]
  state: CallbackRequestTable['state']
  rank: number
  enteredAt: number
  attemptsLeft: number
  retrySeconds: number
  nextAt: number
  expiresAt: number
}

const toRequest = (row: CallbackRequestTable): CallbackRequest => ({
  id: row.id,
  companyId: row.company_id,
  callId: row.call_id,
  numberId: row.number_id,
  phone: row.phone,
  targets: JSON.parse(row.targets),
  state: row.state,
  rank: row.rank,
  enteredAt: row.entered_at,
  attemptsLeft: row.attempts_left,
  retrySeconds: row.retry_seconds,
  nextAt: row.next_at,
  expiresAt: row.expires_at,
})

export async function insertRequest(
  db: Db,
  companyId: CompanyId,
  id: string,
  callId: number,
  params: CallbackParams,
  at: number,
): Promise<void> {
  await db
    .insertInto('callback_request')
    .values({
      id,
      company_id: companyId,
      call_id: callId,
      number_id: params.numberId,
      phone: params.phone,
      targets: JSON.stringify(params.targets),
      state: 'waiting',
      rank: params.rank,
      entered_at: params.enteredAt,
      attempts_left: params.attempts,
      retry_seconds: params.retrySeconds,
      next_at: at,
      expires_at: at + params.expiresSeconds * 1_000,
    })
    .execute()
}

export async function lockRequest(db: Db, companyId: CompanyId, id: string): Promise<CallbackRequest | undefined> {
  const mine = db.selectFrom('callback_request').selectAll().where('company_id', '=', companyId).where('id', '=', id)
  const row = await lockRow(db, mine).executeTakeFirst()
  return row && toRequest(row)
}

/** The open request that a call created. */
export async function requestOf(db: Db, companyId: CompanyId, callId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('callback_request')
    .select('id')
    .where('company_id', '=', companyId)
    .where('call_id', '=', callId)
    .where('state', '<>', 'done')
    .executeTakeFirst()
  return row?.id
}

export type RequestChange = Partial<Pick<CallbackRequestTable, 'state' | 'attempts_left' | 'next_at'>>

export async function updateRequest(db: Db, companyId: CompanyId, id: string, change: RequestChange): Promise<void> {
  await db
    .updateTable('callback_request')
    .set(change)
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}
