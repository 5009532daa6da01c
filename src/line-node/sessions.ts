import { type Clock, second } from '../lib/clock.ts'
import type { FramedMessages } from '../lib/framed-messages.ts'
import { createMessageRequests, type MessageRequests } from '../lib/message-requests.ts'
import type { LineNodeMessage } from './protocol.ts'

/** A connected engine process. */
export interface Session {
  id: string
  release: string
  send(message: LineNodeMessage): void
  buffered(): number
  requests: MessageRequests
}

/** The engine processes that are connected now. */
export interface Sessions {
  add(id: string, release: string, channel: FramedMessages<LineNodeMessage>): Session
  remove(session: Session): void
  get(id: string): Session | undefined
  all(): Session[]
  /** Sends a question to one of them; waits up to four seconds for one to connect, then rejects. */
  ask(message: (id: number) => Extract<LineNodeMessage, { kind: 'request' }>): Promise<unknown>
}

/** How long an INVITE waits for an engine process: a carrier tries another server then. */
export const maxWaitMs = 4 * second

export function createSessions(clock: Clock): Sessions {
  const sessions = new Map<string, Session>()
  const waiting = new Set<() => void>()

  function available(): Promise<Session> {
    const [first] = sessions.values()
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
    add(id, release, channel) {
      const requests = createMessageRequests(clock, () => new Error('the engine process does not answer'))
      const session: Session = { id, release, requests, send: channel.send, buffered: channel.buffered }
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
    async ask(message) {
      const session = await available()
      return session.requests.request((id) => session.send(message(id)), maxWaitMs)
    },
  }
}
