import type { WebSocket } from 'ws'
import type { CompanyId } from '../db/tables.ts'
import { maySeeAll } from '../features/accounts/credentials/roles.ts'
import type { Caller } from '../http/caller.ts'
import { forbidden, tooManyRequests } from '../http/errors.ts'
import { requireCompany } from '../http/route.ts'
import { type Cancel, second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import { type Entry, isStillWelcome } from './door.ts'
import type { Hub } from './hub.ts'

/** A dashboard: receives notifications about conversations and transcripts; it is not a phone and sends nothing. */
export interface Watcher {
  companyId: CompanyId
  userId: number
  /** Also receives what does not concern the user. */
  seesAll: boolean
  say(text: string): void
  review(): void
}

const beatMs = 20 * second
const maxPerUser = 20
const maxUnsent = 256 * 1024

export function watcherEntry(hub: Hub, caller: Caller): Entry & { seesAll: boolean } {
  const { companyId, via } = caller
  requireCompany(caller)
  if (via.kind !== 'session') throw forbidden('Only people who are signed in watch')
  const { userId } = via
  if (hub.watchersHere(companyId, userId) >= maxPerUser) {
    throw tooManyRequests(`A user has at most ${maxPerUser} dashboards open; close one first`, 10)
  }
  return { companyId, userId, session: '', after: undefined, via, seesAll: maySeeAll(caller) }
}

export function connectWatcher(
  services: Services,
  hub: Hub,
  socket: WebSocket,
  entry: Entry & { seesAll: boolean },
): void {
  const { clock, log } = services
  let isAlive = true
  let cancelBeat: Cancel = () => {}

  const watcher: Watcher = {
    companyId: entry.companyId,
    userId: entry.userId,
    seesAll: entry.seesAll,
    say(text) {
      if (socket.readyState !== socket.OPEN) return
      // A client this far behind recovers faster by reconnecting and reloading.
      if (socket.bufferedAmount > maxUnsent) socket.terminate()
      else socket.send(text)
    },
    review: () =>
      void check().catch((error) =>
        log.warn({ event: 'live.recheck_failed', error }, 'authorization of a dashboard could not be checked'),
      ),
  }

  async function check(): Promise<void> {
    if (!(await isStillWelcome(services, entry))) socket.close(1008, 'not allowed any more')
  }

  function beat(): void {
    cancelBeat = clock.machineAfter(beatMs, () => {
      if (!isAlive) return socket.terminate()
      isAlive = false
      socket.ping()
      beat()
      watcher.review()
    })
  }

  // RFC 6455 §7.4.1: messages are not accepted here.
  socket.on('message', () => socket.close(1003, 'a dashboard only listens'))
  socket.on('pong', () => {
    isAlive = true
  })
  // The `close` event follows.
  socket.on('error', () => {})
  socket.on('close', () => {
    cancelBeat()
    hub.unwatch(watcher)
  })
  beat()
  hub.watch(watcher)
}
