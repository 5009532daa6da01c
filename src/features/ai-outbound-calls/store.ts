import type { Db } from '../../db/database.ts'
import type { AiOutboundCallTable, CompanyId } from '../../db/tables.ts'
import type { Context } from '../../domain/ai-agent/variables.ts'

// Calls that AI voice agents were asked to make, until they are made.

export interface OutboundAgentCall {
  id: string
  idempotencyKey: string
  agentId: string
  numberId: number
  phone: string
  context: Context
  status: AiOutboundCallTable['status']
  expiresAt: number
}

const toCall = (row: AiOutboundCallTable): OutboundAgentCall => ({
  id: row.id,
  idempotencyKey: row.idempotency_key,
  agentId: row.agent_id,
  numberId: row.number_id,
  phone: row.phone,
  context: JSON.parse(row.context),
  status: row.status,
  expiresAt: row.expires_at,
})

/** False: the key was used before. */
export async function insertOutboundCall(
  db: Db,
  companyId: CompanyId,
  call: OutboundAgentCall,
  at: number,
): Promise<boolean> {
  const done = await db
    .insertInto('ai_outbound_call')
    .values({
      id: call.id,
      company_id: companyId,
      idempotency_key: call.idempotencyKey,
      agent_id: call.agentId,
      number_id: call.numberId,
      phone: call.phone,
      context: JSON.stringify(call.context),
      status: call.status,
      call_id: null,
      expires_at: call.expiresAt,
      created_at: at,
    })
    .onConflict((conflict) => conflict.columns(['company_id', 'idempotency_key']).doNothing())
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Those that wait, in their order, and those that go on. */
export async function openOutboundCalls(db: Db, companyId: CompanyId): Promise<OutboundAgentCall[]> {
  const rows = await db
    .selectFrom('ai_outbound_call')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('status', 'in', ['PENDING', 'INITIATED', 'IN_PROGRESS'])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toCall)
}

export async function setOutboundStatus(
  db: Db,
  companyId: CompanyId,
  id: string,
  status: AiOutboundCallTable['status'],
  callId?: number,
): Promise<void> {
  await db
    .updateTable('ai_outbound_call')
    .set({ status, ...(callId !== undefined && { call_id: callId }) })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

export async function failExpired(db: Db, companyId: CompanyId, at: number): Promise<void> {
  await db
    .updateTable('ai_outbound_call')
    .set({ status: 'FAILED' })
    .where('company_id', '=', companyId)
    .where('status', '=', 'PENDING')
    .where('expires_at', '<=', at)
    .execute()
}

/** Those that are over; a key may be used again then. */
export async function deleteOldOutboundCalls(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom('ai_outbound_call')
    .where('created_at', '<', before)
    .where('status', 'in', ['COMPLETED', 'FAILED'])
    .execute()
}
