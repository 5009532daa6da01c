import { CommandRefused } from '../http/admin-socket.ts'
import { pause, second, systemClock } from '../lib/clock.ts'
import { randomId } from '../lib/secrets.ts'
import { type Api, Refusal, Unreachable } from './api.ts'
import { eventsIn, type SourceEvent } from './event-source.ts'
import { reasonOf } from './network-failure.ts'

/** The beginning of a connection: what signs its events, and the position they come after. */
export interface Hello {
  kind: 'hello'
  token: string
  signing_secret: string
  position: number
}

/** The very request a webhook would get. */
export interface Told {
  kind: 'event'
  position: number
  headers: Record<string, string>
  body: string
}

export interface Wish {
  events: string | undefined
  /** undefined: only what is still to come. */
  after: number | undefined
  /** Instead: what happened in the last so many ms, by the server's clock. */
  sinceMs: number | undefined
}

const minPauseMs = 0.5 * second
const maxPauseMs = 10 * second
const maxWaitMs = 60 * second
// The server sends a comment every 15 s; three missing ones mean that nobody is there any more.
const silenceMs = 45 * second

const clock = systemClock()

/**
 * The log as it grows, over as many connections as that takes. An event counts as told once the next one is asked for, so
 * a new connection goes on exactly behind it. `lost` hears why a connection broke, once for each reason.
 */
export async function* follow(api: Api, wish: Wish, lost: (why: string) => void): AsyncGenerator<Hello | Told> {
  let { after, sinceMs } = wish
  // The same name each time, so that token and secret outlive a connection.
  const listener = randomId()
  let pauseMs = minPauseMs
  let connections = 0
  let lastSaid: string | undefined
  for (;;) {
    const openedAt = clock.steadyNow()
    const broken = { why: 'the server has closed the stream', waitMs: 0 }
    try {
      for await (const frame of connection(api, { ...wish, after, sinceMs }, listener)) {
        if (frame.kind === 'hello') {
          connections++
          lastSaid = undefined
        }
        yield frame
        after = frame.position
        sinceMs = undefined
      }
    } catch (error) {
      if (connections === 0 || !isPassing(error)) throw error
      broken.why = error.message
      if (error instanceof Refusal) broken.waitMs = Math.min(error.retryAfterSeconds * second, maxWaitMs)
    }
    if (broken.why !== lastSaid) lost(broken.why)
    lastSaid = broken.why
    if (clock.steadyNow() - openedAt > maxPauseMs) pauseMs = minPauseMs
    await pause(Math.max(pauseMs, broken.waitMs))
    pauseMs = Math.min(pauseMs * 2, maxPauseMs)
  }
}

/** Whoever listens already is not sent away by a busy minute or a server that is starting. */
const isPassing = (error: unknown): error is Unreachable | Refusal =>
  error instanceof Unreachable || (error instanceof Refusal && (error.status === 429 || error.status >= 500))

async function* connection(api: Api, { events, after, sinceMs }: Wish, listener: string): AsyncGenerator<Hello | Told> {
  const leaving = new AbortController()
  const query = new URLSearchParams({
    ...(events !== undefined && { events }),
    ...(sinceMs !== undefined && { last_seconds: String(Math.ceil(sinceMs / second)) }),
  })
  const headers = {
    accept: 'text/event-stream',
    'hookswitch-listener': listener,
    ...(after !== undefined && { 'last-event-id': String(after) }),
  }
  try {
    const opening = api.open(`/v1/events/stream?${query}`, { headers, signal: leaving.signal })
    const response = await unlessSilent(leaving, opening)
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (!isStream || !response.body) throw new CommandRefused(`what answers at ${api.base} is not Hookswitch`)
    for await (const message of eventsIn(piecesOf(response.body, leaving))) {
      const frame = frameIn(message)
      if (frame) yield frame
    }
  } finally {
    leaving.abort()
  }
}

/** Other kinds may be invented; they are not for us. */
function frameIn({ event, data, id }: SourceEvent): Hello | Told | undefined {
  try {
    if (event === 'listener') return { ...JSON.parse(data), kind: 'hello' }
    if (event === 'message') return { ...JSON.parse(data), kind: 'event', position: Number(id) }
    return undefined
  } catch {
    throw new CommandRefused(`the server has sent an event that cannot be read (id ${id || 'none'})`)
  }
}

async function* piecesOf(body: ReadableStream<Uint8Array>, leaving: AbortController): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  for (;;) {
    const reading = reader.read().catch((error: unknown) => {
      throw new Unreachable(reasonOf(error))
    })
    const { done, value } = await unlessSilent(leaving, reading)
    if (done) return
    yield value
  }
}

/** Silence counts only while we listen: a receiver may take its time in between. */
function unlessSilent<T>(leaving: AbortController, hearing: Promise<T>): Promise<T> {
  const giveUp = () => leaving.abort(new Error(`nothing was heard for ${silenceMs / second} s`))
  return hearing.finally(clock.machineAfter(silenceMs, giveUp))
}
