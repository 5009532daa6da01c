import { randomBytes } from 'node:crypto'
import { cp } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { type DatabaseOptions, type Db, openDatabase } from '../../src/db/database.ts'
import { readSnapshot } from '../../src/db/dump.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { pollUntil } from './poll.ts'
import { type Api, clientOf, ended, launch, type Running } from './server.ts'

// Processes of the product on one store: one on the embedded store, two on PostgreSQL, each with a folder of its own.

export interface Member {
  dataDir: string
  /** In the table of workers; unknown on the embedded store, where there is only one. */
  workerId: string | undefined
  /** While it may be asked. */
  api: Api | undefined
  running: Running | undefined
}

export interface Fleet {
  members: Member[]
  /** A client of a running process, as soon as there is one. */
  api(choose: (living: Api[]) => Api): Promise<Api>
  start(member: Member): Promise<void>
  /** It receives no further requests; resolves with the exit code. */
  end(member: Member, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
  /** Kills all of them; resolves when none of their statements can take effect any more. */
  killAll(): Promise<void>
  /** As if its last heartbeat were long ago: its leases expire. */
  expire(member: Member): Promise<void>
  /** The webhook-ids that the member has, or had, in flight. On the embedded store it must have ended. */
  leased(member?: Member): Promise<string[]>
  /** Contents of the store. The embedded store must not be in use. */
  read<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Everything that was ever to be sent. */
  deliveries(): Promise<{ message_id: string; state: string }[]>
  close(): Promise<void>
}

export interface FleetOptions {
  folder: string
  databaseUrl?: string
  /** A data folder that each begins with a copy of; it holds the key that they share. */
  from?: string
  env?: Record<string, string>
}

export async function createFleet({ folder, databaseUrl, from, env = {} }: FleetOptions): Promise<Fleet> {
  const names = databaseUrl ? ['one', 'two'] : ['one']
  const members = names.map((name): Member => {
    return { dataDir: path.join(folder, name), workerId: undefined, api: undefined, running: undefined }
  })
  const key = from ? {} : { HOOKSWITCH_KEY: randomBytes(32).toString('base64') }
  if (from) for (const { dataDir } of members) await cp(from, dataDir, { recursive: true })
  const options: DatabaseOptions = databaseUrl
    ? { kind: 'postgres', url: databaseUrl, poolSize: 1 }
    : { kind: 'embedded', folder: path.join(folder, 'one') }
  const shared = databaseUrl ? await openDatabase(options, systemClock()) : undefined
  let waiting: (() => void)[] = []

  async function reading<T>(work: (db: Db) => Promise<T>): Promise<T> {
    if (shared) return work(shared.db)
    const { db, close } = await openDatabase(options, systemClock())
    return work(db).finally(close)
  }

  const fleet: Fleet = {
    members,
    async api(choose) {
      for (;;) {
        const living = members.flatMap(({ api }) => (api ? [api] : []))
        if (living.length > 0) return choose(living)
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
    async start(member) {
      const { dataDir } = member
      const place = { dataDir, ...(databaseUrl && { databaseUrl }), env: { ...key, ...env } }
      const running = await launch(place)
      if (shared) member.workerId = await newestWorker(shared.db)
      member.running = running
      member.api = clientOf(running, dataDir)
      for (const go of waiting) go()
      waiting = []
    },
    async end(member, signal) {
      const { running } = member
      member.api = undefined
      member.running = undefined
      if (!running) return null
      running.child.kill(signal)
      return ended(running.child)
    },
    async killAll() {
      await Promise.all(members.map((member) => fleet.end(member, 'SIGKILL')))
      // PostgreSQL still executes what a killed process has sent, and notices its end afterwards.
      if (shared) await pollUntil(async () => (await otherConnections(shared.db)) === 0, 'no connection is left')
    },
    async expire({ workerId }) {
      if (!shared || !workerId) return
      await shared.db.updateTable('worker').set({ heartbeat_at: 1 }).where('id', '=', workerId).execute()
    },
    read: reading,
    leased: (member) =>
      reading(async (db) => {
        let query = db.selectFrom('delivery').select('message_id').where('state', '=', 'leased')
        if (member?.workerId) query = query.where('worker_id', '=', member.workerId)
        return (await query.execute()).map(({ message_id }) => message_id)
      }),
    async deliveries() {
      if (shared) return shared.db.selectFrom('delivery').select(['message_id', 'state']).execute()
      return readSnapshot(options, systemClock(), async (snapshot) => {
        const found: { message_id: string; state: string }[] = []
        for await (const rows of snapshot.rows('delivery')) {
          for (const { message_id, state } of rows) found.push({ message_id: String(message_id), state: String(state) })
        }
        return found
      })
    },
    async close() {
      for (const member of members) await fleet.end(member, 'SIGKILL')
      await shared?.close()
    },
  }
  try {
    for (const member of members) await fleet.start(member)
  } catch (error) {
    await fleet.close()
    throw error
  }
  return fleet
}

/** Of the product; ours is the only one of its pool. */
async function otherConnections(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from pg_stat_activity
    where datname = current_database() and application_name = 'hookswitch' and pid <> pg_backend_pid()`.execute(db)
  return Number(rows[0]?.n)
}

/** They are started one after the other. */
async function newestWorker(db: Db): Promise<string> {
  const { id } = await db
    .selectFrom('worker')
    .select('id')
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return id
}
