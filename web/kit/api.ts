import { createAttempts } from './attempts.ts'
import { chooseInConflict, type EditConflict, EditDiscarded, isSettled, loadedOf, mergedWith } from './edits.ts'
import type { paths } from './generated/api.d.ts'
import { inFrame, isOutage, reach } from './reach.ts'

// Requests of the web apps. They use the routes of the public API, mounted under /app, with the session cookie.
// Paths, parameters, bodies and responses are typed by the OpenAPI document of the server.

/** A response other than 2xx; `message` is the server's `troubleshoot` text. */
export class ApiError extends Error {
  readonly status: number
  readonly details: Record<string, string[]>
  /** The `Retry-After` header in seconds, if the response has one. */
  readonly retryAfter: number | undefined
  /** Another user has changed the object since the form was loaded. */
  conflict: EditConflict | undefined
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

/** Runs when the company requires two-step verification of a user without it. */
let onEnrolmentRequired = () => {}
export function whenEnrolmentRequired(run: () => void): void {
  onEnrolmentRequired = run
}

type Method = 'get' | 'post' | 'put' | 'delete'
type PathOf<M extends Method> = { [P in keyof paths]: M extends keyof paths[P] ? P : never }[keyof paths]
type Operation<P, M> = P extends keyof paths ? (M extends keyof paths[P] ? paths[P][M] : never) : never
type JsonIn<T> = T extends { content: { 'application/json': infer Json } } ? Json : never

/** The body of a successful response; undefined if it has none. */
export type ResponseOf<P extends PathOf<M>, M extends Method = 'get'> =
  Operation<P, M> extends { responses: infer R } ? Received<R[keyof R]> : never
type Received<R> = R extends { content: infer C } ? ([C] extends [never] ? undefined : JsonIn<R>) : undefined

/** The body of a request. */
export type RequestOf<P extends PathOf<M>, M extends Method = 'post'> =
  Operation<P, M> extends infer O
    ? 'requestBody' extends keyof O
      ? Sent<JsonIn<NonNullable<O['requestBody']>>>
      : never
    : never

/** JSON omits properties that are undefined, so that every optional property may be. */
type Sent<T> = T extends readonly (infer One)[]
  ? readonly Sent<One>[]
  : T extends object
    ? { [K in keyof T]: Sent<T[K]> | (Record<never, never> extends Pick<T, K> ? undefined : never) }
    : T

type QueryValue = string | number | boolean | readonly (string | number)[] | null | undefined
type Query = Record<string, QueryValue>
type QueryNames<O> = O extends { parameters: infer All }
  ? 'query' extends keyof All
    ? keyof NonNullable<All['query']>
    : never
  : never

type ParamNames<P> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamNames<Rest> : never
type Params<P> = [ParamNames<P>] extends [never]
  ? { params?: never }
  : { params: Record<ParamNames<P>, string | number> }
type Body<O> = 'requestBody' extends keyof O
  ? undefined extends O['requestBody']
    ? { body?: Sent<JsonIn<NonNullable<O['requestBody']>>> }
    : { body: Sent<JsonIn<O['requestBody']>> }
  : { body?: Record<string, never> }
type Options<P, M> = Params<P> & { storesFiles?: boolean; key?: string } & {
  query?: { [K in QueryNames<Operation<P, M>>]?: QueryValue } | undefined
} & Body<Operation<P, M>>
/** The object as the form has loaded it: the request is refused if another user has changed it since, and the user chooses. */
type Editing<O> = O & { loaded?: object | undefined }
type Arguments<P, M> = Record<never, never> extends Options<P, M> ? [options?: Options<P, M>] : [options: Options<P, M>]

type EditArguments<P> =
  Record<never, never> extends Options<P, 'put'>
    ? [options?: Editing<Options<P, 'put'>>]
    : [options: Editing<Options<P, 'put'>>]

interface AnyOptions {
  params?: Record<string, string | number>
  query?: Query | undefined
  body?: unknown
  /** A missing object is an empty response, not an error. */
  isOptional?: boolean
  /** Without an Idempotency-Key: the server has to store files before its transaction. */
  storesFiles?: boolean
  /** The Idempotency-Key of a request that may be repeated after a reload; by default each request gets its own. */
  key?: string
}

const filled = (path: string, params: Record<string, string | number> = {}) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue
    if (Array.isArray(value)) for (const one of value) search.append(`${name}[]`, String(one))
    else search.set(name, String(value))
  }
  const text = search.toString()
  return text ? `${path}?${text}` : path
}

const attempts = createAttempts(() => Date.now())

async function request<T>(method: string, path: string, options: AnyOptions = {}): Promise<T> {
  const { params, query, body, isOptional, storesFiles, key } = options
  const headers: Record<string, string> = { accept: 'application/json', ...inFrame() }
  if (isOptional) headers.prefer = 'absent=204'
  if (method !== 'GET') headers['x-csrf-token'] = csrfToken
  const target = `/app${withQuery(filled(path, params), query)}`
  const json = body === undefined ? undefined : JSON.stringify(body)
  if (json !== undefined) headers['content-type'] = 'application/json'
  const attempt =
    method === 'POST' && !storesFiles && key === undefined ? attempts.begin(`${target} ${json}`) : undefined
  const usedKey = key ?? attempt?.key
  if (usedKey) headers['idempotency-key'] = usedKey
  let response: Response
  let text: string
  try {
    response = await fetch(target, {
      method,
      headers,
      credentials: 'same-origin',
      // On a network that drops packets the browser itself would wait for minutes.
      signal: AbortSignal.timeout(method === 'GET' ? readTimeoutMs : writeTimeoutMs),
      ...(json !== undefined && { body: json }),
    })
    text = await response.text()
  } catch {
    attempt?.failed()
    reach.suspect()
    throw new ApiError(0, 'The server cannot be reached. Check your connection and try again.')
  }
  const reply = parseJson(text)
  if (response.ok) return reply as T
  attempt?.failed()
  if (isOutage(response.status)) reach.suspect()
  if (response.status === 403 && reply?.troubleshoot === 'Sign in first') onSignedOut()
  if (response.status === 403 && reply?.troubleshoot === 'Set up two-step verification first') onEnrolmentRequired()
  const retryAfter = Number(response.headers.get('retry-after')) || undefined
  const isRunning = response.status === 409 && reply?.troubleshoot?.includes('Idempotency-Key')
  const message = isRunning ? stillRunning : (reply?.troubleshoot ?? messageFor(response.status))
  const error = new ApiError(response.status, message, reply?.errors, retryAfter)
  error.conflict = reply?.conflict
  throw error
}

/** An update of what the user has loaded. Values that another user has changed since are overwritten only if the user says so. */
async function edit<T>(path: string, { loaded, ...options }: AnyOptions & { loaded?: object | undefined }): Promise<T> {
  if (!loaded) return request<T>('PUT', path, options)
  let mine = options.body as Record<string, unknown>
  let known = loadedOf(mine, loaded)
  for (;;) {
    try {
      return await request<T>('PUT', path, { ...options, body: { ...mine, edited_from: known } })
    } catch (error) {
      if (!(error instanceof ApiError) || !error.conflict) throw error
      const question = { conflict: error.conflict, loaded: known, mine }
      const choice = isSettled(question) ? 'mine' : await chooseInConflict(question)
      if (choice === 'edit') throw error
      if (choice === 'theirs') throw new EditDiscarded()
      mine = mergedWith(question)
      known = { ...known, ...error.conflict.current }
    }
  }
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

const stillRunning = 'The server is still processing your first request. Try again in a few seconds.'

const messageFor = (status: number) =>
  isOutage(status)
    ? 'The server is not available at the moment. Try again in a few seconds.'
    : `The server returned an error (${status}). Try again.`

/** `path` is a path of the API without /app, such as `/v1/calls/{id}`. */
export const api = {
  get: <P extends PathOf<'get'>>(path: P, ...[options]: Arguments<P, 'get'>) =>
    request<ResponseOf<P, 'get'>>('GET', path, options),
  /** Null if there is no such object. */
  find: async <P extends PathOf<'get'>>(
    path: P,
    ...[options]: Arguments<P, 'get'>
  ): Promise<ResponseOf<P, 'get'> | null> =>
    (await request<ResponseOf<P, 'get'> | null>('GET', path, { ...options, isOptional: true })) ?? null,
  post: <P extends PathOf<'post'>>(path: P, ...[options]: Arguments<P, 'post'>) =>
    request<ResponseOf<P, 'post'>>('POST', path, options),
  put: <P extends PathOf<'put'>>(path: P, ...[options]: EditArguments<P>) =>
    edit<ResponseOf<P, 'put'>>(path, options ?? {}),
  delete: <P extends PathOf<'delete'>>(path: P, ...[options]: Arguments<P, 'delete'>) =>
    request<ResponseOf<P, 'delete'>>('DELETE', path, options),
}
