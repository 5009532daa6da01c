import { sql } from 'kysely'
import type { Db } from './database.ts'
import { isServer } from './dump.ts'

/** Each process keeps one listening connection; one of them is our own. The embedded database has one process. */
export async function isServedByOthers(db: Db): Promise<boolean> {
  if (!isServer(db)) return false
  const { rows } = await sql<{ n: number }>`select count(*) as n from pg_stat_activity
    where datname = current_database() and application_name = 'hookswitch listener'`.execute(db)
  return (rows[0]?.n ?? 0) > 1
}
