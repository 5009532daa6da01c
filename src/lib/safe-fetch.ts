import type { Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { Client } from 'undici'
import { anyAddress, createAddressPolicy, type Target } from './address-policy.ts'
import { type Cancel, type Clock, minute, second } from './clock.ts'
import { type Answer, Attempt, type AttemptRequest, type PostRequest } from './fetch-attempt.ts'
import { detailOf, failure, type Phase, type Problem, problemOf } from './fetch-failure.ts'
import { type ConnectWatcher, guardedConnect } from './guarded-connect.ts'
import { createNames, namesOfHost } from './names.ts'
import { flawOfUrl, plainHost } from './public-url.ts'

export type { Answer, PostRequest, Problem }

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

export interface Download extends Pick<Answer, 'status' | 'problem' | 'detail'> {
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
  /** Chunks of the body of a successful response. */
  take?: (chunk: Buffer) => void
}

export interface Exchange extends Download, Pick<Answer, 'headers'> {}

export interface SafeFetch {
  /** Why a receiver URL is not acceptable, by its form and literal address; undefined when it is. */
  flawOf(url: string): string | undefined
  /**
   * Sends one POST; never rejects. Any status line in time is a response; the caller decides what counts as success.
   */
  post(request: PostRequest): Promise<Answer>
  /** Sends one GET; never rejects. http is allowed, redirects are not followed. */
  get(request: GetRequest): Promise<Download>
  /** Sends one POST; never rejects. Redirects are not followed. */
  exchange(request: ExchangeRequest): Promise<Exchange>
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
  const names = options.trusted ? namesOfHost() : createNames(clock, options.dnsServers)
  const secureContext = createSecureContext({ minVersion: 'TLSv1.2', ...(options.ca && { ca: options.ca }) })
  const connectTo: ConnectTo = (target, watcher) =>
    guardedConnect({ clock, policy, names, secureContext }, target, watcher)
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

  const poolFor = (target: Target, owner: string) => {
    const origin = originOf(target)
    const key = `${origin} ${owner}`
    const known = pools.get(key)
    // Without its trailing dot a host may be empty: `https://./`.
    if (known || !schemes.has(target.protocol) || !URL.canParse(origin)) return known
    const pool = new Pool(target, connectTo)
    pools.set(key, pool)
    cancelSweep ??= clock.machineAfter(sweepEvery, sweep)
    return pool
  }

  const read = async (
    request: GetRequest & Pick<ExchangeRequest, 'signal' | 'take'>,
    url: URL | undefined,
    pool: Pool | undefined,
    errand: Pick<Errand, 'method' | 'body'>,
  ): Promise<Exchange> => {
    const { headers, maxBytes, timeoutMs, signal } = request
    const chunks: Buffer[] = []
    let whole = false
    let isSuccess = false
    const reader = {
      maxBytes,
      take: (chunk: Buffer) => {
        chunks.push(chunk)
        if (isSuccess) request.take?.(chunk)
      },
      whole: () => {
        whole = true
      },
    }
    const onStatus = (status: number) => {
      isSuccess = status >= 200 && status < 300
    }
    const attempt = { timeoutMs, reader, onStatus, ...(signal && { signal }) }
    const answer = await (url && pool
      ? pool.send(clock, attempt, { ...errand, path: url.pathname + url.search, headers })
      : refused(clock, { timeoutMs }, closed))
    const { status, problem, detail } = answer
    const bytes = Buffer.concat(chunks)
    const extent = bytes.length > maxBytes ? 'too_large' : whole ? 'whole' : 'part'
    return { status, problem, detail, extent, bytes, headers: answer.headers }
  }

  return {
    flawOf(text) {
      const flaw = flawOfUrl(text, { schemes: ['https:'], loopback, admits: policy.admits })
      if (flaw) return flaw
      if (text.includes('#')) return 'must not hold a fragment'
      return policy.flawOfHost(targetOf(new URL(text)))
    },
    post(request) {
      const url = URL.canParse(request.url) ? new URL(request.url) : undefined
      const pool = url && !closed ? poolFor(targetOf(url), request.pool) : undefined
      if (!url || !pool) return refused(clock, request, closed)
      const { headers, body, connections } = request
      return pool.send(clock, request, { method: 'POST', path: url.pathname + url.search, headers, body }, connections)
    },
    async get(request) {
      const url = URL.canParse(request.url) ? new URL(request.url) : undefined
      // A separate pool: its connections may use http.
      const pool = url && !closed ? poolFor({ ...targetOf(url), plain: true }, `get ${request.pool}`) : undefined
      return read(request, url, pool, { method: 'GET', body: null })
    },
    async exchange(request) {
      const url = URL.canParse(request.url) ? new URL(request.url) : undefined
      const gone = closed || request.signal?.aborted
      const pool = url && !gone ? poolFor(targetOf(url), request.pool) : undefined
      return read(request, url, pool, { method: 'POST', body: request.body })
    },
    connect({ host, port, tls }) {
      const target = { protocol: tls ? 'https:' : 'http:', host: plainHost(host), port, plain: true, bare: true }
      let phase: Phase = 'dns'
      return new Promise((resolve) => {
        if (closed) return resolve({ problem: 'connection', detail: 'the client is closed' })
        connectTo(target, {
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

function refused(clock: Clock, request: AttemptRequest, closed: boolean): Promise<Answer> {
  const attempt = new Attempt(clock, request, () => {})
  attempt.fail(closed ? failure('CLOSED', 'the client is closed') : failure('NOT_ALLOWED', 'no HTTP address'))
  return attempt.answer
}

function targetOf({ protocol, hostname, port }: URL): Target {
  const usual = protocol === 'https:' ? 443 : 80
  return { protocol, host: plainHost(hostname), port: port === '' ? usual : Number(port) }
}

const originOf = ({ protocol, host, port }: Target) => `${protocol}//${host.includes(':') ? `[${host}]` : host}:${port}`

type ConnectTo = (target: Target, watcher: ConnectWatcher) => Cancel

/**
 * Connections to one origin on behalf of one owner. The pool of the HTTP library cannot abandon a connection attempt or
 * a queued request.
 */
class Pool {
  readonly #target: Target
  readonly #connectTo: ConnectTo
  readonly #lines = new Set<Line>()
  readonly #free: Line[] = []
  readonly #waiting = new Map<Attempt<Line>, Errand>()
  #limit = defaultConnections
  #usedAt = 0

  constructor(target: Target, connectTo: ConnectTo) {
    this.#target = target
    this.#connectTo = connectTo
  }

  send(clock: Clock, request: AttemptRequest, errand: Errand, connections = defaultConnections): Promise<Answer> {
    this.#limit = connections
    this.#usedAt = clock.machineNow()
    const attempt: Attempt<Line> = new Attempt(clock, request, (line, reusable) => {
      this.#usedAt = clock.machineNow()
      this.#waiting.delete(attempt)
      if (line) this.#takeBack(line, reusable)
      this.#startWaiting()
    })
    this.#waiting.set(attempt, errand)
    this.#startWaiting()
    return attempt.answer
  }

  isIdleSince(time: number): boolean {
    return this.#free.length === this.#lines.size && this.#waiting.size === 0 && this.#usedAt <= time
  }

  async close(): Promise<void> {
    for (const attempt of this.#waiting.keys()) attempt.fail(failure('CLOSED', 'the client was closed'))
    const lines = [...this.#lines]
    this.#lines.clear()
    await Promise.all(lines.map((line) => line.close()))
  }

  #startWaiting(): void {
    for (const [attempt, errand] of this.#waiting) {
      const line = this.#freeLine()
      if (!line) return
      this.#waiting.delete(attempt)
      line.carry(attempt, errand)
    }
  }

  // Last in, first out: keeps few connections warm and lets the others go idle.
  #freeLine(): Line | undefined {
    const free = this.#free.pop()
    if (free || this.#lines.size >= this.#limit) return free
    const line = new Line(this.#target, this.#connectTo)
    this.#lines.add(line)
    return line
  }

  #takeBack(line: Line, reusable: boolean): void {
    if (!this.#lines.has(line)) return
    if (reusable && this.#lines.size <= this.#limit) return void this.#free.push(line)
    this.#lines.delete(line)
    void line.close()
  }
}

interface Errand {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body: string | Buffer | null
}

/** One connection at a time, with one request at a time. */
class Line {
  phase: Phase = 'connect'
  readonly #client: Client
  #attempt: Attempt<Line> | undefined
  #stopConnecting: Cancel = () => {}

  constructor(target: Target, connectTo: ConnectTo) {
    this.#client = new Client(originOf(target), {
      ...clientOptions,
      connect: (_options, done) => {
        this.#stopConnecting = connectTo(target, {
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

  carry(attempt: Attempt<Line>, errand: Errand): void {
    this.#attempt = attempt
    attempt.board(this)
    this.#client.dispatch(errand, attempt)
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
