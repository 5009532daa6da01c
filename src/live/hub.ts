import { randomInt } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { holdForLife, listen } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { sessionsChannel } from '../features/accounts/sign-in/store.ts'
import { lastPosition } from '../features/integrations/events/store.ts'
import { parseUtteranceUpdate, utteranceChannel } from '../features/intelligence/realtime/updates.ts'
import type { Clock } from '../lib/clock.ts'
import { ulid } from '../lib/ulid.ts'
import type { LiveHub, PhoneMessage, Services } from '../services.ts'
import { type ConnectedApps, createConnectedApps } from './connected-apps.ts'
import type { DashboardConnection } from './dashboard-connection.ts'
import { createCompanyLogs } from './event-log-readers.ts'
import { helloFor, type IceServers } from './hello.ts'
import { createInboxNotifier } from './inbox-notifier.ts'
import { createPhoneMessages } from './phone-messages.ts'
import { createPhoneSessions, type SocketRef } from './phone-sessions.ts'
import { createRelay, type RelayedMessage } from './process-relay.ts'
import type { ServerMessage } from './protocol.ts'
import { eventFrame } from './wire-format.ts'

/** A phone app connected to this process. */
export interface PhoneConnection extends SocketRef {
  /** Log position to resume from; undefined for a new session. */
  after: number | undefined
  activeAt: number
  isOpen(): boolean
  /** Sends the first message; messages sent before are queued behind it. */
  sendHello(text: string): void
  /** Resolves when the socket can take more. */
  send(text: string): Promise<void>
  end(reason: DisconnectReason): void
  /** Checks whether the client is still authorized. */
  recheck(): void
}

export type DisconnectReason = 'replaced' | 'taken' | 'unauthorized' | 'failed'

export type SendListener = (companyId: CompanyId, userId: number, message: PhoneMessage) => void

/** The WebSocket connections of phone apps and dashboards to this process. */
export interface SocketHub extends LiveHub {
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
  /** Connections to this process. */
  counts: ConnectedApps['counts']
}

export interface SocketHubOptions {
  services: Services
  /** Other processes may use the same data. */
  shared: boolean
  /** STUN and TURN servers with credentials for this user. */
  iceServers?: IceServers | undefined
}

export function createSocketHub(options: SocketHubOptions): SocketHub {
  const { services, shared, iceServers } = options
  const { db, clock } = services
  const following = new Map<PhoneConnection, () => void>()
  const listeners: SendListener[] = []
  const stamp = createStamp(clock)
  const { lifeKey, apps, logs, inbox, relay, sessions, messages } = createParts(options, stamp, receive)
  let stopListening = () => {}

  function forget(phone: PhoneConnection): void {
    following.get(phone)?.()
    following.delete(phone)
    apps.removePhone(phone)
  }

  function receive(companyId: CompanyId, { userId, sessions: names, text }: RelayedMessage): void {
    for (const session of names) {
      const phone = apps.phoneAt({ companyId, userId, session })
      if (!phone) continue
      if (text === null) replace(phone)
      else void phone.send(text)
    }
  }

  /** The session continues on another socket, so closing this one does not end it. */
  function replace(phone: PhoneConnection): void {
    forget(phone)
    phone.end('replaced')
  }

  async function connect(phone: PhoneConnection): Promise<void> {
    const { companyId, userId } = phone
    const before = apps.phoneAt(phone)
    if (before) replace(before)
    apps.addPhone(phone)
    // Before the session is opened: the phone also receives the events of its own connection.
    const end = await lastPosition(db, companyId)
    if (!(await sessions.open(phone))) return phone.end('taken')
    markActive(phone)
    // A position beyond the end belongs to a log that was restored since.
    const position = Math.min(phone.after ?? end, end)
    const greeting = await helloFor(services, phone, position, iceServers)
    if (!greeting) return phone.end('unauthorized')
    phone.sendHello(JSON.stringify(greeting))
    if (!phone.isOpen()) return
    const reader = {
      companyId,
      userId,
      position,
      isOpen: phone.isOpen,
      onEvent: (event: Parameters<typeof eventFrame>[0]) => phone.send(eventFrame(event)),
      onToDo: () => void phone.send(JSON.stringify({ type: 'to_do' } satisfies ServerMessage)),
      onFailure: () => phone.end('failed'),
    }
    following.set(phone, logs.follow(reader, end))
  }

  function markActive(phone: PhoneConnection): void {
    phone.activeAt = stamp()
    sessions.noteActivity(phone, phone.activeAt)
  }

  return {
    send(companyId, userId, message, to = 'all') {
      for (const listener of listeners) listener(companyId, userId, message)
      messages.send(companyId, userId, message, to)
    },
    onSend: (listener) => void listeners.push(listener),
    async start() {
      await holdForLife(db, lifeKey)
      logs.start()
      inbox.start()
      stopListening = listenForUpdates(db, apps)
      if (shared) relay.start()
      await sessions.start()
    },
    async stop() {
      stopListening()
      await inbox.stop()
      await sessions.stop()
      await messages.idle()
      await relay.stop()
      logs.stop()
      await logs.idle()
    },
    async settle() {
      const busy = [
        await sessions.idle(),
        await messages.idle(),
        await relay.idle(),
        await logs.idle(),
        await inbox.idle(),
      ]
      return busy.includes(true)
    },
    connect,
    disconnect(phone) {
      const isLast = apps.phoneAt(phone) === phone
      forget(phone)
      if (isLast) sessions.socketClosed(phone)
    },
    markActive,
    async ownsSession(phone) {
      logs.poll(phone.companyId)
      return sessions.isOwned(phone)
    },
    localPhones: apps.phonesOf,
    addDashboard: apps.addDashboard,
    removeDashboard: apps.removeDashboard,
    counts: apps.counts,
    localDashboards: (companyId, userId) => apps.dashboardsOf(companyId, userId).length,
  }
}

/** `receive` handles a message for phone apps of this process. */
function createParts(
  { services, shared }: SocketHubOptions,
  stamp: () => number,
  receive: (companyId: CompanyId, message: RelayedMessage) => void,
) {
  // Key of a lock that ends with this process, so that others notice immediately when it has ended.
  const lifeKey = randomInt(1, 2 ** 31 - 1)
  const me = `${lifeKey}:${ulid(services.clock.machineNow())}`
  const apps = createConnectedApps()
  const logs = createCompanyLogs(services)
  const inbox = createInboxNotifier({ services, hasConnections: apps.hasAny, send: apps.sendToUsers })
  const relay = createRelay({ services, me, stamp, receive })
  const sessions = createPhoneSessions({
    services,
    me,
    shared,
    isConnected: (ref) => apps.phoneAt(ref) !== undefined,
    onMoved: (owner, { companyId, userId, session }) =>
      relay.send(companyId, owner, { userId, sessions: [session], text: null }),
  })
  const messages = createPhoneMessages({ services, me, shared, apps, relay, receive })
  return { lifeKey, apps, logs, inbox, relay, sessions, messages }
}

/** Notifications of all processes: sessions that have ended, and utterances of real-time transcription. */
function listenForUpdates(db: Db, apps: ConnectedApps): () => void {
  const subscriptions = [
    listen(db, sessionsChannel, (whose) => {
      const [companyId = 0, userId = 0] = whose.split(':').map(Number)
      apps.recheck(companyId, userId)
    }),
    listen(db, utteranceChannel, (payload) => {
      const { companyId, callId: call_id, userIds, utterance } = parseUtteranceUpdate(payload)
      const message: ServerMessage = { type: 'utterance', call_id, utterance }
      apps.sendToUsers(companyId, new Set(userIds), JSON.stringify(message))
    }),
  ]
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe()
  }
}

/** Strictly increasing machine time: orders events within one millisecond. */
function createStamp(clock: Clock): () => number {
  let last = 0
  return () => {
    last = Math.max(clock.machineNow(), last + 1)
    return last
  }
}
