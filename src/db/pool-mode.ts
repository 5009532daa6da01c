import type pg from 'pg'

/** What a check of a PostgreSQL server finds out, with connections of its own. */
export interface PostgresFacts {
  /** Major version. */
  version: number
  isReadOnly: boolean
  /** Whether a connection keeps its server process between transactions; false behind a pooler in transaction mode. */
  isSessionKept: boolean
  /** Milliseconds since 1970 by the clock of the server. */
  now: number
}

export async function examinePostgres(url: string): Promise<PostgresFacts> {
  const { Client } = (await import('pg')).default
  const open = async () => {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, application_name: 'hookswitch' })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  const first = await open()
  try {
    const second = await open()
    try {
      const { rows } = await first.query(
        "select current_setting('server_version_num')::int / 10000 as version, pg_is_in_recovery() as standby, " +
          "current_setting('default_transaction_read_only') as read_only, extract(epoch from clock_timestamp()) * 1000 as now",
      )
      const [{ version, standby, read_only: readOnly, now }] = rows
      const isSessionKept = await keepsSession(first, second)
      return { version, isReadOnly: standby || readOnly === 'on', isSessionKept, now: Number(now) }
    } finally {
      await second.end()
    }
  } finally {
    await first.end()
  }
}

/** A pooler in transaction mode gives the idle server process of one connection to the other. */
async function keepsSession(first: pg.Client, second: pg.Client): Promise<boolean> {
  const processOf = async (client: pg.Client) => (await client.query('select pg_backend_pid() as pid')).rows[0]?.pid
  const own = await processOf(first)
  await second.query('begin')
  const other = await processOf(second)
  await second.query('rollback')
  return own !== other
}
