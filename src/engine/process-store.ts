import type { Db } from '../db/database.ts'
import type { ProcessRole } from '../services.ts'

// The processes that share this database. The advisory lock shows that a process is alive, not its row.

export interface ProcessRow {
  id: string
  roles: ProcessRole[]
  draining: boolean
}

/** Also restores a row that another process has removed while this one was disconnected. */
export async function writeProcess(db: Db, { id, roles, draining }: ProcessRow, seenAt: number): Promise<void> {
  const row = { roles: roles.join(), draining: draining ? 1 : 0, seen_at: seenAt }
  await db
    .insertInto('process')
    .values({ id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

export async function listProcesses(db: Db): Promise<ProcessRow[]> {
  const rows = await db.selectFrom('process').select(['id', 'roles', 'draining']).orderBy('id').execute()
  return rows.map(processOf)
}

const processOf = ({ id, roles, draining }: { id: string; roles: string; draining: number }): ProcessRow => ({
  id,
  roles: roles.split(',') as ProcessRole[],
  draining: draining !== 0,
})

export async function deleteProcess(db: Db, id: string): Promise<void> {
  await db.deleteFrom('process').where('id', '=', id).execute()
}

/** Removes requests whose sender is gone, and returns processes that did not remove their row themselves. */
export async function deleteAbandoned(db: Db, before: number): Promise<ProcessRow[]> {
  const gone = await db
    .deleteFrom('process')
    .where('seen_at', '<', before)
    .returning(['id', 'roles', 'draining'])
    .execute()
  await db.deleteFrom('call_command').where('created_at', '<', before).execute()
  return gone.map(processOf)
}

/** How many calls each process carries. */
export async function callsPerProcess(db: Db): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('live_call')
    .select(({ fn }) => ['owner', fn.countAll<number>().as('n')])
    .groupBy('owner')
    .execute()
  return new Map(rows.map(({ owner, n }) => [owner, Number(n)]))
}
