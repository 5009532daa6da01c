import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import Database from 'libsql'
import { type Cluster, startCluster } from '../../test/chaos/cluster.ts'
import { query } from '../fleet/database-writes.ts'

// The database under the installation: what it takes on disk, and statements beside the server.

export interface Store {
  /** Of PostgreSQL. */
  databaseUrl: string | undefined
  execute(dataDir: string, statement: string): Promise<void>
  size(dataDir: string): Promise<DatabaseSize>
  /** Crashes and starts again. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface DatabaseSize {
  database: number
  wal: number
}

const sqliteFile = (dataDir: string) => path.join(dataDir, 'hookswitch.db')

export function sqliteStore(): Store {
  return {
    databaseUrl: undefined,
    async execute(dataDir, statement) {
      const database = new Database(sqliteFile(dataDir))
      database.exec('pragma busy_timeout = 5000')
      database.exec(statement)
      database.close()
    },
    async size(dataDir) {
      const bytesOf = (file: string) => (existsSync(file) ? statSync(file).size : 0)
      return { database: bytesOf(sqliteFile(dataDir)), wal: bytesOf(`${sqliteFile(dataDir)}-wal`) }
    },
    restart: async () => {},
    stop: async () => {},
  }
}

export async function postgresStore(): Promise<Store> {
  const cluster: Cluster | undefined = await startCluster()
  if (!cluster) throw new Error('PostgreSQL is not installed')
  const { url } = cluster
  // By default the log grows to a gigabyte before its files are used again.
  await query(url, `alter system set max_wal_size = '96MB'`)
  await query(url, `alter system set checkpoint_timeout = '60s'`)
  await query(url, 'select pg_reload_conf()')
  return {
    databaseUrl: url,
    async execute(_dataDir, statement) {
      await query(url, statement)
    },
    async size() {
      const [row] = await query(
        url,
        'select pg_database_size(current_database()) as database, (select sum(size) from pg_ls_waldir()) as wal',
      )
      return { database: Number(row?.database), wal: Number(row?.wal) }
    },
    restart: cluster.crash,
    stop: cluster.stop,
  }
}

/** All files of a folder. */
export function bytesIn(folder: string, isWanted: (name: string) => boolean = () => true): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !isWanted(entry.name)) continue
    // Temporary files disappear meanwhile.
    bytes += statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}
