import { livingKeys } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { connectUser, disconnectUser } from '../features/accounts/presence/actions.ts'
import { socketSessions } from '../features/accounts/presence/phone-sessions-store.ts'
import { type Cancel, minute, second } from '../lib/clock.ts'
import { createPeriodicTask } from '../lib/periodic-task.ts'
import { createSerialQueue } from '../lib/serial-queue.ts'
import { ulid } from '../lib/ulid.ts'
import type { Services } from '../services.ts'
import { deleteRelayedMessages, markActive, phoneSessions, takeSession } from './store.ts'

/** Identifies a session of a phone app: the same name is the same session on any socket. */
export interface SessionRef {
  companyId: CompanyId
  userId: number
  session: string
}

/** A phone app, or a window that only supervises calls. */
export interface SocketRef extends SessionRef {
  isSupervision: boolean
}

export interface PhoneSessions {
  start(): Promise<void>
  stop(): Promise<void>
  /** False when the name belongs to a session of another kind. */
  open(ref: SocketRef): Promise<boolean>
  /** The socket has closed; the session ends unless it reconnects within the grace period. */
  socketClosed(ref: SessionRef): void
  /** Saved at most every few seconds. */
  noteActivity(ref: SessionRef, at: number): void
  /** Reopens a session that was closed because this process appeared dead. False when another process owns it. */
  isOwned(ref: SocketRef): Promise<boolean>
  idle(): Promise<boolean>
}

export interface PhoneSessionOptions {
  services: Services
  me: string
  shared: boolean
  isConnected(ref: SessionRef): boolean
  /** The session has moved here from another process. */
  onMoved(owner: string, ref: SessionRef): Promise<void>
}

const graceMs = 10 * second
const activeEveryMs = 3 * second

export function createPhoneSessions(options: PhoneSessionOptions): PhoneSessions {
  const { services, me, shared, isConnected, onMoved } = options
  const { db, clock, log } = services
  const queue = createSerialQueue()
  const leaving = new Map<string, Cancel>()
  const savingActivity = new Map<string, { at: number; cancel: Cancel }>()
  const sweep = createPeriodicTask({
    clock,
    intervalMs: graceMs,
    run: closeStale,
    onError: onStaleError,
  })
  let stopped = false
  let cancelStale: Cancel = () => {}
  /** Processes that had ended at the last check. */
  let ended = new Set<string>()

  async function open({ companyId, userId, session: name, isSupervision }: SocketRef): Promise<boolean> {
    const kind = isSupervision ? 'supervision' : 'socket'
    // Retried when an existing session is being closed at this moment.
    for (let attempt = 0; attempt < 5; attempt++) {
      const at = clock.now()
      const fresh = { id: ulid(clock.machineNow()), userId, name, kind, owner: me, at } as const
      if (await connectUser(services, companyId, fresh)) return true
      const before = (await phoneSessions(db, companyId, userId)).find((one) => one.name === name)
      if (!before) continue
      if (before.kind !== kind) return false
      if (before.owner === me) return true
      if (!(await takeSession(db, companyId, userId, name, before.owner, me))) continue
      if (shared) await onMoved(before.owner, { companyId, userId, session: name })
      return true
    }
    return false
  }

  async function close(ref: SessionRef): Promise<void> {
    if (isConnected(ref) || stopped) return
    savingActivity.get(nameOf(ref))?.cancel()
    savingActivity.delete(nameOf(ref))
    await disconnectUser(services, ref.companyId, ref.userId, ref.session, me)
  }

  function saveActivity(ref: SessionRef, at: number): void {
    const name = nameOf(ref)
    const cancel = clock.machineAfter(activeEveryMs, () => {
      savingActivity.delete(name)
      if (interval.at !== at) saveActivity(ref, interval.at)
    })
    const interval = { at, cancel }
    savingActivity.set(name, interval)
    queue
      .run(name, () => markActive(db, ref.companyId, ref.userId, ref.session, at))
      .catch((error) =>
        log.warn({ event: 'live.activity_not_saved', error }, 'activity of a phone session could not be saved'),
      )
  }

  /** Closes the sessions of processes that had ended a grace period ago: their phone apps reconnect to another one. */
  async function closeStale(): Promise<void> {
    const living = shared ? await livingKeys(db) : new Set<number>()
    const stale = (await socketSessions(db)).filter(({ owner }) => owner !== me && !living.has(lifeKeyOf(owner)))
    for (const { company_id, user_id, name, owner } of stale) {
      if (ended.has(owner)) await disconnectUser(services, company_id, user_id, name, owner)
    }
    ended = new Set(stale.map(({ owner }) => owner))
    if (shared) await deleteRelayedMessages(db, clock.machineNow() - minute)
  }

  function onStaleError(error: unknown): void {
    log.warn({ event: 'live.stale_check_failed', error }, 'sessions of ended processes could not be closed')
  }

  return {
    async start() {
      await closeStale()
      if (shared) sweep.start()
      else cancelStale = clock.machineAfter(graceMs, () => void queue.run('stale', closeStale).catch(onStaleError))
    },
    async stop() {
      stopped = true
      cancelStale()
      for (const cancel of leaving.values()) cancel()
      for (const { cancel } of savingActivity.values()) cancel()
      await sweep.stop()
      await queue.idle()
    },
    open(ref) {
      leaving.get(nameOf(ref))?.()
      leaving.delete(nameOf(ref))
      return queue.run(nameOf(ref), () => open(ref))
    },
    socketClosed(ref) {
      if (stopped) return
      const name = nameOf(ref)
      leaving.get(name)?.()
      const cancel = clock.machineAfter(graceMs, () => {
        leaving.delete(name)
        queue
          .run(name, () => close(ref))
          .catch((error) =>
            log.warn({ event: 'live.session_close_failed', error }, 'phone session could not be closed'),
          )
      })
      leaving.set(name, cancel)
    },
    noteActivity(ref, at) {
      const interval = savingActivity.get(nameOf(ref))
      if (interval) interval.at = at
      else saveActivity(ref, at)
    },
    async isOwned(ref) {
      const session = (await phoneSessions(db, ref.companyId, ref.userId)).find(({ name }) => name === ref.session)
      return session ? session.owner === me : queue.run(nameOf(ref), () => open(ref))
    },
    idle: () => queue.idle(),
  }
}

const nameOf = ({ companyId, userId, session }: SessionRef) => `${companyId}:${userId}:${session}`
const lifeKeyOf = (owner: string) => Number(owner.split(':')[0])
