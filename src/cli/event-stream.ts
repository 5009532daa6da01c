import { CommandRefused } from '../http/admin-socket.ts'
import { pause, second, systemClock } from '../lib/clock.ts'
import { randomId } from '../lib/secrets.ts'
import { type Api, RequestRefused, Unreachable } from './api.ts'
import { eventsIn, type SourceEvent } from './event-source.ts'
import { networkFailureReason } from './network-failure.ts'

/** The first message of a connection: its token, signing secret and start position. */
export interface Hello {
  kind: 'hello'
  token: string
  signing_secret: string
  position: number
}

/** The request that a webhook would receive. */
export interface StreamedEvent {
  kind: 'event'
  position: number
  headers: Record<string, string>
  body: string
}

export interface StreamOptions {
  events: string | undefined
  /** undefined: new events only. */
  after: number | undefined
  /** Instead of `after`: start this many ms in the past, by the clock of the server. */
  sinceMs: number | undefined
}

const minBackoffMs = 0.5 * second
const maxBackoffMs = 10 * second
const maxRetryAfterMs = 60 * second
// The server sends a comment every 15 s; after three missing comments the connection is considered dead.
const idleTimeoutMs = 45 * second

const clock = systemClock()

/**
 * Follows the event log and reconnects as needed. An event counts as processed once the next one is requested, so a new
 * connection continues after it. `lost` is called with the reason of a disconnect, once per reason.
 */
export async function* follow(
  api: Api,
  options: StreamOptions,
  lost: (why: string) => void,
): AsyncGenerator<Hello | StreamedEvent> {
  let { after, sinceMs } = options
  // A stable name keeps token and secret across reconnects.
  const listener = randomId()
  let pauseMs = minBackoffMs
  let connections = 0
  let lastReason: string | undefined
  for (;;) {
    const openedAt = clock.steadyNow()
    const broken = { why: 'the server closed the stream', waitMs: 0 }
    try {
      for await (const frame of connection(api, { ...options, after, sinceMs }, listener)) {
        if (frame.kind === 'hello') {
          connections++
          lastReason = undefined
        }
        yield frame
        after = frame.position
        sinceMs = undefined
      }
    } catch (error) {
      if (connections === 0 || !isTransient(error)) throw error
      broken.why = error.message
      if (error instanceof RequestRefused) broken.waitMs = Math.min(error.retryAfterSeconds * second, maxRetryAfterMs)
    }
    if (broken.why !== lastReason) lost(broken.why)
    lastReason = broken.why
    if (clock.steadyNow() - openedAt > maxBackoffMs) pauseMs = minBackoffMs
    await pause(Math.max(pauseMs, broken.waitMs))
    pauseMs = Math.min(pauseMs * 2, maxBackoffMs)
  }
}

/** After the first connection, rate limits and server errors are retried. */
const isTransient = (error: unknown): error is Unreachable | RequestRefused =>
  error instanceof Unreachable || (error instanceof RequestRefused && (error.status === 429 || error.status >= 500))

async function* connection(
  api: Api,
  { events, after, sinceMs }: StreamOptions,
  listener: string,
): AsyncGenerator<Hello | StreamedEvent> {
  const abort = new AbortController()
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
    const opening = api.open(`/v1/events/stream?${query}`, { headers, signal: abort.signal })
    const response = await unlessIdle(abort, opening)
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (!isStream || !response.body) throw new CommandRefused(`the server at ${api.base} is not Hookswitch`)
    for await (const message of eventsIn(chunksOf(response.body, abort))) {
      const frame = frameIn(message)
      if (frame) yield frame
    }
  } finally {
    abort.abort()
  }
}

/** Unknown event types are ignored. */
function frameIn({ event, data, id }: SourceEvent): Hello | StreamedEvent | undefined {
  try {
    if (event === 'listener') return { ...JSON.parse(data), kind: 'hello' }
    if (event === 'message') return { ...JSON.parse(data), kind: 'event', position: Number(id) }
    return undefined
  } catch {
    throw new CommandRefused(`the server sent an invalid event (id ${id || 'none'})`)
  }
}

async function* chunksOf(body: ReadableStream<Uint8Array>, abort: AbortController): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  for (;;) {
    const reading = reader.read().catch((error: unknown) => {
      throw new Unreachable(networkFailureReason(error))
    })
    const { done, value } = await unlessIdle(abort, reading)
    if (done) return
    yield value
  }
}

/** The idle timeout applies while reading only: forwarding an event may take time. */
function unlessIdle<T>(abort: AbortController, reading: Promise<T>): Promise<T> {
  const giveUp = () => abort.abort(new Error(`no data received for ${idleTimeoutMs / second} s`))
  return reading.finally(clock.machineAfter(idleTimeoutMs, giveUp))
}
