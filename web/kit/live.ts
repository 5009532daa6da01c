import type { ClientMessage, ServerMessage } from '../../src/live/protocol.ts'
import { reach } from './reach.ts'
import { tabDrawer } from './storage.ts'
import { onWake } from './wake.ts'

// The socket of the phone app: opened again whenever it breaks, for as long as it takes; the server then sends what was
// missed.

export type Connection = 'connecting' | 'open' | 'lost' | 'replaced'

type Reply = Extract<ServerMessage, { type: 'reply' }>
/** A request without its id, which is ours to give. */
export type Request = ClientMessage extends infer M ? (M extends unknown ? Omit<M, 'id'> : never) : never

export interface Live {
  /** Resolves with the server's answer; rejects when the connection ends before. */
  ask(request: Request): Promise<Reply>
  /** Here again, after the same phone was opened elsewhere. */
  reopen(): void
  /** Connects now if the connection is lost, instead of at the end of the pause. */
  hurry(): void
  close(): void
}

export interface LiveParts {
  /** The same name is the same phone, whichever socket it comes over. */
  session: string
  hear(message: ServerMessage): void
  changed(connection: Connection): void
}

const firstWaitMs = 300
const longestWaitMs = 10_000
/** Asked now and then: a connection that is dead without a word gives no answer. */
const signEveryMs = 20_000
const answerWithinMs = 8_000
/** After a sleep most connections are dead: a short answer is enough to tell. */
const answerAwakeWithinMs = 3_000
/** A network that drops packets would keep the browser trying for minutes. */
const connectWithinMs = 10_000
const activeEveryMs = 5_000
const signId = 0
const gestures = ['pointerdown', 'keydown', 'focus'] as const

export function openLive({ session, hear, changed }: LiveParts): Live {
  const waiting = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>()
  let socket: WebSocket | undefined
  let position: number | undefined
  let attempts = 0
  let lastId = 0
  let isClosed = false
  let isReplaced = false
  let probe = (_withinMs: number) => {}
  let timer: number | undefined
  let sign: number | undefined

  function connect() {
    const address = new URL('/live', window.location.href)
    address.protocol = address.protocol.replace('http', 'ws')
    address.searchParams.set('session', session)
    if (position !== undefined) address.searchParams.set('after', String(position))
    const mine = new WebSocket(address)
    let isGreeted = false
    let owesAnswer = false
    socket = mine
    changed('connecting')
    mine.onmessage = ({ data }) => {
      const message = JSON.parse(data) as ServerMessage
      owesAnswer = false
      if (message.type === 'hello') {
        isGreeted = true
        attempts = 0
        position ??= message.position
        changed('open')
      }
      if (message.type === 'event') position = message.position
      // The answer to a sign of life tells the calls, in case anything was not told.
      if (message.type === 'reply' && message.id !== null && message.id !== signId) {
        waiting.get(message.id)?.resolve(message)
        waiting.delete(message.id)
        return
      }
      hear(message)
    }
    const over = (code: number) => {
      mine.onclose = null
      mine.onmessage = null
      window.clearInterval(sign)
      window.clearTimeout(late)
      for (const { reject } of waiting.values()) reject(new Error('The connection was lost. Reconnecting…'))
      waiting.clear()
      if (isClosed || socket !== mine) return
      // 4001: the same phone was opened elsewhere. Coming back would take it away again, and so on for ever.
      isReplaced = code === 4001
      if (isReplaced) return changed('replaced')
      changed('lost')
      reach.suspect()
      const wait = Math.min(firstWaitMs * 2 ** attempts++, longestWaitMs)
      timer = window.setTimeout(connect, wait * (0.75 + Math.random() / 2))
    }
    const end = () => {
      if (socket !== mine || mine.onclose === null) return
      mine.close()
      // Without a network the closing handshake takes a minute.
      over(1006)
    }
    mine.onclose = ({ code }) => over(code)
    const late = window.setTimeout(() => !isGreeted && end(), connectWithinMs)
    probe = (withinMs) => {
      if (mine.readyState !== WebSocket.OPEN) return
      owesAnswer = true
      mine.send(JSON.stringify({ id: signId, type: 'calls' }))
      window.setTimeout(() => owesAnswer && end(), withinMs)
    }
    window.clearInterval(sign)
    sign = window.setInterval(() => probe(answerWithinMs), signEveryMs)
  }

  /** The network is back, or the machine woke up: a lost connection need not wait, an open one may be dead. */
  const hurry = () => {
    if (isClosed || isReplaced || !reach.isReachable()) return
    if (socket?.readyState === WebSocket.OPEN) return probe(answerAwakeWithinMs)
    if (socket?.readyState === WebSocket.CONNECTING) return
    window.clearTimeout(timer)
    attempts = 0
    connect()
  }
  const stops = [reach.watch(hurry), onWake(hurry)]

  /** Somebody is here: what goes to one phone only comes to this one. */
  let saidAt = 0
  const touched = () => {
    if (socket?.readyState !== WebSocket.OPEN || Date.now() - saidAt < activeEveryMs) return
    saidAt = Date.now()
    socket.send(JSON.stringify({ type: 'active' }))
  }
  for (const name of gestures) window.addEventListener(name, touched)
  connect()

  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (socket?.readyState !== WebSocket.OPEN) return reject(new Error('Not connected. Reconnecting…'))
        const id = ++lastId
        waiting.set(id, { resolve, reject })
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
      window.clearInterval(sign)
      for (const stop of stops) stop()
      for (const name of gestures) window.removeEventListener(name, touched)
      socket?.close()
    },
  }
}

/** Kept for the tab: a reload is the same phone. */
export function phoneSession(): string {
  const key = 'hookswitch.phone'
  const known = tabDrawer.read(key)
  if (known) return known
  // Over plain http a browser has no randomUUID.
  const made = `web-${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(36)).join('')}`
  tabDrawer.write(key, made)
  return made
}
