import type { SchemaState } from '../db/migrate.ts'
import type { Checks, Finding } from './health.ts'

export interface ReadinessSources {
  roles: { api: boolean; calls: boolean; worker: boolean }
  store(): Promise<boolean>
  schemaState(): Promise<SchemaState>
  keyIsCurrent(): Promise<boolean>
  pool: (() => { size: number; busy: number; waiting: number }) | undefined
  /** Writes to the file store and reads back. */
  fileStore(): Promise<boolean>
  hasRoomOnDisk(): boolean
  deliveryLagMs(): Promise<number>
  portProblem(): { port: number; code: string; isHeldByAnother: boolean } | undefined
  /** Line nodes that trunks need and that are not connected. */
  lostLineNodes(): readonly string[]
}

const maxLagMs = 60_000

/** Checks by role; every process needs the database, the key and the file store. */
export function readinessChecks(sources: ReadinessSources): Checks {
  const { roles, pool } = sources
  return {
    store: async () => poolProblem(pool) ?? ((await sources.store()) || 'does not read back what was written'),
    schema: async () => schemaFinding(await sources.schemaState()),
    key: async () => (await sources.keyIsCurrent()) || 'the database was encrypted with another installation key',
    files: async () => (await sources.fileStore()) || 'does not read back what was written',
    disk: async () => sources.hasRoomOnDisk() || 'less than 5 % free',
    ...(roles.worker && {
      outbox: async () => (await sources.deliveryLagMs()) < maxLagMs || 'deliveries are a minute late',
    }),
    ...(roles.calls && { sip: async () => portFinding(sources), line_nodes: async () => lineNodeFinding(sources) }),
  }
}

/** During a rolling upgrade the process stays ready; afterwards it is to be replaced. */
function schemaFinding(state: SchemaState): Finding {
  if (state === 'newer') return { degraded: 'of a newer release; this process can use it until it is upgraded' }
  return state === 'current' || 'is not that of this release'
}

function poolProblem(pool: ReadinessSources['pool']): string | undefined {
  const { size, busy, waiting } = pool?.() ?? { size: 0, busy: 0, waiting: 0 }
  if (waiting <= size || busy < size) return undefined
  return `all ${size} connections are in use and ${waiting} requests wait; raise DATABASE_POOL_SIZE or find what is slow`
}

/** The process restarts a line node, or other nodes take the calls: it stays ready. */
function lineNodeFinding({ lostLineNodes }: ReadinessSources): Finding {
  const lost = lostLineNodes()
  return lost.length === 0 || { degraded: `not connected: ${lost.join(', ')}` }
}

/** Of several processes on one machine one has the port; the others stay ready if they have other roles. */
function portFinding({ roles, portProblem }: ReadinessSources): Finding {
  const problem = portProblem()
  if (!problem) return true
  const text = `port ${problem.port} cannot be opened (${problem.code}); check SIP_PORT and SIP_BIND`
  return problem.isHeldByAnother && (roles.api || roles.worker) ? { degraded: text } : text
}
