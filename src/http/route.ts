import { Readable as Stream } from 'node:stream'
import fastJson from 'fast-json-stringify'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Role } from '../db/tables.ts'
import { type RequiredScope, requiredScope } from '../domain/api-scopes.ts'
import { type Clock, minute } from '../lib/clock.ts'
import type { RequestClaim, Services } from '../services.ts'
import { noFields, type ParsedBody } from './body.ts'
import { type Caller, type Feature, hasFeature } from './caller.ts'
import { type EditedObject, loadedValues, servicesOfEdit } from './edits.ts'
import { type ApiError, forbidden, notFound } from './errors.ts'
import { type Execution, type Idempotency, type KeyedRequest, keyedRequest, markReplayed } from './idempotency.ts'
import { asTexts } from './input.ts'
import type { ListUrl } from './paging.ts'
import { placeOf, readInner, readParams, readRequest } from './request-input.ts'
import type { SessionCookies } from './session-cookie.ts'

/** Public API and /app (the default) · public API with an API key only · only /app · no credentials. */
export type Access = 'api' | 'key' | 'app' | 'open'
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Empty = TSchema & { static: Record<string, never> }

/** Definition of an endpoint: validation, access, OpenAPI and types derive from it. */
export interface Spec<P extends TSchema, Q extends TSchema, B extends TSchema, R extends TSchema, L> {
  method: Method
  path: string
  /** Name of the operation in client libraries; by default derived from method and path. */
  operationId?: string
  summary: string
  description?: string
  tag: string
  access?: Access
  /** Under /app. By default supervisors may read and admins may write. */
  roles?: readonly Role[]
  /** Under /app without a session, but from our own pages only: for sign-in. */
  anyone?: boolean
  /** Open to sessions that must set up two-step verification first. */
  enrolment?: boolean
  /** Not counted against the rate limit of the company. */
  free?: boolean
  feature?: Feature
  /** Controlled by the operator in a multi-tenant installation: then 403, with this text in the message. */
  operatorControls?: string
  params?: P
  /** Status for a malformed path parameter: not found by default, or 400 where the API specifies it. */
  wrongParams?: 400 | 404
  /** Status for missing or wrong credentials, where the API specifies 401. */
  wrongCredentials?: 401 | 403
  query?: Q
  body?: B
  /** Accepts forms as well as JSON. */
  form?: boolean
  /** Customizes the error for an invalid body. */
  refusal?: (problem: ApiError, fields: Record<string, unknown>) => ApiError
  /** Maximum body size in bytes if it is not 1 MiB. */
  bodyLimit?: number
  /** A body of at least this many bytes is an invalid value. */
  bodyBelow?: number
  /** Fields whose invalid values are 422 instead of 400. */
  unprocessable?: readonly string[]
  load?: (input: { params: Static<P>; caller: Caller; services: Services }) => Promise<L | undefined>
  /** The object that a form under /app edits: a change is refused if another one has overtaken it. */
  edits?: EditedObject<{ params: Static<P>; caller: Caller; services: Services; loaded: L }>
  /** Runs before `handle`, and outside of the transaction of a request with an Idempotency-Key. */
  check?: (input: Input<P, Q, B, L>) => Promise<void>
  /**
   * The change is not made through `services.db`: a command to a call, or a file. The handler passes its `claim` on to
   * what makes the change, or can be repeated. Its response has no content.
   */
  changesOutside?: boolean
  /** A request to write that only computes, such as a plan: it needs no Idempotency-Key. */
  changesNothing?: boolean
  /** Accepts an Idempotency-Key under /app although it is not public; routes that are public do in any case. */
  keyedInApps?: boolean
  deprecated?: Deprecation
  errors?: readonly ErrorCase[]
  reply: { status: 200 | 201 | 202; body: R } | { status: 204 } | { status: 200; stream: StreamType }
  handle: (input: Input<P, Q, B, L>) => Promise<Static<R> | JsonText>
}

/**
 * A response body that is JSON already, for replies of megabytes: when the database writes the JSON, the main thread
 * neither reads rows nor serializes objects. The schema only documents it.
 */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An endless event stream, or a finite list of lines. */
export type StreamType = 'text/event-stream' | 'application/x-ndjson' | 'text/csv'

/** Chunks of a streamed response, produced at the pace of the reader. */
export type Pieces = AsyncIterable<string>

/** Deprecation date, sunset date and replacement. */
export interface Deprecation {
  since: string
  sunset: string
  successor: string
}

export interface ErrorCase {
  status: 400 | 401 | 403 | 404 | 405 | 409 | 422 | 429
  when: string
}

export interface Input<P extends TSchema, Q extends TSchema, B extends TSchema, L> {
  params: Static<P>
  query: Static<Q>
  body: Static<B>
  caller: Caller
  services: Services
  loaded: L
  place: ListUrl
  header(name: string): string | undefined
  /** IP address of the client. */
  address: string
  /** Browser session: its cookie, set with the response, or deleted with null. */
  session: { id: string | undefined; change(id: string | null): void }
  /** Runs when the client has disconnected. */
  whenGone(run: () => void): void
  /** Of a request with an Idempotency-Key, if the route changes something outside. */
  claim: RequestClaim | undefined
}

/** A route as used by the mounts and the OpenAPI document. */
export interface Route {
  method: Method
  path: string
  access: Access
  /** Not rate-limited · no session needed · open while two-step verification is set up · accepts forms · roles under /app. */
  free: boolean
  anyone: boolean
  enrolment: boolean
  form: boolean
  bodyLimit: number | undefined
  roles: readonly Role[]
  wrongCredentials: 401 | 403
  /** Name of the object that the route edits. */
  edits: string | undefined
  /** What an API key needs. */
  scope: RequiredScope
  document: Omit<Spec<TSchema, TSchema, TSchema, TSchema, unknown>, 'load' | 'check' | 'handle' | 'refusal' | 'edits'>
  /** The same endpoint for API keys with the scope `admin`, under /v1/admin. */
  forAdminKeys(): Route
  /** The same route, accepting an Idempotency-Key from the web apps. */
  forApps(): Route
  /** The same checks and change for a request that is part of another one; returns the JSON of the response. */
  perform(
    request: InnerRequest,
    as: Pick<Input<TSchema, TSchema, TSchema, unknown>, 'caller' | 'services' | 'address'>,
  ): Promise<unknown>
  /** After authentication: reads the request, handles it, writes the response. */
  answer(exchange: HttpExchange, context: RouteContext): Promise<FastifyReply>
}

/** A request without HTTP. */
export interface InnerRequest {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: Record<string, unknown>
}

export interface HttpExchange {
  request: FastifyRequest
  response: FastifyReply
  /** Values of the path parameters. */
  params: Record<string, string | undefined>
}

export interface RouteContext {
  services: Services
  /** Base URL of paging links; undefined: taken from the Host header of the request. */
  linkBase: string | undefined
  strictContentType: boolean
  sessions: SessionCookies
  idempotency: Idempotency
}

export function route<
  P extends TSchema = Empty,
  Q extends TSchema = Empty,
  B extends TSchema = Empty,
  R extends TSchema = Empty,
  L = undefined,
>(spec: Spec<P, Q, B, R, L>): Route {
  const { method, path, reply, access = 'api', free = false, anyone = false, roles = defaultRoles(method) } = spec
  const textOf = serializer(spec.reply)
  const { load: _load, check: _check, handle: _handle, refusal: _refusal, edits: _edits, ...document } = spec
  const canRepeat = method !== 'GET' && !spec.changesNothing && /^\/v\d\//.test(path)
  /** The web apps send a key with what they create; what they change is compared with what they have loaded. */
  const isKeyed = (mount: string | undefined) =>
    canRepeat &&
    (mount === 'public' ? isPublic(access) : method === 'POST' && (isPublic(access) || (spec.keyedInApps ?? false)))

  /** Reads and checks the request; the result is the input of the handler. */
  async function read({ request, response, params: inPath }: HttpExchange, context: RouteContext) {
    const { services } = context
    const caller = request.caller as Caller
    const params = readParams(spec.params, inPath, spec.wrongParams ?? 404)
    const loaded = spec.load && (await spec.load({ params, caller, services } as Parameters<typeof spec.load>[0]))
    if (spec.load && loaded === undefined) throw notFound()
    const { query, body, search } = readRequest(spec, request, context.strictContentType)

    const place = placeOf(request, search, context.linkBase)
    const header = (name: string) => firstOf(request.headers[name])
    const whenGone = (run: () => void) => void response.raw.once('close', run)
    const address = request.ip
    const session = context.sessions.of(request, response)
    const given = { params, query, body, caller, loaded, place, header, address, session, whenGone, claim: undefined }
    const ofEdit = spec.edits ? servicesOf(spec, request, params as Static<P>, services) : services
    const input = { ...given, services: ofEdit } as Input<P, Q, B, L>
    await spec.check?.(input)
    return input
  }

  /** With an Idempotency-Key. */
  async function answerOnce(keyed: KeyedRequest, exchange: HttpExchange, context: RouteContext): Promise<FastifyReply> {
    const { status } = reply
    const outside = spec.changesOutside ?? false
    const fixed = { status, outside, body: outside ? textOf({}) : null }
    const { body, isReplayed } = await context.idempotency.once(keyed, fixed, async () => {
      const input = await read(exchange, context)
      const execute: Execution = async (services, claim) => textOf(await spec.handle({ ...input, services, claim }))
      return { services: input.services, execute }
    })
    const response = exchange.response.code(status)
    if (isReplayed) markReplayed(response)
    return send(response, body)
  }

  return {
    method,
    path,
    access,
    free,
    anyone,
    enrolment: spec.enrolment ?? false,
    form: spec.form ?? false,
    bodyLimit: spec.bodyLimit,
    roles,
    wrongCredentials: spec.wrongCredentials ?? 403,
    edits: spec.edits?.object,
    scope: requiredScope(method, path) ?? 'admin',
    document: document as Route['document'],
    forApps: () => route({ ...spec, keyedInApps: true }),
    forAdminKeys: () => route({ ...spec, access: 'key', path: path.replace(/^\/v1/, '/v1/admin') }),
    async perform({ params: inPath = {}, query = {}, body = {} }, as) {
      requireCompany(as.caller, spec.feature)
      if (spec.operatorControls) requireOperator(as.services, spec.operatorControls)
      const params = readParams(spec.params, asTexts(inPath), spec.wrongParams ?? 404)
      const loaded = spec.load && (await spec.load({ params, ...as } as Parameters<typeof spec.load>[0]))
      if (spec.load && loaded === undefined) throw notFound()
      const place = { base: '', path, search: '' }
      const input = { ...as, ...readInner(spec, query, body), params, loaded, place, header: () => undefined }
      await spec.check?.(input as unknown as Input<P, Q, B, L>)
      return JSON.parse(textOf(await spec.handle(input as unknown as Input<P, Q, B, L>)) ?? 'null')
    },
    async answer(exchange, context) {
      const { request, response, params } = exchange
      const { services } = context
      if (spec.deprecated) response.headers(deprecationHeaders(spec.deprecated, request, params))
      const caller = request.caller as Caller
      if (access !== 'open' && !anyone) requireCompany(caller, spec.feature)
      if (spec.operatorControls) requireOperator(services, spec.operatorControls)
      const keyed = isKeyed(request.found?.mount) ? keyedRequest(request, caller) : undefined
      if (keyed) return answerOnce(keyed, exchange, context)
      const result = await spec.handle(await read(exchange, context))
      if ('stream' in reply)
        return streamResponse(services.clock, request, response, reply.stream, result as unknown as Pieces)
      return send(response.code(reply.status), textOf(result))
    },
  }
}

/** Served with credentials of the public API. */
export const isPublic = (access: Access) => access === 'api' || access === 'key'

/** Services for a change of an object that several users may be editing. */
function servicesOf<P extends TSchema, L>(
  { edits, load }: Pick<Spec<P, TSchema, TSchema, TSchema, L>, 'edits' | 'load'>,
  request: FastifyRequest,
  params: Static<P>,
  services: Services,
): Services {
  if (!edits) return services
  const caller = request.caller as Caller
  const given = (request.body ?? noFields) as ParsedBody
  const isOwnApp = request.found?.mount === 'app' && 'fields' in given
  const [id] = Object.values(params as Record<string, unknown>)
  return servicesOfEdit(services, {
    object: id === undefined ? edits.object : `${edits.object} ${id}`,
    caller,
    loaded: isOwnApp ? loadedValues(given.fields) : undefined,
    async current(inside) {
      const loaded = load && (await load({ params, caller, services: inside }))
      if (load && loaded === undefined) return undefined
      return edits.view({ params, caller, services: inside, loaded: loaded as L })
    },
  })
}

const firstOf = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

// A client that has read nothing for this long is considered gone.
const stalledMs = minute

function streamResponse(clock: Clock, request: FastifyRequest, response: FastifyReply, type: string, pieces: Pieces) {
  response.headers({ 'content-type': type, 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  // A HEAD response has no body.
  if (request.method === 'HEAD') return response.send()
  const watched = watch(clock, pieces, () => request.raw.socket.destroy())
  return response.send(Stream.from(watched, { highWaterMark: 1 }))
}

async function* watch(clock: Clock, pieces: Pieces, stalled: () => void): Pieces {
  for await (const piece of pieces) {
    const cancel = clock.machineAfter(stalledMs, stalled)
    try {
      yield piece
    } finally {
      cancel()
    }
  }
}

function defaultRoles(method: Method): readonly Role[] {
  return method === 'GET' ? ['owner', 'admin', 'supervisor'] : ['owner', 'admin']
}

export function requireCompany({ company }: Caller, feature?: Feature) {
  if (!company.active) throw forbidden('The company is not active; ask your account owner')
  if (!company.verified) throw forbidden('The company is not verified yet; finish the verification first')
  if (feature && !hasFeature(company, feature)) {
    throw forbidden(`The plan of the company does not include ${feature}; ask your account owner to add it`)
  }
}

/** Without effect where the owner is the operator. */
export function requireOperator({ rules }: Pick<Services, 'rules'>, what: string): void {
  if (rules.tenancy === 'multi') throw forbidden(`${what} by the operator of this installation; ask them to change it`)
}

/** Compiled with the first response, not at startup; fields outside the schema are dropped. Null: no content. */
function serializer(reply: { status: number; body?: TSchema; stream?: string }) {
  let stringify: ((value: unknown) => string) | undefined
  return (result: unknown): string | null => {
    if (!reply.body) return null
    if (result instanceof JsonText) return result.text
    stringify ??= fastJson(reply.body as Parameters<typeof fastJson>[0]) as (value: unknown) => string
    return stringify(result)
  }
}

const send = (response: FastifyReply, body: string | null) =>
  body === null ? response.send() : response.header('content-type', 'application/json; charset=utf-8').send(body)

// RFC 9745 and RFC 8594.
function deprecationHeaders(
  { since, sunset, successor }: Deprecation,
  { url }: FastifyRequest,
  params: HttpExchange['params'],
) {
  const mount = url.startsWith('/app/') ? '/app' : ''
  const path = mount + successor.replace(/:(\w+)/g, (_match, name: string) => encodeURIComponent(params[name] ?? ''))
  return {
    deprecation: `@${Date.parse(since) / 1_000}`,
    sunset: new Date(sunset).toUTCString(),
    link: `<${path}>; rel="successor-version"`,
  }
}
