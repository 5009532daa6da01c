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
  const headers: Record<string, string> = { accept: 'application/json' }
  if (method !== 'GET') headers['x-csrf-token'] = csrfToken
  if (body !== undefined) headers['content-type'] = 'application/json'
  // Cookies are kept differently inside a page of somebody else.
  if (window.parent !== window) headers['x-hookswitch-frame'] = '1'
  let response: Response
  try {
    response = await fetch(`/app${path}`, {
      method,
      headers,
      credentials: 'same-origin',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  } catch {
    throw new ApiError(0, 'The server cannot be reached. Check your connection; we try again by ourselves.')
  }
  const text = await response.text()
  const json = text ? JSON.parse(text) : undefined
  if (response.ok) return json as T
  if (response.status === 403 && json?.troubleshoot === 'Sign in first') onSignedOut()
  const wait = Number(response.headers.get('retry-after')) || undefined
  throw new ApiError(response.status, json?.troubleshoot ?? response.statusText, json?.errors, wait)
}

/** `path` is that of the API: `/v1/calls`. */
export const api = {
  get: <T>(path: string, query?: Query) => ask<T>('GET', withQuery(path, query)),
  post: <T>(path: string, body?: unknown) => ask<T>('POST', path, body),
  put: <T>(path: string, body?: unknown) => ask<T>('PUT', path, body),
  delete: <T>(path: string, body?: unknown) => ask<T>('DELETE', path, body),
}
