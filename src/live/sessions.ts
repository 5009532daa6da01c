import { livingKeys } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { connectUser, disconnectUser } from '../features/accounts/presence/actions.ts'
import { socketSessions } from '../features/accounts/presence/phone-sessions-store.ts'
import { type Cancel, minute, second } from '../lib/clock.ts'
import { ulid } from '../lib/ulid.ts'
import type { Services } from '../services.ts'
import { forgetLetters, markActive, phonesOf, takeSession } from './store.ts'
import { createTurns } from './turns.ts'

/** Identifies a session of a phone app: the same name is the same session on any socket. */
export interface Seat {
  companyId: CompanyId
  userId: number
  session: string
}

export interface Sessions {
  start(): Promise<void>
  stop(): Promise<void>
  /** False when the name belongs to a sandbox session. */
  open(seat: Seat): Promise<boolean>
  /** The socket has closed; the session ends unless it reconnects within the grace period. */
  left(seat: Seat): void
  /** Saved at most every few seconds. */
  active(seat: Seat, at: number): void
  /** Reopens a session that was closed because this process appeared dead. False when another process owns it. */
  isKept(seat: Seat): Promise<boolean>
  idle(): Promise<boolean>
}

export interface SessionParts {
  services: Services
  me: string
  shared: boolean
  isTaken(seat: Seat): boolean
  /** The session has moved here from another process. */
  movedFrom(owner: string, seat: Seat): Promise<void>
}

const graceMs = 10 * second
const activeEveryMs = 3 * second

export function createSessions({ services, me, shared, isTaken, movedFrom }: SessionParts): Sessions {
  const { db, clock, log } = services
  const turns = createTurns()
  const leaving = new Map<string, Cancel>()
  const noting = new Map<string, { at: number; cancel: Cancel }>()
  let cancelSweep: Cancel = () => {}
  let sweeping: Promise<void> = Promise.resolve()
  let stopped = false

  async function open({ companyId, userId, session: name }: Seat): Promise<boolean> {
    // Retried when an existing session is being closed at this moment.
    for (let attempt = 0; attempt < 5; attempt++) {
      const at = clock.now()
      const fresh = { id: ulid(clock.machineNow()), userId, name, kind: 'socket', owner: me, at } as const
      if (await connectUser(services, companyId, fresh)) return true
      const before = (await phonesOf(db, companyId, userId)).find((one) => one.name === name)
      if (!before) continue
      if (before.owner === me) return true
      if (!(await takeSession(db, companyId, userId, name, before.owner, me))) continue
      await movedFrom(before.owner, { companyId, userId, session: name })
      return true
    }
    return false
  }

  async function close(seat: Seat): Promise<void> {
    if (isTaken(seat) || stopped) return
    noting.get(nameOf(seat))?.cancel()
    noting.delete(nameOf(seat))
    await disconnectUser(services, seat.companyId, seat.userId, seat.session, me)
  }

  function note(seat: Seat, at: number): void {
    const name = nameOf(seat)
    const cancel = clock.machineAfter(activeEveryMs, () => {
      noting.delete(name)
      if (quiet.at !== at) note(seat, quiet.at)
    })
    const quiet = { at, cancel }
    noting.set(name, quiet)
    turns
      .take(name, () => markActive(db, seat.companyId, seat.userId, seat.session, at))
      .catch((error) =>
        log.warn({ event: 'live.activity_not_saved', error }, 'activity of a phone session could not be saved'),
      )
  }

  /** Closes the sessions of ended processes. */
  async function closeStale(): Promise<void> {
    const living = shared ? await livingKeys(db) : new Set<number>()
    const stale = (await socketSessions(db)).filter(({ owner }) => owner !== me && !living.has(lifeKeyOf(owner)))
    for (const { company_id, user_id, name, owner } of stale) {
      await disconnectUser(services, company_id, user_id, name, owner)
    }
    if (shared) await forgetLetters(db, clock.machineNow() - minute)
  }

  function sweep(): void {
    cancelSweep = clock.machineAfter(graceMs, () => {
      sweeping = closeStale()
        .catch((error) =>
          log.warn({ event: 'live.stale_check_failed', error }, 'sessions of ended processes could not be closed'),
        )
        .finally(() => {
          if (!stopped) sweep()
        })
    })
  }

  return {
    async start() {
      await closeStale()
      if (shared) sweep()
    },
    async stop() {
      stopped = true
      cancelSweep()
      for (const cancel of leaving.values()) cancel()
      for (const { cancel } of noting.values()) cancel()
      await sweeping
      await turns.idle()
    },
    open(seat) {
      leaving.get(nameOf(seat))?.()
      leaving.delete(nameOf(seat))
      return turns.take(nameOf(seat), () => open(seat))
    },
    left(seat) {
      if (stopped) return
      const name = nameOf(seat)
      leaving.get(name)?.()
      const cancel = clock.machineAfter(graceMs, () => {
        leaving.delete(name)
        turns
          .take(name, () => close(seat))
          .catch((error) =>
            log.warn({ event: 'live.session_close_failed', error }, 'phone session could not be closed'),
          )
      })
      leaving.set(name, cancel)
    },
    active(seat, at) {
      const quiet = noting.get(nameOf(seat))
      if (quiet) quiet.at = at
      else note(seat, at)
    },
    async isKept(seat) {
      const session = (await phonesOf(db, seat.companyId, seat.userId)).find(({ name }) => name === seat.session)
      return session ? session.owner === me : turns.take(nameOf(seat), () => open(seat))
    },
    idle: () => turns.idle(),
  }
}

const nameOf = ({ companyId, userId, session }: Seat) => `${companyId}:${userId}:${session}`
const lifeKeyOf = (owner: string) => Number(owner.split(':')[0])
