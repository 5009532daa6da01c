import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'

// Commands for calls that another process owns.

export interface CommandRow {
  id: string
  companyId: CompanyId
  owner: string
  key: string
  command: string
}

/** A command for a call that another process owns. */
export async function leaveCommand(
  db: Db,
  companyId: CompanyId,
  row: Omit<CommandRow, 'companyId'>,
  at: number,
): Promise<void> {
  await db
    .insertInto('call_command')
    .values({ ...row, company_id: companyId, answer: null, created_at: at })
    .execute()
}

export async function commandsFor(db: Db, owner: string): Promise<CommandRow[]> {
  const rows = await db
    .selectFrom('call_command')
    .select(['id', 'company_id', 'owner', 'key', 'command'])
    .where('owner', '=', owner)
    .where('answer', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(({ company_id, ...row }) => ({ ...row, companyId: company_id }))
}

export async function answerCommand(db: Db, companyId: CompanyId, id: string, answer: string): Promise<void> {
  await db
    .updateTable('call_command')
    .set({ answer })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

export async function takeAnswer(db: Db, companyId: CompanyId, id: string): Promise<string | null> {
  const row = await db
    .selectFrom('call_command')
    .select('answer')
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.answer ?? null
}

export async function forgetCommand(db: Db, companyId: CompanyId, id: string): Promise<void> {
  await db.deleteFrom('call_command').where('company_id', '=', companyId).where('id', '=', id).execute()
}
