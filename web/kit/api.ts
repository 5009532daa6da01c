import { inFrame, isOutage, reach } from './reach.ts'

// Requests of the web apps. They use the routes of the public API, mounted under /app, with the session cookie.

/** A response other than 2xx; `message` is the server's `troubleshoot` text. */
export class ApiError extends Error {
  readonly status: number
  readonly details: Record<string, string[]>
  /** The `Retry-After` header in seconds, if the response has one. */
  readonly retryAfter: number | undefined
  constructor(status: number, message: string, details: Record<string, string[]> = {}, retryAfter?: number) {
    super(message)
    this.status = status
    this.details = details
    this.retryAfter = retryAfter
  }
}

let csrfToken = ''
/** Set from every response that describes the session. */
export function setCsrfToken(token: string): void {
  csrfToken = token
}

/** Runs when the session has ended; the app shows the sign-in screen. */
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

async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
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
      // On a network that drops packets the browser itself would wait for minutes.
      signal: AbortSignal.timeout(method === 'GET' ? readTimeoutMs : writeTimeoutMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    text = await response.text()
  } catch {
    reach.suspect()
    throw new ApiError(0, 'The server cannot be reached. Check your connection and try again.')
  }
  const json = parseJson(text)
  if (response.ok) return json as T
  if (isOutage(response.status)) reach.suspect()
  if (response.status === 403 && json?.troubleshoot === 'Sign in first') onSignedOut()
  const retryAfter = Number(response.headers.get('retry-after')) || undefined
  const message = json?.troubleshoot ?? messageFor(response.status)
  throw new ApiError(response.status, message, json?.errors, retryAfter)
}

const readTimeoutMs = 30_000
/** Long enough to upload an attachment over a slow connection. */
const writeTimeoutMs = 180_000

/** Undefined for a response that is not JSON, such as the error page of a proxy. */
function parseJson(text: string) {
  try {
    return text ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

const messageFor = (status: number) =>
  isOutage(status)
    ? 'The server is not available at the moment. Try again in a few seconds.'
    : `The server returned an error (${status}). Try again.`

/** `path` is the path of the public API, such as `/v1/calls`. */
export const api = {
  get: <T>(path: string, query?: Query) => request<T>('GET', withQuery(path, query)),
  post: <T>(path: string, body?: unknown) => request<T>('POST', path, body),
  put: <T>(path: string, body?: unknown) => request<T>('PUT', path, body),
  delete: <T>(path: string, body?: unknown) => request<T>('DELETE', path, body),
}
