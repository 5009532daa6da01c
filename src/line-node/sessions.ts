import { type Clock, second } from '../lib/clock.ts'
import type { FramedMessages } from '../lib/framed-messages.ts'
import { createMessageRequests, type MessageRequests } from '../lib/message-requests.ts'
import type { EngineMessage, LineNodeMessage } from './protocol.ts'

/** A connected engine process. */
export interface Session {
  id: string
  /** On another host: it does not share the data folder. */
  isRemote: boolean
  release: string
  /** It is ending: new calls are for others. */
  isDraining: boolean
  send(message: LineNodeMessage): void
  buffered(): number
  requests: MessageRequests
}

/** The engine processes that are connected now. */
export interface Sessions {
  add(hello: SessionHello, channel: Channel): Session
  /** It may ask, and serves no calls. */
  observer(hello: SessionHello, channel: Channel): Session
  remove(session: Session): void
  get(id: string): Session | undefined
  all(): Session[]
  /** Those that take new calls. */
  accepting(): Session[]
  /** One of them; waits up to four seconds for one to connect, then rejects. */
  available(): Promise<Session>
  /** Sends a question to one of them, and to the next one if that disconnects. */
  ask(message: Question): Promise<unknown>
}

type Question = (id: number) => Extract<LineNodeMessage, { kind: 'request' }>
type SessionHello = Pick<Extract<EngineMessage, { kind: 'hello' }>, 'session' | 'release' | 'draining' | 'isRemote'>
type Channel = Pick<FramedMessages<LineNodeMessage>, 'send' | 'buffered'>

/** How long an INVITE waits for an engine process: a carrier tries another server then. */
export const maxWaitMs = 4 * second

export function createSessions(clock: Clock): Sessions {
  const sessions = new Map<string, Session>()
  const waiting = new Set<() => void>()

  const accepting = () => [...sessions.values()].filter(({ isDraining }) => !isDraining)

  function available(): Promise<Session> {
    // A process that is ending can still answer.
    const [first] = [...accepting(), ...sessions.values()]
    if (first) return Promise.resolve(first)
    return new Promise((resolve, reject) => {
      const found = () => {
        const [session] = sessions.values()
        if (!session) return
        waiting.delete(found)
        cancel()
        resolve(session)
      }
      const cancel = clock.machineAfter(maxWaitMs, () => {
        waiting.delete(found)
        reject(new Error('no engine process is connected'))
      })
      waiting.add(found)
    })
  }

  function sessionOf(hello: SessionHello, { send, buffered }: Channel): Session {
    const { session: id, release, draining: isDraining = false, isRemote = false } = hello
    const requests = createMessageRequests(clock, () => new Error('the engine process does not answer'))
    return { id, release, isDraining, isRemote, requests, send, buffered }
  }

  return {
    observer: sessionOf,
    add(hello, channel) {
      const session = sessionOf(hello, channel)
      sessions.set(session.id, session)
      for (const found of [...waiting]) found()
      return session
    },
    remove(session) {
      if (sessions.get(session.id) === session) sessions.delete(session.id)
      session.requests.failAll(new Error('the engine process has disconnected'))
    },
    get: (id) => sessions.get(id),
    all: () => [...sessions.values()],
    accepting,
    available,
    async ask(message) {
      for (;;) {
        const session = await available()
        try {
          return await askSession(session, message)
        } catch (error) {
          if (sessions.get(session.id) === session) throw error
        }
      }
    },
  }
}

/** Sends a question to that engine process. */
export const askSession = ({ requests, send }: Session, message: Question): Promise<unknown> =>
  requests.request((id) => send(message(id)), maxWaitMs)
