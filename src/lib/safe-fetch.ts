import type { Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { Client } from 'undici'
import { anyAddress, createAddressPolicy, type RequestDestination } from './address-policy.ts'
import { type Cancel, type Clock, minute, second } from './clock.ts'
import {
  type AttemptRequest,
  FetchAttempt,
  type FetchResult,
  type PostRequest,
  type ReceivedHeaders,
} from './fetch-attempt.ts'
import { detailOf, type FetchPhase, failure, type Problem, problemOf } from './fetch-failure.ts'
import { type ConnectWatcher, guardedConnect } from './guarded-connect.ts'
import { createNameResolver, systemNameResolver } from './name-resolver.ts'
import { findUrlProblem, plainHost } from './public-url.ts'

export type { FetchResult, PostRequest, Problem }

export interface SafeFetchOptions {
  clock: Clock
  /** Allows http and loopback receivers (sandbox only). */
  loopback: boolean
  /** Private ranges allowed by the operator, CIDR or single addresses (WEBHOOK_ALLOW_CIDRS). */
  allowRanges: readonly string[]
  /** Host names of our own public URLs: never a destination. */
  ownNames: readonly string[]
  /** Loopback ports used by this installation or its database: never a destination. */
  ownPorts: readonly number[]
  /** For URLs from the operator's settings only, never for customer input: allows every address. */
  trusted?: boolean
  /** For tests: DNS servers such as `127.0.0.1:5353`, and a CA certificate (PEM). */
  dnsServers?: readonly string[]
  ca?: string
}

export interface GetRequest {
  /** Connections are never shared between pools. */
  pool: string
  url: string
  headers: Record<string, string>
  /** For the whole exchange. */
  timeoutMs: number
  maxBytes: number
}

export interface Download extends Pick<FetchResult, 'status' | 'problem' | 'detail'> {
  /**
   * How much of the body was received: all of it, more than allowed, or a part because of a timeout or a broken
   * connection.
   */
  extent: 'whole' | 'too_large' | 'part'
  bytes: Buffer
}

/** A POST whose response body is read as a whole or as a stream. */
export interface ExchangeRequest extends GetRequest {
  body: string | Buffer
  signal?: AbortSignal
  /** Chunks of the body of a successful response, with its content type. */
  take?: (chunk: Buffer, type: string) => void
}

export interface FetchedDocument extends Download, Pick<FetchResult, 'headers'> {}

export interface SafeFetch {
  /** Why a receiver URL is not acceptable, by its form and literal address; undefined when it is. */
  urlProblem(url: string): string | undefined
  /**
   * Sends one POST; never rejects. Any status connection in time is a response; the caller decides what counts as success.
   */
  post(request: PostRequest): Promise<FetchResult>
  /** Sends one GET; never rejects. http is allowed, redirects are not followed. */
  get(request: GetRequest): Promise<FetchedDocument>
  /** Sends one POST; never rejects. Redirects are not followed. */
  exchange(request: ExchangeRequest): Promise<FetchedDocument>
  /** Opens a connection for another protocol than HTTP under the same address policy; never rejects. */
  connect(to: { host: string; port: number; tls: boolean }): Promise<Socket | { problem: Problem; detail: string }>
  close(): Promise<void>
}

const defaultConnections = 16
const idlePool = minute
const sweepEvery = 10 * second

/** All requests to URLs given by customers go through here. */
export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const { clock, loopback } = options
  const policy = options.trusted ? anyAddress : createAddressPolicy(options)
  const names = options.trusted ? systemNameResolver() : createNameResolver(clock, options.dnsServers)
  const secureContext = createSecureContext({ minVersion: 'TLSv1.2', ...(options.ca && { ca: options.ca }) })
  const connectTo: ConnectTo = (destination, watcher) =>
    guardedConnect({ clock, policy, names, secureContext }, destination, watcher)
  const pools = new Map<string, Pool>()
  let cancelSweep: Cancel | undefined
  let closed = false

  const sweep = () => {
    cancelSweep = undefined
    for (const [key, pool] of pools) {
      if (!pool.isIdleSince(clock.machineNow() - idlePool)) continue
      pools.delete(key)
      void pool.close()
    }
    if (pools.size > 0) cancelSweep = clock.machineAfter(sweepEvery, sweep)
  }

  const poolFor = (destination: RequestDestination, owner: string) => {
    const origin = originOf(destination)
    const key = `${origin} ${owner}`
    const known = pools.get(key)
    // Without its trailing dot a host may be empty: `https://./`.
    if (known || !schemes.has(destination.protocol) || !URL.canParse(origin)) return known
    const pool = new Pool(destination, connectTo)
    pools.set(key, pool)
    cancelSweep ??= clock.machineAfter(sweepEvery, sweep)
    return pool
  }

  const read = async (
    request: GetRequest & Pick<ExchangeRequest, 'signal' | 'take'>,
    url: URL | undefined,
    pool: Pool | undefined,
    outgoing: Pick<OutgoingRequest, 'method' | 'body'>,
  ): Promise<FetchedDocument> => {
    const { headers, maxBytes, timeoutMs, signal } = request
    const chunks: Buffer[] = []
    let whole = false
    let isSuccess = false
    let type = ''
    const reader = {
      maxBytes,
      take: (chunk: Buffer) => {
        chunks.push(chunk)
        if (isSuccess) request.take?.(chunk, type)
      },
      complete: () => {
        whole = true
      },
    }
    const onStatus = (status: number, received: ReceivedHeaders) => {
      isSuccess = status >= 200 && status < 300
      type = String(received['content-type'] ?? '').toLowerCase()
    }
    const attempt = { timeoutMs, reader, onStatus, ...(signal && { signal }) }
    const answer = await (url && pool
      ? pool.send(clock, attempt, { ...outgoing, path: url.pathname + url.search, headers })
      : refused(clock, { timeoutMs }, closed))
    const { status, problem, detail } = answer
    const bytes = Buffer.concat(chunks)
    const extent = bytes.length > maxBytes ? 'too_large' : whole ? 'whole' : 'part'
    return { status, problem, detail, extent, bytes, headers: answer.headers }
  }

  return {
    urlProblem(text) {
      const problem = findUrlProblem(text, { schemes: ['https:'], loopback, admits: policy.admits })
      if (problem) return problem
      if (text.includes('#')) return 'must not hold a fragment'
      return policy.hostProblem(destinationOf(new URL(text)))
    },
    post(request) {
      const url = URL.canParse(request.url) ? new URL(request.url) : undefined
      const pool = url && !closed ? poolFor(destinationOf(url), request.pool) : undefined
      if (!url || !pool) return refused(clock, request, closed)
      const { headers, body, connections } = request
      return pool.send(clock, request, { method: 'POST', path: url.pathname + url.search, headers, body }, connections)
    },
    async get(request) {
      const url = URL.canParse(request.url) ? new URL(request.url) : undefined
      // A separate pool: its connections may use http.
      const pool = url && !closed ? poolFor({ ...destinationOf(url), plain: true }, `get ${request.pool}`) : undefined
      return read(request, url, pool, { method: 'GET', body: null })
    },
    async exchange(request) {
      const url = URL.canParse(request.url) ? new URL(request.url) : undefined
      const gone = closed || request.signal?.aborted
      const pool = url && !gone ? poolFor(destinationOf(url), request.pool) : undefined
      return read(request, url, pool, { method: 'POST', body: request.body })
    },
    connect({ host, port, tls }) {
      const destination = { protocol: tls ? 'https:' : 'http:', host: plainHost(host), port, plain: true, bare: true }
      let phase: FetchPhase = 'dns'
      return new Promise((resolve) => {
        if (closed) return resolve({ problem: 'connection', detail: 'the client is closed' })
        connectTo(destination, {
          reached: (now) => {
            phase = now
          },
          connected: resolve,
          failed: (error) => resolve({ problem: problemOf(error, phase), detail: detailOf(error, phase) }),
        })
      })
    },
    async close() {
      closed = true
      cancelSweep?.()
      const open = [...pools.values()]
      pools.clear()
      await Promise.all(open.map((pool) => pool.close()))
      names.close()
    },
  }
}

const schemes = new Set(['http:', 'https:'])

function refused(clock: Clock, request: AttemptRequest, closed: boolean): Promise<FetchResult> {
  const attempt = new FetchAttempt(clock, request, () => {})
  attempt.fail(closed ? failure('CLOSED', 'the client is closed') : failure('NOT_ALLOWED', 'no HTTP address'))
  return attempt.answer
}

function destinationOf({ protocol, hostname, port }: URL): RequestDestination {
  const defaultPort = protocol === 'https:' ? 443 : 80
  return { protocol, host: plainHost(hostname), port: port === '' ? defaultPort : Number(port) }
}

const originOf = ({ protocol, host, port }: RequestDestination) =>
  `${protocol}//${host.includes(':') ? `[${host}]` : host}:${port}`

type ConnectTo = (destination: RequestDestination, watcher: ConnectWatcher) => Cancel

/**
 * Connections to one origin on behalf of one owner. The pool of the HTTP library cannot abandon a connection attempt or
 * a queued request.
 */
class Pool {
  readonly #destination: RequestDestination
  readonly #connectTo: ConnectTo
  readonly #connections = new Set<Connection>()
  readonly #free: Connection[] = []
  readonly #waiting = new Map<FetchAttempt<Connection>, OutgoingRequest>()
  #limit = defaultConnections
  #usedAt = 0

  constructor(destination: RequestDestination, connectTo: ConnectTo) {
    this.#destination = destination
    this.#connectTo = connectTo
  }

  send(
    clock: Clock,
    request: AttemptRequest,
    outgoing: OutgoingRequest,
    connections = defaultConnections,
  ): Promise<FetchResult> {
    this.#limit = connections
    this.#usedAt = clock.machineNow()
    const attempt: FetchAttempt<Connection> = new FetchAttempt(clock, request, (connection, reusable) => {
      this.#usedAt = clock.machineNow()
      this.#waiting.delete(attempt)
      if (connection) this.#takeBack(connection, reusable)
      this.#startWaiting()
    })
    this.#waiting.set(attempt, outgoing)
    this.#startWaiting()
    return attempt.answer
  }

  isIdleSince(time: number): boolean {
    return this.#free.length === this.#connections.size && this.#waiting.size === 0 && this.#usedAt <= time
  }

  async close(): Promise<void> {
    for (const attempt of this.#waiting.keys()) attempt.fail(failure('CLOSED', 'the client was closed'))
    const connections = [...this.#connections]
    this.#connections.clear()
    await Promise.all(connections.map((connection) => connection.close()))
  }

  #startWaiting(): void {
    for (const [attempt, outgoing] of this.#waiting) {
      const connection = this.#freeConnection()
      if (!connection) return
      this.#waiting.delete(attempt)
      connection.send(attempt, outgoing)
    }
  }

  // Last in, first out: keeps few connections warm and lets the others go idle.
  #freeConnection(): Connection | undefined {
    const free = this.#free.pop()
    if (free || this.#connections.size >= this.#limit) return free
    const connection = new Connection(this.#destination, this.#connectTo)
    this.#connections.add(connection)
    return connection
  }

  #takeBack(connection: Connection, reusable: boolean): void {
    if (!this.#connections.has(connection)) return
    if (reusable && this.#connections.size <= this.#limit) return void this.#free.push(connection)
    this.#connections.delete(connection)
    void connection.close()
  }
}

interface OutgoingRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body: string | Buffer | null
}

/** One connection at a time, with one request at a time. */
class Connection {
  phase: FetchPhase = 'connect'
  readonly #client: Client
  #attempt: FetchAttempt<Connection> | undefined
  #stopConnecting: Cancel = () => {}

  constructor(destination: RequestDestination, connectTo: ConnectTo) {
    this.#client = new Client(originOf(destination), {
      ...clientOptions,
      connect: (_options, done) => {
        this.#stopConnecting = connectTo(destination, {
          reached: (phase) => {
            this.phase = phase
          },
          connected: (socket) => {
            this.#stopConnecting = () => {}
            done(null, socket)
          },
          failed: (error) => done(error, null),
        })
      },
    })
  }

  send(attempt: FetchAttempt<Connection>, outgoing: OutgoingRequest): void {
    this.#attempt = attempt
    attempt.attach(this)
    this.#client.dispatch(outgoing, attempt)
  }

  async close(): Promise<void> {
    this.#attempt?.fail(failure('CLOSED', 'the client was closed'))
    this.#stopConnecting()
    await this.#client.destroy()
  }
}

// One timer per attempt: an idle timeout never fires for a receiver that trickles bytes.
const clientOptions = {
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: 4 * second,
  keepAliveMaxTimeout: 4 * second,
  maxHeaderSize: 16_384,
  allowH2: false,
}
