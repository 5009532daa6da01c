import { randomInt } from 'node:crypto'
import { holdForLife, listen } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { granular, isOpenForCalls } from '../domain/availability.ts'
import { sessionsChannel } from '../features/accounts/sign-in/store.ts'
import { findUser } from '../features/accounts/users/store.ts'
import { lastPosition } from '../features/integrations/events/store.ts'
import { parseUtteranceUpdate, utteranceChannel } from '../features/intelligence/realtime/updates.ts'
import { usableTrunks } from '../features/trunks/trunks/store.ts'
import { createSerialQueue } from '../lib/serial-queue.ts'
import { unixSeconds } from '../lib/time-format.ts'
import { ulid } from '../lib/ulid.ts'
import type { BrowserMessage, Browsers, Services } from '../services.ts'
import { callsShown } from './call-views.ts'
import type { DashboardConnection } from './dashboard-connection.ts'
import { createCompanyLogs } from './event-log-readers.ts'
import { createInboxNotifier } from './inbox-notifier.ts'
import { createPhoneSessions, type SessionRef } from './phone-sessions.ts'
import { createRelay, type RelayedMessage } from './process-relay.ts'
import type { IceServer, ServerMessage } from './protocol.ts'
import { phonesOf } from './store.ts'
import { eventFrame, toServerMessage } from './wire-format.ts'

/** A phone app connected to this process. */
export interface PhoneConnection extends SessionRef {
  /** Log position to resume from; undefined for a new session. */
  after: number | undefined
  activeAt: number
  isOpen(): boolean
  /** Sends the first message; messages sent before are queued behind it. */
  sendHello(text: string): void
  /** Resolves when the socket can take more. */
  send(text: string): Promise<void>
  end(reason: EndReason): void
  /** Checks whether the client is still authorized. */
  recheck(): void
}

export type EndReason = 'replaced' | 'taken' | 'unauthorized' | 'failed'

export type SendListener = (companyId: CompanyId, userId: number, message: BrowserMessage) => void

export interface Hub extends Browsers {
  /** Called for every message that this process sends to phone apps, connected or not. */
  onSend(listener: SendListener): void
  start(): Promise<void>
  stop(): Promise<void>
  /** Resolves when nothing is in progress; true if something was. */
  settle(): Promise<boolean>
  /** Opens the session, sends hello and the missed events. */
  connect(phone: PhoneConnection): Promise<void>
  disconnect(phone: PhoneConnection): void
  markActive(phone: PhoneConnection): void
  /** Whether this phone still owns the session; also checks the log for lost notifications. */
  ownsSession(phone: PhoneConnection): Promise<boolean>
  localPhones(companyId: CompanyId, userId: number): readonly PhoneConnection[]
  addDashboard(dashboard: DashboardConnection): void
  removeDashboard(dashboard: DashboardConnection): void
  localDashboards(companyId: CompanyId, userId: number): number
}

export interface HubOptions {
  services: Services
  /** Other processes may use the same data. */
  shared: boolean
  /** STUN and TURN servers with credentials for this user. */
  iceServers?: ((userId: number) => IceServer[]) | undefined
}

export function createHub({ services, shared, iceServers }: HubOptions): Hub {
  const { db, clock, log } = services
  // Key of a lock that ends with this process, so that others notice immediately when it has ended.
  const lifeKey = randomInt(1, 2 ** 31 - 1)
  const me = `${lifeKey}:${ulid(clock.machineNow())}`
  const phones = new Map<number, PhoneConnection[]>()
  const dashboards = new Set<DashboardConnection>()
  const following = new Map<PhoneConnection, () => void>()
  const listeners: SendListener[] = []
  const queue = createSerialQueue()
  const logs = createCompanyLogs(services)
  const inbox = createInboxNotifier({
    services,
    hasConnections: (companyId) =>
      [...phones.values()].some(([phone]) => phone?.companyId === companyId) ||
      [...dashboards].some((dashboard) => dashboard.companyId === companyId),
    send: sendToUsers,
  })
  const relay = createRelay({ services, me, stamp, receive })
  const sessions = createPhoneSessions({
    services,
    me,
    shared,
    isConnected: (ref) => phoneAt(ref) !== undefined,
    onMoved: (owner, { companyId, userId, session }) =>
      relay.send(companyId, owner, { userId, sessions: [session], text: null }),
  })
  let lastStamp = 0
  let stopListening = () => {}

  /** Strictly increasing machine time: orders events within one millisecond. */
  function stamp(): number {
    lastStamp = Math.max(clock.machineNow(), lastStamp + 1)
    return lastStamp
  }

  const localPhones = (companyId: CompanyId, userId: number) =>
    (phones.get(userId) ?? []).filter((phone) => phone.companyId === companyId)

  const phoneAt = ({ companyId, userId, session }: SessionRef) =>
    localPhones(companyId, userId).find((phone) => phone.session === session)

  function forget(phone: PhoneConnection): void {
    following.get(phone)?.()
    following.delete(phone)
    const others = (phones.get(phone.userId) ?? []).filter((one) => one !== phone)
    if (others.length > 0) phones.set(phone.userId, others)
    else phones.delete(phone.userId)
  }

  function receive(companyId: CompanyId, { userId, sessions: names, text }: RelayedMessage): void {
    for (const session of names) {
      const phone = phoneAt({ companyId, userId, session })
      if (!phone) continue
      if (text === null) replace(phone)
      else void phone.send(text)
    }
  }

  /** Sends to the users concerned, and to dashboards that see everything; in this process. */
  function sendToUsers(companyId: CompanyId, concerned: ReadonlySet<number>, text: string): void {
    for (const userId of concerned) for (const phone of localPhones(companyId, userId)) void phone.send(text)
    for (const dashboard of dashboards) {
      if (dashboard.companyId !== companyId) continue
      if (dashboard.seesAll || concerned.has(dashboard.userId)) dashboard.send(text)
    }
  }

  function sendUtterance(payload: string): void {
    const { companyId, callId: call_id, userIds, utterance } = parseUtteranceUpdate(payload)
    const message: ServerMessage = { type: 'utterance', call_id, utterance }
    sendToUsers(companyId, new Set(userIds), JSON.stringify(message))
  }

  /** The user has signed out elsewhere or has lost permissions. */
  function sessionsEnded(whose: string): void {
    const [companyId = 0, userId = 0] = whose.split(':').map(Number)
    for (const phone of localPhones(companyId, userId)) phone.recheck()
    for (const dashboard of dashboards) {
      if (dashboard.companyId === companyId && dashboard.userId === userId) dashboard.recheck()
    }
  }

  /** The session continues on another socket, so closing this one does not end it. */
  function replace(phone: PhoneConnection): void {
    forget(phone)
    phone.end('replaced')
  }

  function deliver(companyId: CompanyId, userId: number, message: BrowserMessage, to: 'all' | 'latest'): void {
    for (const listener of listeners) listener(companyId, userId, message)
    if (!shared) {
      deliverHere(companyId, userId, message, to)
      return
    }
    queue
      .run(`${userId}`, () => deliverEverywhere(companyId, userId, message, to))
      .catch((error) => log.warn({ event: 'live.send_failed', error }, 'message could not be sent to a phone app'))
  }

  function deliverHere(companyId: CompanyId, userId: number, message: BrowserMessage, to: 'all' | 'latest'): void {
    const open = localPhones(companyId, userId).filter((phone) => phone.isOpen())
    const wanted = addressees(open, ({ session }) => session, message, to)
    if (wanted.length === 0) return
    const text = JSON.stringify(toServerMessage(message))
    for (const phone of wanted) void phone.send(text)
  }

  async function deliverEverywhere(
    companyId: CompanyId,
    userId: number,
    message: BrowserMessage,
    to: 'all' | 'latest',
  ): Promise<void> {
    const open = (await phonesOf(db, companyId, userId)).map((session) => {
      const here = session.owner === me ? phoneAt({ companyId, userId, session: session.name }) : undefined
      return { ...session, activeAt: here?.activeAt ?? session.activeAt }
    })
    const wanted = addressees(open, ({ name }) => name, message, to)
    const text = JSON.stringify(toServerMessage(message))
    for (const owner of new Set(wanted.map((session) => session.owner))) {
      const message = { userId, sessions: wanted.filter((one) => one.owner === owner).map(({ name }) => name), text }
      if (owner === me) receive(companyId, message)
      else await relay.send(companyId, owner, message)
    }
  }

  async function hello(
    { companyId, userId, session }: SessionRef,
    position: number,
  ): Promise<ServerMessage | undefined> {
    const user = await findUser(db, companyId, userId)
    if (!user) return undefined
    const presence = granular({ ...user, openForCalls: isOpenForCalls(user, clock.now()) })
    const calls = await callsShown(db, companyId, userId)
    const now = unixSeconds(clock.now())
    const ice_servers = iceServers?.(userId) ?? []
    const trunks = (await usableTrunks(db, companyId)).filter(({ enabled }) => enabled)
    const voice = services.rules.sandbox && trunks.length === 0 ? 'simulated' : 'real'
    const emergency = !services.rules.refusesEmergency && trunks.some((trunk) => trunk.emergency)
    return { type: 'hello', session, user_id: userId, position, presence, now, calls, ice_servers, voice, emergency }
  }

  async function connect(phone: PhoneConnection): Promise<void> {
    const { companyId, userId } = phone
    const before = phoneAt(phone)
    if (before) replace(before)
    phones.set(userId, [...(phones.get(userId) ?? []), phone])
    // Before the session is opened: the phone also receives the events of its own connection.
    const end = await lastPosition(db, companyId)
    if (!(await sessions.open(phone))) return phone.end('taken')
    markActive(phone)
    // A position beyond the end belongs to a log that was restored since.
    const position = Math.min(phone.after ?? end, end)
    const greeting = await hello(phone, position)
    if (!greeting) return phone.end('unauthorized')
    phone.sendHello(JSON.stringify(greeting))
    if (!phone.isOpen()) return
    const reader = {
      companyId,
      userId,
      position,
      isOpen: phone.isOpen,
      onEvent: (event: Parameters<typeof eventFrame>[0]) => phone.send(eventFrame(event)),
      onFailure: () => phone.end('failed'),
    }
    following.set(phone, logs.follow(reader, end))
  }

  function markActive(phone: PhoneConnection): void {
    phone.activeAt = stamp()
    sessions.noteActivity(phone, phone.activeAt)
  }

  return {
    send: (companyId, userId, message, to = 'all') => deliver(companyId, userId, message, to),
    onSend: (listener) => void listeners.push(listener),
    async start() {
      await holdForLife(db, lifeKey)
      logs.start()
      inbox.start()
      const subscriptions = [listen(db, sessionsChannel, sessionsEnded), listen(db, utteranceChannel, sendUtterance)]
      stopListening = () => {
        for (const unsubscribe of subscriptions) unsubscribe()
      }
      if (shared) relay.start()
      await sessions.start()
    },
    async stop() {
      stopListening()
      await inbox.stop()
      await sessions.stop()
      await queue.idle()
      await relay.stop()
      logs.stop()
      await logs.idle()
    },
    async settle() {
      const busy = [
        await sessions.idle(),
        await queue.idle(),
        await relay.idle(),
        await logs.idle(),
        await inbox.idle(),
      ]
      return busy.includes(true)
    },
    connect,
    disconnect(phone) {
      const isLast = phoneAt(phone) === phone
      forget(phone)
      if (isLast) sessions.socketClosed(phone)
    },
    markActive,
    async ownsSession(phone) {
      logs.poll(phone.companyId)
      return sessions.isOwned(phone)
    },
    localPhones,
    addDashboard: (dashboard) => void dashboards.add(dashboard),
    removeDashboard: (dashboard) => void dashboards.delete(dashboard),
    localDashboards: (companyId, userId) =>
      [...dashboards].filter((one) => one.companyId === companyId && one.userId === userId).length,
  }
}

/**
 * An SDP answer goes to the session that offered; other messages go to all sessions, or to the most recently used one.
 */
function addressees<T extends { activeAt: number }>(
  all: readonly T[],
  nameOf: (one: T) => string,
  message: BrowserMessage,
  to: 'all' | 'latest',
): readonly T[] {
  if (message.kind === 'sdp_answer') return all.filter((one) => nameOf(one) === message.session)
  if (to === 'all') return all
  return all.toSorted((a, b) => b.activeAt - a.activeAt).slice(0, 1)
}
