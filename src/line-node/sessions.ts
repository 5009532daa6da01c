import { type Clock, second } from '../lib/clock.ts'
import type { FramedMessages } from '../lib/framed-messages.ts'
import { createMessageRequests, type MessageRequests } from '../lib/message-requests.ts'
import type { EngineMessage, LineNodeMessage } from './protocol.ts'

/** A connected engine process. */
export interface Session {
  id: string
  release: string
  /** It is ending: new calls are for others. */
  isDraining: boolean
  send(message: LineNodeMessage): void
  buffered(): number
  requests: MessageRequests
}

/** The engine processes that are connected now. */
export interface Sessions {
  add(hello: SessionHello, channel: Pick<FramedMessages<LineNodeMessage>, 'send' | 'buffered'>): Session
  remove(session: Session): void
  get(id: string): Session | undefined
  all(): Session[]
  /** Those that take new calls. */
  accepting(): Session[]
  /**
   * Sends a question to one of them, and to the next one if that disconnects; waits up to four seconds for one to connect,
   * then rejects.
   */
  ask(message: (id: number) => Extract<LineNodeMessage, { kind: 'request' }>): Promise<unknown>
}

type SessionHello = Pick<Extract<EngineMessage, { kind: 'hello' }>, 'session' | 'release' | 'draining'>

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

  return {
    add({ session: id, release, draining: isDraining = false }, { send, buffered }) {
      const requests = createMessageRequests(clock, () => new Error('the engine process does not answer'))
      const session: Session = { id, release, isDraining, requests, send, buffered }
      sessions.set(id, session)
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
    async ask(message) {
      for (;;) {
        const session = await available()
        try {
          return await session.requests.request((id) => session.send(message(id)), maxWaitMs)
        } catch (error) {
          if (sessions.get(session.id) === session) throw error
        }
      }
    },
  }
}
