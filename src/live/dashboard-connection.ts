import type { WebSocket } from 'ws'
import type { CompanyId } from '../db/tables.ts'
import { maySeeAll } from '../features/accounts/credentials/roles.ts'
import type { Caller } from '../http/caller.ts'
import { forbidden, tooManyRequests } from '../http/errors.ts'
import { requireCompany } from '../http/route.ts'
import { second } from '../lib/clock.ts'
import { every } from '../lib/every.ts'
import type { Services } from '../services.ts'
import type { SocketHub } from './hub.ts'
import { isStillAuthorized, type SocketIdentity } from './socket-auth.ts'

/** A dashboard: receives notifications about conversations and transcripts; it is not a phone and sends nothing. */
export interface DashboardConnection {
  companyId: CompanyId
  userId: number
  /** Also receives what does not concern the user. */
  seesAll: boolean
  send(text: string): void
  recheck(): void
}

const heartbeatMs = 20 * second
const maxPerUser = 20
const maxBufferedBytes = 256 * 1024

export function dashboardIdentity(hub: SocketHub, caller: Caller): SocketIdentity & { seesAll: boolean } {
  const { companyId, via } = caller
  requireCompany(caller)
  if (via.kind !== 'session') throw forbidden('Only people who are signed in watch')
  const { userId } = via
  if (hub.localDashboards(companyId, userId) >= maxPerUser) {
    throw tooManyRequests(`A user has at most ${maxPerUser} dashboards open; close one first`, 10)
  }
  return { companyId, userId, session: '', isSupervision: false, after: undefined, via, seesAll: maySeeAll(caller) }
}

export function connectDashboard(
  services: Services,
  hub: SocketHub,
  socket: WebSocket,
  identity: SocketIdentity & { seesAll: boolean },
): void {
  const { clock, log } = services
  let isAlive = true

  const dashboard: DashboardConnection = {
    companyId: identity.companyId,
    userId: identity.userId,
    seesAll: identity.seesAll,
    send(text) {
      if (socket.readyState !== socket.OPEN) return
      // A client this far behind recovers faster by reconnecting and reloading.
      if (socket.bufferedAmount > maxBufferedBytes) socket.terminate()
      else socket.send(text)
    },
    recheck: () =>
      void check().catch((error) =>
        log.warn({ event: 'live.recheck_failed', error }, 'authorization of a dashboard could not be checked'),
      ),
  }

  async function check(): Promise<void> {
    if (!(await isStillAuthorized(services, identity))) socket.close(1008, 'not allowed any more')
  }

  // RFC 6455 §7.4.1: messages are not accepted here.
  socket.on('message', () => socket.close(1003, 'a dashboard only listens'))
  socket.on('pong', () => {
    isAlive = true
  })
  // The `close` event follows.
  socket.on('error', () => {})
  const cancelHeartbeat = every(clock, heartbeatMs, () => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
    dashboard.recheck()
  })
  socket.on('close', () => {
    cancelHeartbeat()
    hub.removeDashboard(dashboard)
  })
  hub.addDashboard(dashboard)
}
