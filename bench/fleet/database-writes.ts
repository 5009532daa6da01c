import pg from 'pg'
import { pause } from '../voice/measure.ts'

/** What PostgreSQL has done since it was started. */
export interface Writes {
  at: number
  transactions: number
  rows: number
  walBytes: number
}

/** Backends report their counts within a second. */
const reportedMs = 1_500
const idleMs = 3_000

async function writesOf(url: string): Promise<Writes> {
  await pause(reportedMs)
  const [row] = await query(
    url,
    `select xact_commit as transactions, tup_inserted + tup_updated + tup_deleted as rows,
       pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal from pg_stat_database where datname = current_database()`,
  )
  const at = performance.now()
  return { at, transactions: Number(row?.transactions), rows: Number(row?.rows), walBytes: Number(row?.wal) }
}

export interface WriteMeter {
  /** Since the meter was started, without what the server does anyway. */
  perCall(calls: number): Promise<Writes>
}

/** Call while nothing happens. */
export async function startWriteMeter(url: string): Promise<WriteMeter> {
  const first = await writesOf(url)
  await pause(idleMs)
  const before = await writesOf(url)
  return {
    async perCall(calls) {
      const after = await writesOf(url)
      const idleTimes = (after.at - before.at) / (before.at - first.at)
      const of = (key: keyof Writes) => (after[key] - before[key] - (before[key] - first[key]) * idleTimes) / calls
      return { at: after.at, transactions: of('transactions'), rows: of('rows'), walBytes: of('walBytes') }
    },
  }
}

export const writesText = ({ transactions, rows, walBytes }: Writes) =>
  `${transactions.toFixed(0)} transactions, ${rows.toFixed(0)} rows written, ${(walBytes / 1_024).toFixed(0)} KiB of WAL`

export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}
