import type { FastifyReply, FastifyRequest } from 'fastify'
import { allowsScope, type RequiredScope } from '../domain/api-scopes.ts'
import type { Clock } from '../lib/clock.ts'
import { plainAddress } from '../lib/ip-address.ts'
import { ipRanges } from '../lib/ip-ranges.ts'
import type { Metrics } from '../lib/metrics.ts'
import { hashOf, sameHash } from '../lib/secrets.ts'
import type { Throttle, ThrottledVerdict } from '../lib/throttle.ts'
import type { Caller } from './caller.ts'
import { ApiError, forbidden, tooManyRequests } from './errors.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Route } from './route.ts'
import { cookieIn } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
  }
}

/** Credential lookups; injected, because http/ has no stores. */
export interface Lookups {
  key(apiId: string): Promise<KnownKey | undefined>
  token(tokenHash: string): Promise<Caller | undefined>
  session(idHash: string): Promise<{ csrfHash: string; caller: Caller } | undefined>
}

export interface KnownKey {
  tokenHash: string
  /** The token before a rotation, while it is still accepted. */
  previousTokenHash: string | undefined
  caller: Caller
  /** Machine time; null: does not expire. */
  expiresAt: number | null
  /** Null: any address. */
  allowedIps: readonly string[] | null
  /** Stores that the key is in use, now and then. */
  used(): Promise<void>
}

export interface AuthContext {
  lookups: Lookups
  throttle: Throttle
  rateLimit: RateLimit
  rateHeaderPrefix: string
  metrics: Metrics
  clock: Clock
  /** Origins of our own pages, and the name of the session cookie. */
  ownOrigins: readonly string[]
  cookieName: string
}

// Compared when the key is unknown, so that both cases take the same time.
const unknownKeyHash = hashOf('unknown key')
const invalidCredentials = () =>
  forbidden('Send valid credentials: Basic with your api_id and api_token, or Bearer with an access token')

/** Authenticates /v1 and /v2: Basic or Bearer, then the rate limit. Cookies are not accepted. */
export function authenticateApi(auth: AuthContext) {
  return async (request: FastifyRequest, reply: FastifyReply, rules: AccessRules) => {
    const { access, free, wrongCredentials, scope } = rules
    if (access === 'open') return
    const caller = await identify(auth, request).catch((error: unknown) => {
      throw wrongCredentials === 401 ? asUnauthorized(error) : error
    })
    request.caller = caller
    if (!free) await count(auth, caller, reply)
    if (access === 'key') requireKey(caller)
    requireScope(caller, scope)
  }
}

/** An OAuth app acts for the company that installed it, but does not administer it. */
function requireKey({ via }: Caller): void {
  if (via.kind !== 'key') throw forbidden('This path needs an API key with the scope `admin`, not an access token')
}

/** Of API keys; sessions have roles. */
export function requireScope({ via }: Caller, scope: RequiredScope): void {
  if (via.kind === 'key' && !allowsScope(via.scopes, scope))
    throw forbidden(`This API key lacks the scope \`${scope}\`; add it under Developers > API keys, or use another key`)
}

type AccessRules = Pick<Route, 'access' | 'free' | 'scope'> & Partial<Pick<Route, 'wrongCredentials'>>

/** The same refusal with status 401 (RFC 9110 §15.5.2); throttled clients still get 429. */
const asUnauthorized = (error: unknown) =>
  error instanceof ApiError && error.status === 403
    ? new ApiError(401, error.message, { 'www-authenticate': 'Basic realm="API", Bearer' })
    : error

/** Counts a request to an unknown path if its credentials are valid. */
export async function countUnknownPath(auth: AuthContext, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!request.headers.authorization || !/^\/v[12](\/|$|\?)/.test(request.url)) return
  try {
    await count(auth, await identify(auth, request), reply)
  } catch {
    // Invalid credentials or an exceeded limit do not matter: an unknown path is 404 and a wrong method 405.
  }
}

async function count(auth: AuthContext, caller: Caller, reply: FastifyReply): Promise<void> {
  const spent = await auth.rateLimit.spend(caller.companyId)
  const prefix = auth.rateHeaderPrefix
  reply.header(`${prefix}-Limit`, spent.limit)
  reply.header(`${prefix}-Remaining`, spent.remaining)
  reply.header(`${prefix}-Reset`, spent.resetAt)
  if (spent.allowed) return
  auth.metrics.rateLimited.inc()
  const wait = Math.max(1, Math.ceil(spent.resetAt - auth.clock.machineNow() / 1_000))
  throw tooManyRequests(`Only ${spent.limit} requests a minute are answered; wait ${wait} s`, wait)
}

export async function identify(auth: AuthContext, request: FastifyRequest): Promise<Caller> {
  const [scheme, value] = authorizationOf(request)
  const attempt = await (scheme === 'basic' ? byKey(auth, request.ip, value) : byToken(auth, request.ip, scheme, value))
  if (attempt.kind === 'valid') return attempt.value
  if (attempt.kind === 'blocked') {
    const { retryAfterSeconds } = attempt
    throw tooManyRequests('Too many wrong credentials from your address; wait before the next try', retryAfterSeconds)
  }
  auth.metrics.wrongCredentials.inc()
  throw invalidCredentials()
}

function authorizationOf(request: FastifyRequest): [scheme: string, value: string] {
  const { rawHeaders } = request.raw
  let given = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'authorization') given++
  const header = request.headers.authorization ?? ''
  const space = header.indexOf(' ')
  if (given !== 1 || space < 0) throw invalidCredentials()
  return [header.slice(0, space).toLowerCase(), header.slice(space + 1).trim()]
}

function pairIn(encoded: string): { apiId: string; token: string } {
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  if (colon < 1 || pair.includes('\0')) throw invalidCredentials()
  return { apiId: pair.slice(0, colon), token: pair.slice(colon + 1) }
}

function byKey(auth: AuthContext, ip: string, encoded: string): Promise<ThrottledVerdict<Caller>> {
  const { apiId, token } = pairIn(encoded)
  return auth.throttle.attempt(ip, apiId, async () => {
    const key = await auth.lookups.key(apiId)
    const hash = hashOf(token)
    const isCurrent = sameHash(hash, key?.tokenHash ?? unknownKeyHash)
    const isPrevious = sameHash(hash, key?.previousTokenHash ?? unknownKeyHash)
    if (key && (isCurrent || isPrevious)) {
      requireUsable(auth, key, ip)
      await key.used()
      return { kind: 'valid', value: key.caller }
    }
    return { kind: key ? 'invalid' : 'unknown' }
  })
}

/** The token is right, so the client may know why the key is rejected. */
function requireUsable({ clock }: AuthContext, { expiresAt, allowedIps }: KnownKey, ip: string): void {
  if (expiresAt !== null && expiresAt <= clock.machineNow())
    throw forbidden('This API key has expired; extend it under Developers > API keys, or use another key')
  const address = plainAddress(ip)
  if (allowedIps !== null && !ipRanges(allowedIps)(address))
    throw forbidden(`This API key is not allowed from ${address}; add the address under Developers > API keys`)
}

function byToken(auth: AuthContext, ip: string, scheme: string, token: string): Promise<ThrottledVerdict<Caller>> {
  return auth.throttle.attempt(ip, undefined, async () => {
    const caller = scheme === 'bearer' ? await auth.lookups.token(hashOf(token)) : undefined
    return caller ? { kind: 'valid', value: caller } : { kind: 'unknown' }
  })
}

const mutations = new Set(['POST', 'PUT', 'DELETE', 'PATCH'])

/**
 * Authenticates /app: session cookie of our own pages; no API key and no rate limit, but Origin, CSRF token and role.
 */
export function authenticateApp(auth: AuthContext) {
  return async (request: FastifyRequest, _reply: FastifyReply, { anyone, roles, enrolment }: Route) => {
    if (anyone) {
      if (mutations.has(request.method)) requireOwnOrigin(auth, request)
      return
    }
    const session = await sessionOf(auth, request)
    if (mutations.has(request.method)) requireOwnPage(auth, request, session.csrfHash)
    const { via } = session.caller
    if (!enrolment) requireEnrolled(session.caller)
    const mine = via.kind === 'session' ? via.roles : []
    if (!roles.some((role) => mine.includes(role))) throw forbidden('Your role does not allow this; ask an admin')
    request.caller = session.caller
  }
}

/** The company requires two-step verification of a user who has not set it up. */
function requireEnrolled({ via }: Caller): void {
  if (mustSetUp(via)) throw forbidden('Set up two-step verification first')
}

const mustSetUp = (via: Caller['via']) => via.kind === 'session' && via.mustEnrol === true

async function sessionOf(auth: AuthContext, request: FastifyRequest) {
  const session = await openSession(auth, request)
  if (!session) throw forbidden('Sign in first')
  return session
}

async function openSession(auth: AuthContext, request: FastifyRequest) {
  const cookie = cookieIn(request.headers.cookie, auth.cookieName)
  return cookie ? auth.lookups.session(hashOf(cookie)) : undefined
}

/** For read-only pages: links from other sites may open them. */
export async function callerOfCookie(auth: AuthContext, request: FastifyRequest): Promise<Caller | undefined> {
  const caller = (await openSession(auth, request))?.caller
  return caller && !mustSetUp(caller.via) ? caller : undefined
}

/** For WebSockets, which cannot carry a CSRF token: the Origin must be ours. */
export async function sessionCaller(auth: AuthContext, request: FastifyRequest): Promise<Caller> {
  requireOwnOrigin(auth, request)
  const { caller } = await sessionOf(auth, request)
  requireEnrolled(caller)
  return caller
}

function requireOwnOrigin(auth: AuthContext, request: FastifyRequest): void {
  const { origin } = request.headers
  if (!origin || !auth.ownOrigins.includes(origin)) throw forbidden('This request did not come from our own pages')
}

function requireOwnPage(auth: AuthContext, request: FastifyRequest, csrfHash: string): void {
  requireOwnOrigin(auth, request)
  const token = request.headers['x-csrf-token']
  if (typeof token !== 'string' || !sameHash(hashOf(token), csrfHash))
    throw forbidden('The X-CSRF-Token is missing or wrong')
}
