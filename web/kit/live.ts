import type { ClientMessage, ServerMessage } from '../../src/live/protocol.ts'
import { inCall } from './in-call.ts'
import { reach } from './reach.ts'
import { tabStorage } from './storage.ts'
import { onWake } from './wake.ts'

// The WebSocket of the phone app. It reconnects until it succeeds; the server then sends the events that were missed.

export type Connection = 'connecting' | 'open' | 'lost' | 'replaced'

type Reply = Extract<ServerMessage, { type: 'reply' }>
/** A request without its id, which `ask` adds. */
export type Request = ClientMessage extends infer M ? (M extends unknown ? Omit<M, 'id'> : never) : never

export interface LiveConnection {
  /** Resolves with the server's reply; rejects when the connection ends first. */
  ask(request: Request): Promise<Reply>
  /** Connects again after the same phone was opened in another window. */
  reopen(): void
  /** Reconnects now instead of at the end of the back-off. */
  hurry(): void
  close(): void
}

export interface LiveOptions {
  /** Identifies the phone across reconnects. */
  session: string
  /** Supervises calls only: the user does not become available, and no call rings here. */
  isSupervision?: boolean
  onMessage(message: ServerMessage): void
  onConnection(connection: Connection): void
}

const firstWaitMs = 300
const maxWaitMs = 10_000
/** During a call, whose buttons depend on the connection. */
const maxWaitInCallMs = 1_500
/** A dead connection is detected by the missing reply to this request. */
const keepAliveIntervalMs = 20_000
const keepAliveTimeoutMs = 8_000
/** Shorter after the machine woke up, because most connections are dead then. */
const wakeTimeoutMs = 3_000
/** On a network that drops packets the browser itself would try for minutes. */
const connectTimeoutMs = 10_000
const activeIntervalMs = 5_000
const keepAliveId = 0
const gestures = ['pointerdown', 'keydown', 'focus'] as const

export function openLive({ session, isSupervision = false, onMessage, onConnection }: LiveOptions): LiveConnection {
  const pending = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>()
  let socket: WebSocket | undefined
  let position: number | undefined
  let attempts = 0
  let lastId = 0
  let isClosed = false
  let isReplaced = false
  let probe = (_timeoutMs: number) => {}
  let timer: number | undefined
  let keepAlive: number | undefined

  function connect() {
    const mine = new WebSocket(addressOf(session, isSupervision, position))
    let isGreeted = false
    let isReplyDue = false
    socket = mine
    onConnection('connecting')
    mine.onmessage = ({ data }) => {
      const message = JSON.parse(data) as ServerMessage
      isReplyDue = false
      if (message.type === 'hello') {
        isGreeted = true
        attempts = 0
        position ??= message.position
        onConnection('open')
      }
      if (message.type === 'event') position = message.position
      // The reply to a keep-alive lists the calls and is handled like an event, in case one was missed.
      if (message.type === 'reply' && message.id !== null && message.id !== keepAliveId) {
        pending.get(message.id)?.resolve(message)
        pending.delete(message.id)
        return
      }
      onMessage(message)
    }
    const onClosed = (code: number) => {
      mine.onclose = null
      mine.onmessage = null
      window.clearInterval(keepAlive)
      window.clearTimeout(connectTimer)
      for (const { reject } of pending.values()) reject(new Error('Connection lost. Reconnecting…'))
      pending.clear()
      if (isClosed || socket !== mine) return
      // 4001: the same phone was opened in another window. Two windows that reconnect would replace each other forever.
      isReplaced = code === 4001
      if (isReplaced) return onConnection('replaced')
      onConnection('lost')
      reach.suspect()
      const wait = Math.min(firstWaitMs * 2 ** attempts++, inCall.get() ? maxWaitInCallMs : maxWaitMs)
      timer = window.setTimeout(connect, wait * (0.75 + Math.random() / 2))
    }
    const end = () => {
      if (socket !== mine || mine.onclose === null) return
      mine.close()
      // Without a network the closing handshake takes a minute.
      onClosed(1006)
    }
    mine.onclose = ({ code }) => onClosed(code)
    const connectTimer = window.setTimeout(() => !isGreeted && end(), connectTimeoutMs)
    probe = (timeoutMs) => {
      if (mine.readyState !== WebSocket.OPEN) return
      isReplyDue = true
      mine.send(JSON.stringify({ id: keepAliveId, type: 'calls' }))
      window.setTimeout(() => isReplyDue && end(), timeoutMs)
    }
    window.clearInterval(keepAlive)
    keepAlive = window.setInterval(() => probe(keepAliveTimeoutMs), keepAliveIntervalMs)
  }

  /** The network is back, or the machine woke up: a lost connection is opened at once, an open one is probed. */
  const hurry = () => {
    if (isClosed || isReplaced || !reach.isReachable()) return
    if (socket?.readyState === WebSocket.OPEN) return probe(wakeTimeoutMs)
    if (socket?.readyState === WebSocket.CONNECTING) return
    window.clearTimeout(timer)
    attempts = 0
    connect()
  }
  const stops = [reach.watch(hurry), onWake(hurry)]

  /** The server sends messages that are for one phone only to the phone used last. */
  let activeSentAt = 0
  const onGesture = () => {
    if (socket?.readyState !== WebSocket.OPEN || Date.now() - activeSentAt < activeIntervalMs) return
    activeSentAt = Date.now()
    socket.send(JSON.stringify({ type: 'active' }))
  }
  for (const name of gestures) window.addEventListener(name, onGesture)
  connect()

  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (socket?.readyState !== WebSocket.OPEN) return reject(new Error('Not connected. Reconnecting…'))
        const id = ++lastId
        pending.set(id, { resolve, reject })
        socket.send(JSON.stringify({ id, ...request }))
      }),
    hurry,
    reopen() {
      window.clearTimeout(timer)
      attempts = 0
      isReplaced = false
      connect()
    },
    close() {
      isClosed = true
      window.clearTimeout(timer)
      window.clearInterval(keepAlive)
      for (const stop of stops) stop()
      for (const name of gestures) window.removeEventListener(name, onGesture)
      socket?.close()
    },
  }
}

function addressOf(session: string, isSupervision: boolean, position: number | undefined): URL {
  const address = new URL('/live', window.location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  address.searchParams.set('session', session)
  if (isSupervision) address.searchParams.set('supervision', '1')
  if (position !== undefined) address.searchParams.set('after', String(position))
  return address
}

/** Stored per tab, so that a reload is the same phone. */
export function phoneSession(): string {
  const key = 'hookswitch.phone'
  const known = tabStorage.read(key)
  if (known) return known
  // crypto.randomUUID exists in secure contexts only.
  const created = `web-${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(36)).join('')}`
  tabStorage.write(key, created)
  return created
}
