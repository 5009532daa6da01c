import { randomInt } from 'node:crypto'
import { holdForLife, listen } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { granular, isOpenForCalls } from '../domain/availability.ts'
import { sessionsChannel } from '../features/accounts/sign-in/store.ts'
import { findUser } from '../features/accounts/users/store.ts'
import { lastPosition } from '../features/integrations/events/store.ts'
import { parseUtteranceUpdate, utteranceChannel } from '../features/intelligence/realtime/updates.ts'
import { usableTrunks } from '../features/trunks/trunks/store.ts'
import { unixSeconds } from '../lib/time-format.ts'
import { ulid } from '../lib/ulid.ts'
import type { BrowserMessage, Browsers, Services } from '../services.ts'
import { callsShown } from './calls-shown.ts'
import { createCompanyLogs } from './company-log.ts'
import { createInboxEars } from './inbox.ts'
import type { IceServer, ServerMessage } from './protocol.ts'
import { createRelay, type Parcel } from './relay.ts'
import { createSessions, type Seat } from './sessions.ts'
import { phonesOf } from './store.ts'
import { createTurns } from './turns.ts'
import type { Watcher } from './watcher.ts'
import { eventText, wordingOf } from './wording.ts'

/** A phone app connected to this process. */
export interface Phone extends Seat {
  /** Log position to resume from; undefined for a new session. */
  after: number | undefined
  activeAt: number
  isOpen(): boolean
  /** Sends the first message; messages sent before are queued behind it. */
  greet(text: string): void
  /** Resolves when the socket can take more. */
  say(text: string): Promise<void>
  end(reason: EndReason): void
  /** Checks whether the client is still authorized. */
  review(): void
}

export type EndReason = 'replaced' | 'taken' | 'unwelcome' | 'failed'

export type Listener = (companyId: CompanyId, userId: number, message: BrowserMessage) => void

export interface Hub extends Browsers {
  /** Called for every message that this process sends to phone apps, connected or not. */
  onTell(hear: Listener): void
  start(): Promise<void>
  stop(): Promise<void>
  /** Resolves when nothing is in progress; true if something was. */
  settle(): Promise<boolean>
  /** Opens the session, sends hello and the missed events. */
  enter(phone: Phone): Promise<void>
  leave(phone: Phone): void
  active(phone: Phone): void
  /** Whether this phone still owns the session; also checks the log for lost notifications. */
  check(phone: Phone): Promise<boolean>
  phonesHere(companyId: CompanyId, userId: number): readonly Phone[]
  watch(watcher: Watcher): void
  unwatch(watcher: Watcher): void
  watchersHere(companyId: CompanyId, userId: number): number
}

export interface HubParts {
  services: Services
  /** Other processes may use the same data. */
  shared: boolean
  /** STUN and TURN servers with credentials for this user. */
  iceServers?: ((userId: number) => IceServer[]) | undefined
}

export function createHub({ services, shared, iceServers }: HubParts): Hub {
  const { db, clock, log } = services
  // Key of a lock that ends with this process, so that others notice immediately when it has ended.
  const lifeKey = randomInt(1, 2 ** 31 - 1)
  const me = `${lifeKey}:${ulid(clock.machineNow())}`
  const phones = new Map<number, Phone[]>()
  const watchers = new Set<Watcher>()
  const following = new Map<Phone, () => void>()
  const listeners: Listener[] = []
  const turns = createTurns()
  const logs = createCompanyLogs(services)
  const inbox = createInboxEars({
    services,
    isAnybodyHere: (companyId) =>
      [...phones.values()].some(([phone]) => phone?.companyId === companyId) ||
      [...watchers].some((watcher) => watcher.companyId === companyId),
    tell: tellConcerned,
  })
  const relay = createRelay({ services, me, stamp, receive })
  const sessions = createSessions({
    services,
    me,
    shared,
    isTaken: (seat) => phoneAt(seat) !== undefined,
    movedFrom: (owner, { companyId, userId, session }) =>
      relay.send(companyId, owner, { userId, sessions: [session], text: null }),
  })
  let lastStamp = 0
  let stopListening = () => {}

  /** Strictly increasing machine time: orders events within one millisecond. */
  function stamp(): number {
    lastStamp = Math.max(clock.machineNow(), lastStamp + 1)
    return lastStamp
  }

  const phonesHere = (companyId: CompanyId, userId: number) =>
    (phones.get(userId) ?? []).filter((phone) => phone.companyId === companyId)

  const phoneAt = ({ companyId, userId, session }: Seat) =>
    phonesHere(companyId, userId).find((phone) => phone.session === session)

  function forget(phone: Phone): void {
    following.get(phone)?.()
    following.delete(phone)
    const others = (phones.get(phone.userId) ?? []).filter((one) => one !== phone)
    if (others.length > 0) phones.set(phone.userId, others)
    else phones.delete(phone.userId)
  }

  function receive(companyId: CompanyId, { userId, sessions: names, text }: Parcel): void {
    for (const session of names) {
      const phone = phoneAt({ companyId, userId, session })
      if (!phone) continue
      if (text === null) replace(phone)
      else void phone.say(text)
    }
  }

  /** Sends to the users concerned, and to dashboards that see everything; in this process. */
  function tellConcerned(companyId: CompanyId, concerned: ReadonlySet<number>, text: string): void {
    for (const userId of concerned) for (const phone of phonesHere(companyId, userId)) void phone.say(text)
    for (const watcher of watchers) {
      if (watcher.companyId !== companyId) continue
      if (watcher.seesAll || concerned.has(watcher.userId)) watcher.say(text)
    }
  }

  function tellUtterance(payload: string): void {
    const { companyId, callId: call_id, userIds, utterance } = parseUtteranceUpdate(payload)
    const message: ServerMessage = { type: 'utterance', call_id, utterance }
    tellConcerned(companyId, new Set(userIds), JSON.stringify(message))
  }

  /** The user has signed out elsewhere or has lost permissions. */
  function sessionsEnded(whose: string): void {
    const [companyId = 0, userId = 0] = whose.split(':').map(Number)
    for (const phone of phonesHere(companyId, userId)) phone.review()
    for (const watcher of watchers) {
      if (watcher.companyId === companyId && watcher.userId === userId) watcher.review()
    }
  }

  /** The session continues on another socket, so closing this one does not end it. */
  function replace(phone: Phone): void {
    forget(phone)
    phone.end('replaced')
  }

  function deliver(companyId: CompanyId, userId: number, message: BrowserMessage, to: 'all' | 'latest'): void {
    for (const hear of listeners) hear(companyId, userId, message)
    if (!shared) {
      deliverHere(companyId, userId, message, to)
      return
    }
    turns
      .take(`${userId}`, () => deliverEverywhere(companyId, userId, message, to))
      .catch((error) => log.warn({ event: 'live.send_failed', error }, 'message could not be sent to a phone app'))
  }

  function deliverHere(companyId: CompanyId, userId: number, message: BrowserMessage, to: 'all' | 'latest'): void {
    const open = phonesHere(companyId, userId).filter((phone) => phone.isOpen())
    const wanted = addressees(open, ({ session }) => session, message, to)
    if (wanted.length === 0) return
    const text = JSON.stringify(wordingOf(message))
    for (const phone of wanted) void phone.say(text)
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
    const text = JSON.stringify(wordingOf(message))
    for (const owner of new Set(wanted.map((session) => session.owner))) {
      const parcel = { userId, sessions: wanted.filter((one) => one.owner === owner).map(({ name }) => name), text }
      if (owner === me) receive(companyId, parcel)
      else await relay.send(companyId, owner, parcel)
    }
  }

  async function hello({ companyId, userId, session }: Seat, position: number): Promise<ServerMessage | undefined> {
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

  async function enter(phone: Phone): Promise<void> {
    const { companyId, userId } = phone
    const before = phoneAt(phone)
    if (before) replace(before)
    phones.set(userId, [...(phones.get(userId) ?? []), phone])
    // Before the session is opened: the phone also receives the events of its own connection.
    const end = await lastPosition(db, companyId)
    if (!(await sessions.open(phone))) return phone.end('taken')
    active(phone)
    // A position beyond the end belongs to a log that was restored since.
    const position = Math.min(phone.after ?? end, end)
    const greeting = await hello(phone, position)
    if (!greeting) return phone.end('unwelcome')
    phone.greet(JSON.stringify(greeting))
    if (!phone.isOpen()) return
    const reader = {
      companyId,
      userId,
      position,
      isOpen: phone.isOpen,
      hear: (event: Parameters<typeof eventText>[0]) => phone.say(eventText(event)),
      lost: () => phone.end('failed'),
    }
    following.set(phone, logs.follow(reader, end))
  }

  function active(phone: Phone): void {
    phone.activeAt = stamp()
    sessions.active(phone, phone.activeAt)
  }

  return {
    tell: (companyId, userId, message, to = 'all') => deliver(companyId, userId, message, to),
    onTell: (hear) => void listeners.push(hear),
    async start() {
      await holdForLife(db, lifeKey)
      logs.start()
      inbox.start()
      const subscriptions = [listen(db, sessionsChannel, sessionsEnded), listen(db, utteranceChannel, tellUtterance)]
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
      await turns.idle()
      await relay.stop()
      logs.stop()
      await logs.idle()
    },
    async settle() {
      const busy = [
        await sessions.idle(),
        await turns.idle(),
        await relay.idle(),
        await logs.idle(),
        await inbox.idle(),
      ]
      return busy.includes(true)
    },
    enter,
    leave(phone) {
      const isLast = phoneAt(phone) === phone
      forget(phone)
      if (isLast) sessions.left(phone)
    },
    active,
    async check(phone) {
      logs.look(phone.companyId)
      return sessions.isKept(phone)
    },
    phonesHere,
    watch: (watcher) => void watchers.add(watcher),
    unwatch: (watcher) => void watchers.delete(watcher),
    watchersHere: (companyId, userId) =>
      [...watchers].filter((one) => one.companyId === companyId && one.userId === userId).length,
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
