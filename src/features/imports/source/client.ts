import { createRequestPace, rateReportIn, retryAfterIn } from '../../../domain/import/pace.ts'
import { type Clock, delay, minute, second } from '../../../lib/clock.ts'
import type { FetchedDocument, SafeFetch } from '../../../lib/safe-fetch.ts'

/** The server that an import reads, and the API key. */
export interface SourceAccess {
  url: string
  apiId: string
  apiToken: string
}

/** The source cannot be read: the import stops and can be continued. */
export class SourceUnavailable extends Error {}

/** The source does not accept the API key. */
export class SourceKeyRejected extends SourceUnavailable {}

export interface SourceReply {
  status: number
  body: unknown
}

export interface SourceClient {
  url: string
  /** A request to the API. Waits for the rate limit and repeats failed attempts; 4xx is a response. */
  get(path: string): Promise<SourceReply>
  /** The first part of a stream of lines of JSON; `isEnd` if it is all of it. */
  lines(path: string): Promise<{ status: number; lines: unknown[]; isEnd: boolean }>
  /** A file, by a URL in a response; undefined if it cannot be downloaded. */
  download(url: string): Promise<Buffer | undefined>
  /** Requests to the API so far, with those that were repeated. */
  requests(): number
  /** Of CSV files, which have no times to read by and no ids of other objects. */
  references?: { users: string[]; numbers: string[]; tags: string[] }
}

export interface SourceClientOptions {
  http: SafeFetch
  clock: Clock
  access: SourceAccess
  timeoutMs?: number
  /** Of a request that fails, before the import stops. */
  maxAttempts?: number
  isStopped?(): boolean
}

const waitStepMs = 500
const firstRetryMs = 200
const maxRetryMs = 30 * second
const maxHoldMs = 10 * minute
const maxBodyBytes = 64 * 1024 * 1024
const maxLineBytes = 1024 * 1024
const maxFileBytes = 256 * 1024 * 1024
const maxConcurrentRequests = 6

export function createSourceClient(options: SourceClientOptions): SourceClient {
  const { http: fetcher, clock, access, timeoutMs = 30 * second, maxAttempts = 9, isStopped = () => false } = options
  const pace = createRequestPace()
  const authorization = `Basic ${Buffer.from(`${access.apiId}:${access.apiToken}`).toString('base64')}`
  const inTurn = createTurns(maxConcurrentRequests)
  let requests = 0

  /** In parts, so that a process that stops does not wait for the rate limit. */
  async function wait(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= waitStepMs) {
      if (isStopped()) throw new SourceUnavailable('the import was interrupted')
      await delay(clock, Math.min(left, waitStepMs))
    }
  }

  async function turn(): Promise<void> {
    for (let ms = pace.take(clock.machineNow()); ms > 0; ms = pace.take(clock.machineNow()))
      await wait(Math.min(ms, second))
    if (isStopped()) throw new SourceUnavailable('the import was interrupted')
  }

  async function attempt(path: string, maxBytes: number): Promise<FetchedDocument> {
    await turn()
    requests++
    const reply = await fetcher.get({
      pool: 'import',
      url: `${access.url}${path}`,
      headers: { authorization, accept: 'application/json' },
      timeoutMs,
      maxBytes,
    })
    const now = clock.machineNow()
    const headers = headersIn(reply.headers)
    const report = rateReportIn(headers, now)
    if (report) pace.report(report, now)
    if (reply.status === 429) {
      const wait = retryAfterIn(headers, now) ?? report?.resetInMs ?? second
      pace.holdUntil(now + Math.min(Math.max(wait, firstRetryMs), maxHoldMs))
    }
    return reply
  }

  async function request<Body>(
    path: string,
    read: (reply: FetchedDocument) => Body | undefined,
    maxBytes = maxBodyBytes,
  ): Promise<{ status: number; body: Body | null }> {
    for (let failures = 0; ; ) {
      const reply = await attempt(path, maxBytes)
      const outcome = outcomeOf(reply, read)
      if ('status' in outcome) return outcome
      if (reply.status === 429) continue
      failures++
      if (failures >= maxAttempts) throw new SourceUnavailable(`${pathOnly(path)}: ${outcome.failed}`)
      await wait(Math.min(firstRetryMs * 2 ** (failures - 1), maxRetryMs))
    }
  }

  return {
    url: access.url,
    get: (path) => inTurn(() => request(path, documentIn)),
    lines: (path) =>
      inTurn(async () => {
        const { status, body } = await request(path, linesIn, maxLineBytes)
        return { status, lines: body?.lines ?? [], isEnd: body?.isEnd ?? true }
      }),
    async download(url) {
      for (let failures = 0; failures < 4; failures++) {
        const reply = await fetcher.get({
          pool: 'import',
          url,
          headers: {},
          timeoutMs: 4 * timeoutMs,
          maxBytes: maxFileBytes,
        })
        if (reply.status === 200 && reply.extent === 'whole') return reply.bytes
        if (reply.status !== null && reply.status >= 400 && reply.status < 500 && reply.status !== 429) return undefined
        if (reply.extent === 'too_large' || isStopped()) return undefined
        await wait(firstRetryMs * 4 ** failures)
      }
      return undefined
    },
    requests: () => requests,
  }
}

function outcomeOf<Body>(
  reply: FetchedDocument,
  read: (reply: FetchedDocument) => Body | undefined,
): { status: number; body: Body | null } | { failed: string } {
  const { status, problem, detail } = reply
  if (status === null) return { failed: detail || problem || 'no response' }
  if (status === 429 || status >= 500 || status < 200) return { failed: `HTTP status ${status}` }
  if (status >= 300 && status < 400) return { failed: `the URL redirects (HTTP status ${status})` }
  if (status >= 400) return { status, body: null }
  try {
    const body = read(reply)
    return body === undefined ? { failed: 'the response is incomplete' } : { status, body }
  } catch {
    return { failed: 'the response is not JSON' }
  }
}

const documentIn = ({ extent, bytes }: FetchedDocument): unknown =>
  extent === 'whole' ? (JSON.parse(bytes.toString(), withoutNul) ?? null) : undefined

/** No database stores the character NUL. */
const withoutNul = (_key: string, value: unknown) =>
  typeof value === 'string' && value.includes('\u0000') ? value.replaceAll('\u0000', '') : value

/** Whole lines of a part of the stream are as good as those of a whole one. */
function linesIn({ extent, bytes }: FetchedDocument): { lines: unknown[]; isEnd: boolean } | undefined {
  const isEnd = extent === 'whole'
  const whole = isEnd ? bytes : bytes.subarray(0, bytes.lastIndexOf(10) + 1)
  const lines = whole.toString().split('\n').filter(Boolean)
  if (lines.length === 0 && !isEnd) return undefined
  return { lines: lines.map((line) => JSON.parse(line, withoutNul)), isEnd }
}

/** The client of HTTP reports headers as text, a line each. */
const headersIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const colon = line.indexOf(':')
      return colon > 0 ? [[line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]] : []
    }),
  )

const pathOnly = (path: string) => path.split('?', 1)[0]

/** First in, first out. */
function createTurns(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running < limit) running++
    else await new Promise<void>((start) => waiting.push(start))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
