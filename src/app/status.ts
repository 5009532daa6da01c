import type { Dispatcher } from '../delivery/dispatcher.ts'
import { countWaitingCallers, liveCallsByDirection, waitingByTarget } from '../engine/status-store.ts'
import type { LineNodeStatus } from '../engine/trunk-manager.ts'
import { allTrunks, type Trunk } from '../features/trunks/trunks/store.ts'
import type { AdminCommands } from '../http/admin-socket.ts'
import { dueJobsByKind } from '../jobs/queue.ts'
import { second } from '../lib/clock.ts'
import { isoSeconds } from '../lib/time-format.ts'
import { version } from '../lib/version.ts'
import type { AppContext } from './context.ts'
import type { Telephony } from './telephony.ts'

interface Dependencies {
  telephony: Telephony
  dispatcher: Dispatcher
}

/** The state of the installation for `hookswitch status`. */
export type InstallationStatus = Awaited<ReturnType<typeof statusOf>>

export function statusCommands(context: AppContext, dependencies: Dependencies): AdminCommands {
  const startedAt = context.machine.machineNow()
  return { status: () => statusOf(context, dependencies, startedAt) }
}

async function statusOf(context: AppContext, { telephony, dispatcher }: Dependencies, startedAt: number) {
  const { config, db, clock, machine, database, shared } = context
  const now = clock.now()
  const waitingSeconds = (since: number) => Math.max(0, Math.round((now - since) / second))
  const queues = (await waitingByTarget(db)).map(({ companyId, target, waiting, since }) => ({
    company_id: companyId,
    target,
    waiting,
    longest_wait_seconds: waitingSeconds(since),
  }))
  const active = { inbound: 0, outbound: 0 }
  for (const { direction, n } of await liveCallsByDirection(db)) active[direction] = n
  const due = await dueJobsByKind(db, now)
  return {
    version,
    mode: config.mode,
    database: shared ? ('postgresql' as const) : ('embedded' as const),
    uptime_seconds: Math.round((machine.machineNow() - startedAt) / second),
    processes: await telephony.calls.processes(),
    calls: {
      ...active,
      waiting: await countWaitingCallers(db),
      longest_wait_seconds: Math.max(0, ...queues.map((queue) => queue.longest_wait_seconds)),
    },
    media: await mediaOf(telephony),
    line_nodes: (telephony.real?.nodes() ?? []).map(nodeStatus),
    trunks: (await allTrunks(db)).map(trunkStatus),
    queues,
    lag: {
      jobs_due: due.reduce((sum, { n }) => sum + n, 0),
      jobs_seconds: Math.max(0, ...due.map(({ since }) => waitingSeconds(since))),
      deliveries_seconds: Math.round((await dispatcher.lag()) / second),
      database_requests_waiting: database.pool?.().waiting ?? 0,
    },
  }
}

/** The media of the process that answers; null without the role `calls`. */
async function mediaOf({ real }: Telephony) {
  if (!real) return null
  const { legs, maxLegs = 0, rooms, tickLagMs } = await real.stats()
  return { legs, max_legs: maxLegs, calls: rooms, mixer_delay_ms: Math.round(tickLagMs) }
}

/** Nodes as the process that answers sees them. */
const nodeStatus = ({ id, isRemote, isConnected, isDraining, legs, maxLegs, release }: LineNodeStatus) => ({
  id,
  host: isRemote ? ('other' as const) : ('this' as const),
  // One of this machine is started with the first trunk, device or call.
  state: isDraining ? 'draining' : isConnected ? 'connected' : isRemote ? 'unreachable' : 'not running',
  legs,
  max_legs: maxLegs,
  release,
})

const trunkStatus = ({ id, companyId, name, host, enabled, up, upAt, upDetail }: Trunk) => ({
  id,
  company_id: companyId,
  name,
  host,
  state: !enabled ? 'disabled' : up === null ? 'unknown' : up ? 'up' : 'down',
  since: upAt === null ? null : isoSeconds(upAt),
  last_response: upDetail,
})
