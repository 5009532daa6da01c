import { ConnectionError, errorFor, type Refusal } from './errors.js'
import type { RequestOptions } from './types.js'

export interface Credentials {
  /** Address of the server, such as https://phone.example.com. */
  url: string
  /** An API key, … */
  apiId?: string
  apiToken?: string
  /** … or an OAuth access token. */
  accessToken?: string
}

export interface ClientOptions {
  /** Per attempt; 30 seconds by default. */
  timeoutMs?: number
  /** After the first attempt; 4 by default. */
  maxRetries?: number
  /** Instead of the global one. */
  fetch?: typeof fetch
  /** In front of the name of this package. */
  userAgent?: string
}

export interface SentRequest extends RequestOptions {
  method: string
  /** With its query. */
  target: string
  body?: unknown
}

export type Send = (request: SentRequest) => Promise<unknown>

const retriedStatuses = new Set([429, 500, 502, 503, 504])

/** Sends requests with authentication, time limit and retries. */
export function sender(credentials: Credentials, options: ClientOptions): Send {
  const base = credentials.url.replace(/\/+$/, '')
  const authorization = authorizationOf(credentials)
  const send = options.fetch ?? fetch
  const maxRetries = options.maxRetries ?? 4

  return async ({ method, target, body, idempotencyKey, timeoutMs, signal }) => {
    const isRead = method === 'GET'
    const headers: Record<string, string> = {
      accept: 'application/json',
      authorization,
      ...(options.userAgent !== undefined && { 'user-agent': options.userAgent }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      // The same key in every attempt: the server makes the change once.
      ...(!isRead && { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() }),
    }
    const init = {
      method,
      headers,
      redirect: 'error' as const,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
    for (let attempt = 0; ; attempt++) {
      const limit = AbortSignal.timeout(timeoutMs ?? options.timeoutMs ?? 30_000)
      const outcome = await attemptOnce(send, base + target, {
        ...init,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      })
      signal?.throwIfAborted()
      if (outcome.kind === 'success') return outcome.body
      const mayRetry =
        outcome.kind === 'failed' || retriedStatuses.has(outcome.refusal.status) || isPending(outcome.refusal)
      if (!mayRetry || attempt >= maxRetries) {
        throw outcome.kind === 'failed' ? outcome.error : errorFor(outcome.refusal)
      }
      await pause(delayOf(attempt, outcome.kind === 'refused' ? outcome.refusal.retryAfter : undefined), signal)
    }
  }
}

/** The first attempt is still running on the server. */
const isPending = ({ status, body }: Refusal) => status === 409 && /idempotency/i.test(JSON.stringify(body ?? ''))

type Outcome =
  | { kind: 'success'; body: unknown }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'failed'; error: ConnectionError }

async function attemptOnce(send: typeof fetch, url: string, init: RequestInit): Promise<Outcome> {
  try {
    const response = await send(url, init)
    const text = await response.text()
    if (response.ok) return { kind: 'success', body: text === '' ? undefined : JSON.parse(text) }
    return { kind: 'refused', refusal: refusalIn(response, text) }
  } catch (error) {
    return { kind: 'failed', error: new ConnectionError(`No response from ${new URL(url).host}`, { cause: error }) }
  }
}

function refusalIn(response: Response, text: string): Refusal {
  const body = parsed(text)
  const { error, troubleshoot } = (body ?? {}) as { error?: unknown; troubleshoot?: unknown }
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  const reason = [error, troubleshoot].filter((part) => typeof part === 'string' && part !== '').join('. ')
  return {
    status: response.status,
    message: `${response.status}: ${reason || response.statusText || 'refused'}`,
    troubleshoot: typeof troubleshoot === 'string' ? troubleshoot : undefined,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
    body: body ?? text,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Half a second, doubled each time up to 8 s, with a random part; or what the server asks for, at most a minute. */
function delayOf(attempt: number, retryAfter: number | undefined): number {
  if (retryAfter !== undefined) return Math.min(retryAfter, 60) * 1_000
  return Math.min(8_000, 500 * 2 ** attempt) * (0.5 + Math.random() / 2)
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms)
    function done() {
      signal?.removeEventListener('abort', aborted)
      resolve()
    }
    function aborted() {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', aborted, { once: true })
  })
}

function authorizationOf({ apiId, apiToken, accessToken }: Credentials): string {
  if (accessToken !== undefined) return `Bearer ${accessToken}`
  if (apiId === undefined || apiToken === undefined) throw new TypeError('Use apiId and apiToken, or accessToken')
  return `Basic ${btoa(`${apiId}:${apiToken}`)}`
}
