import type { WebSocket } from 'ws'
import { seenEvery } from '../features/accounts/credentials/store.ts'
import { second } from '../lib/clock.ts'
import { every } from '../lib/every.ts'
import { createSerialQueue } from '../lib/serial-queue.ts'
import type { Services } from '../services.ts'
import type { DisconnectReason, PhoneConnection, SocketHub } from './hub.ts'
import { handleRequest, isForged, type RequestOutcome } from './phone-requests.ts'
import type { ReplyMessage } from './protocol.ts'
import { isStillAuthorized, type SocketIdentity, touchSession } from './socket-auth.ts'

const heartbeatMs = 20 * second
const maxPerSecond = 50
const maxBufferedBytes = 1024 * 1024
const backpressureBytes = 256 * 1024

/** RFC 6455 §7.4.1, and one code of our own from the private range. */
const ends: Record<DisconnectReason | 'binary' | 'flood' | 'forged', [code: number, why: string]> = {
  replaced: [4001, 'the session has come back over another socket'],
  taken: [1008, 'the name of the session belongs to one of another kind; choose another'],
  unauthorized: [1008, 'not allowed any more'],
  failed: [1011, 'come back, and go on where you were'],
  binary: [1003, 'only JSON objects in text frames are read'],
  forged: [1008, 'the phone app of a person does not ask for this'],
  flood: [1008, `more than ${maxPerSecond} messages in a second`],
}

/** A phone app on a socket: outgoing messages, requests, and keep-alive. */
export function connectPhone(services: Services, hub: SocketHub, socket: WebSocket, identity: SocketIdentity): void {
  const { clock, log } = services
  const { companyId, userId, session, isSupervision } = identity
  const user = { services, companyId, userId, session, isSupervision }
  const queue = createSerialQueue()
  let waiting: string[] | undefined = []
  let isAlive = true
  let usedAt = clock.machineNow()
  let lately = { since: clock.steadyNow(), messages: 0 }

  const isOpen = () => socket.readyState === socket.OPEN
  const end = (why: keyof typeof ends) => socket.close(...ends[why])

  function send(text: string): Promise<void> {
    if (!isOpen()) return Promise.resolve()
    // A client this far behind recovers faster by reconnecting.
    if (socket.bufferedAmount > maxBufferedBytes) {
      socket.terminate()
      return Promise.resolve()
    }
    const sent = new Promise<void>((resolve) => socket.send(text, () => resolve()))
    return socket.bufferedAmount > backpressureBytes ? sent : Promise.resolve()
  }

  const phone: PhoneConnection = {
    companyId,
    userId,
    session,
    isSupervision,
    after: identity.after,
    activeAt: 0,
    isOpen,
    sendHello(text) {
      const queued = waiting ?? []
      waiting = undefined
      for (const one of [text, ...queued]) void send(one)
    },
    async send(text) {
      if (waiting) waiting.push(text)
      else await send(text)
    },
    end,
    recheck: () =>
      void check().catch((error) =>
        log.warn({ event: 'live.recheck_failed', error }, 'authorization of a phone app could not be checked'),
      ),
  }

  async function check(): Promise<void> {
    if (!(await isStillAuthorized(services, identity))) end('unauthorized')
    else if (isOpen() && !(await hub.ownsSession(phone))) end('replaced')
  }

  function markInUse(): void {
    hub.markActive(phone)
    if (clock.machineNow() - usedAt < seenEvery) return
    usedAt = clock.machineNow()
    touchSession(services, identity).catch((error) =>
      log.warn({ event: 'live.session_touch_failed', error }, 'session activity could not be saved'),
    )
  }

  function isFlood(): boolean {
    const now = clock.steadyNow()
    if (now - lately.since >= 1_000) lately = { since: now, messages: 0 }
    lately.messages += 1
    return lately.messages > maxPerSecond
  }

  async function handle(message: Record<string, unknown>): Promise<void> {
    const { id } = message
    if (id !== undefined && !Number.isSafeInteger(id)) return reply(null, refusal('`id` must be an Integer'))
    if (!(await isStillAuthorized(services, identity))) return end('unauthorized')
    if (identity.via.kind === 'session' && isForged(user, message)) return end('forged')
    const outcome = await handleRequest(user, message).catch((error) => {
      log.error({ event: 'live.request_failed', error, type: message.type }, 'request of a phone app failed')
      return refusal('Something went wrong on our side; try again')
    })
    if (typeof id === 'number' || !outcome.ok) await reply(typeof id === 'number' ? id : null, outcome)
  }

  const reply = (id: number | null, outcome: RequestOutcome) => phone.send(JSON.stringify(replyOf(id, outcome)))

  socket.on('message', (data, isBinary) => {
    if (!isOpen()) return
    if (isFlood()) return end('flood')
    const message = isBinary ? undefined : parseObject(data.toString())
    if (!message) return end('binary')
    // Apps request the calls automatically, which is no user activity.
    if (message.type !== 'calls') markInUse()
    queue
      .run('requests', () => handle(message))
      .catch((error) => log.warn({ event: 'live.reply_failed', error }, 'request of a phone app could not be answered'))
  })
  socket.on('pong', () => {
    isAlive = true
  })
  // The `close` event follows.
  socket.on('error', () => {})

  const cancelHeartbeat = every(clock, heartbeatMs, () => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
    phone.recheck()
  })
  const connecting = hub.connect(phone).catch((error) => {
    log.error({ event: 'live.connect_failed', error }, 'phone app could not be connected')
    end('failed')
  })
  socket.on('close', async () => {
    cancelHeartbeat()
    await connecting
    hub.disconnect(phone)
  })
}

const refusal = (why: string): RequestOutcome => ({ ok: false, refused: 'state', why })

function replyOf(id: number | null, outcome: RequestOutcome): ReplyMessage {
  if (!outcome.ok) return { type: 'reply', id, ok: false, why: outcome.why }
  if ('calls' in outcome) return { type: 'reply', id, ok: true, now: outcome.now, calls: outcome.calls }
  const call = 'key' in outcome ? { key: outcome.key, call_id: outcome.callId } : {}
  return { type: 'reply', id, ok: true, ...call }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
