import type { Db } from '../db/database.ts'
import { holdForLife, livingKeys } from '../db/dialect.ts'
import { type Clock, minute, second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { createPeriodicTask } from '../lib/periodic-task.ts'
import type { ProcessRole } from '../services.ts'
import { lifeKeyOf, type ProcessLiveness } from './process-liveness.ts'
import {
  callsPerProcess,
  deleteAbandoned,
  deleteProcess,
  listProcesses,
  type ProcessRow,
  writeProcess,
} from './process-store.ts'

/** The processes of this installation: which are alive, and which carry calls. */
export interface Processes {
  start(): Promise<void>
  stop(): Promise<void>
  /** Other processes stop sending new calls here. */
  drain(): Promise<void>
  /** Those that accept new calls, the one with the fewest calls first. */
  carriers(): Promise<string[]>
  /** Every other process that is alive. */
  others(): Promise<string[]>
  /** All processes for the operator; with the embedded database, this one. */
  list(): Promise<ProcessStatus[]>
  /** Also true while it reconnects to the database. */
  isAlive(id: string): Promise<boolean>
}

export interface ProcessStatus {
  id: string
  /** The process that answers. */
  answers: boolean
  roles: readonly ProcessRole[]
  state: 'running' | 'draining' | 'not responding'
  calls: number
}

export interface ProcessesParts {
  db: Db
  clock: Clock
  log: Log
  me: string
  roles: readonly ProcessRole[]
  /** False: the database belongs to this process alone. */
  shared: boolean
  liveness: ProcessLiveness
  /** Called in one of the remaining processes for each that has ended without stopping. */
  onGone(process: ProcessRow): Promise<void>
}

const beatMs = 3 * second
const abandonedMs = minute

export function createProcesses({ db, clock, log, me, roles, shared, liveness, onGone }: ProcessesParts): Processes {
  let draining = false
  const heartbeat = createPeriodicTask({
    clock,
    intervalMs: beatMs,
    async run() {
      await write()
      for (const process of await deleteAbandoned(db, clock.machineNow() - abandonedMs)) await onGone(process)
    },
    onError: (error) => log.warn({ event: 'process.heartbeat_failed', error }, 'could not write the heartbeat'),
  })

  const write = () => writeProcess(db, { id: me, roles: [...roles], draining }, clock.machineNow())

  async function living() {
    const keys = await livingKeys(db)
    return (await listProcesses(db)).filter(({ id }) => keys.has(lifeKeyOf(id)))
  }

  return {
    async start() {
      if (!shared) return
      // The lock first: a listed process must hold its lock.
      await holdForLife(db, lifeKeyOf(me))
      await write()
      heartbeat.start()
    },
    async stop() {
      await heartbeat.stop()
      if (shared)
        await deleteProcess(db, me).catch((error) =>
          log.warn({ event: 'process.entry_not_removed', error }, 'could not remove the process entry'),
        )
    },
    async drain() {
      draining = true
      if (!shared) return
      // Nothing is lost when the database is unavailable: it is written with the next heartbeat.
      await write().catch((error) => log.warn({ event: 'process.drain_failed', error }, 'could not announce draining'))
    },
    async carriers() {
      const able = (await living()).filter((one) => one.roles.includes('calls') && !one.draining)
      const calls = await callsPerProcess(db)
      return able.map(({ id }) => id).toSorted((a, b) => (calls.get(a) ?? 0) - (calls.get(b) ?? 0))
    },
    others: async () => (shared ? (await living()).map(({ id }) => id).filter((id) => id !== me) : []),
    async list() {
      const keys = shared ? await livingKeys(db) : null
      const calls = await callsPerProcess(db)
      const rows = shared ? await listProcesses(db) : [{ id: me, roles: [...roles], draining }]
      return rows.map((row) => ({
        id: row.id,
        answers: row.id === me,
        roles: row.roles,
        state: keys && !keys.has(lifeKeyOf(row.id)) ? 'not responding' : row.draining ? 'draining' : 'running',
        calls: calls.get(row.id) ?? 0,
      }))
    },
    isAlive: async (id) => (await liveness.among([id])).length === 0,
  }
}
