import { inFrame, isOutage, reach } from './reach.ts'

// Every request of the web apps: the same routes as the public API, mounted under /app, with the session's cookie.

/** An answer that is no success; `message` is what the server advises. */
export class ApiError extends Error {
  readonly status: number
  readonly details: Record<string, string[]>
  /** Seconds, when the server says how long to wait. */
  readonly retryAfter: number | undefined
  constructor(status: number, message: string, details: Record<string, string[]> = {}, retryAfter?: number) {
    super(message)
    this.status = status
    this.details = details
    this.retryAfter = retryAfter
  }
}

let csrfToken = ''
/** Told by every answer about the session. */
export function setCsrfToken(token: string): void {
  csrfToken = token
}

/** What to do when the session is over: set by the app, which shows the sign-in screen. */
let onSignedOut = () => {}
export function whenSignedOut(run: () => void): void {
  onSignedOut = run
}

type Query = Record<string, string | number | boolean | readonly (string | number)[] | null | undefined>

export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue
    if (Array.isArray(value)) for (const one of value) search.append(`${name}[]`, String(one))
    else search.set(name, String(value))
  }
  const text = search.toString()
  return text ? `${path}?${text}` : path
}

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json', ...inFrame() }
  if (method !== 'GET') headers['x-csrf-token'] = csrfToken
  if (body !== undefined) headers['content-type'] = 'application/json'
  let response: Response
  let text: string
  try {
    response = await fetch(`/app${path}`, {
      method,
      headers,
      credentials: 'same-origin',
      // Without an end a network that drops packets would be waited for until the browser gives up, minutes later.
      signal: AbortSignal.timeout(method === 'GET' ? readTimeoutMs : writeTimeoutMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    text = await response.text()
  } catch {
    reach.suspect()
    throw new ApiError(0, 'The server cannot be reached. Check your connection and try again.')
  }
  const json = jsonIn(text)
  if (response.ok) return json as T
  if (isOutage(response.status)) reach.suspect()
  if (response.status === 403 && json?.troubleshoot === 'Sign in first') onSignedOut()
  const wait = Number(response.headers.get('retry-after')) || undefined
  const message = json?.troubleshoot ?? wordsFor(response.status)
  throw new ApiError(response.status, message, json?.errors, wait)
}

const readTimeoutMs = 30_000
/** An attachment over a slow line takes its time. */
const writeTimeoutMs = 180_000

/** A proxy in front of the server answers with pages of its own. */
function jsonIn(text: string) {
  try {
    return text ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

const wordsFor = (status: number) =>
  isOutage(status)
    ? 'The server is not available at the moment. Try again in a few seconds.'
    : `The server answered with an error (${status}). Try again.`

/** `path` is that of the API: `/v1/calls`. */
export const api = {
  get: <T>(path: string, query?: Query) => ask<T>('GET', withQuery(path, query)),
  post: <T>(path: string, body?: unknown) => ask<T>('POST', path, body),
  put: <T>(path: string, body?: unknown) => ask<T>('PUT', path, body),
  delete: <T>(path: string, body?: unknown) => ask<T>('DELETE', path, body),
}
