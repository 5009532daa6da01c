import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import { hashOf, sameHash } from '../lib/secrets.ts'
import type { Attempt, Throttle } from '../lib/throttle.ts'
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
  key(apiId: string): Promise<{ tokenHash: string; caller: Caller } | undefined>
  token(tokenHash: string): Promise<Caller | undefined>
  session(idHash: string): Promise<{ csrfHash: string; caller: Caller } | undefined>
}

export interface Doors {
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
const nobody = hashOf('nobody')
const wrong = () =>
  forbidden('Send valid credentials: Basic with your api_id and api_token, or Bearer with an access token')

/** Authenticates /v1 and /v2: Basic or Bearer, then the rate limit. Cookies are not accepted. */
export function publicDoor(doors: Doors) {
  return async (request: FastifyRequest, reply: FastifyReply, { access, free, wrongCredentials }: Entrance) => {
    if (access === 'open') return
    const caller = await identify(doors, request).catch((error: unknown) => {
      throw wrongCredentials === 401 ? challenged(error) : error
    })
    request.caller = caller
    if (!free) await count(doors, caller, reply)
  }
}

type Entrance = Pick<Route, 'access' | 'free'> & Partial<Pick<Route, 'wrongCredentials'>>

/** The same refusal with status 401 (RFC 9110 §15.5.2); throttled clients still get 429. */
const challenged = (error: unknown) =>
  error instanceof ApiError && error.status === 403
    ? new ApiError(401, error.message, { 'www-authenticate': 'Basic realm="API", Bearer' })
    : error

/** Counts a request to an unknown path if its credentials are valid. */
export async function countStray(doors: Doors, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!request.headers.authorization || !/^\/v[12](\/|$|\?)/.test(request.url)) return
  try {
    await count(doors, await identify(doors, request), reply)
  } catch {
    // Invalid credentials or an exceeded limit do not matter: an unknown path is 404 and a wrong method 405.
  }
}

async function count(doors: Doors, caller: Caller, reply: FastifyReply): Promise<void> {
  const spent = await doors.rateLimit.spend(caller.companyId)
  const prefix = doors.rateHeaderPrefix
  reply.header(`${prefix}-Limit`, spent.limit)
  reply.header(`${prefix}-Remaining`, spent.remaining)
  reply.header(`${prefix}-Reset`, spent.resetAt)
  if (spent.allowed) return
  doors.metrics.rateLimited.inc()
  const wait = Math.max(1, Math.ceil(spent.resetAt - doors.clock.machineNow() / 1_000))
  throw tooManyRequests(`Only ${spent.limit} requests a minute are answered; wait ${wait} s`, wait)
}

export async function identify(doors: Doors, request: FastifyRequest): Promise<Caller> {
  const [scheme, value] = authorizationOf(request)
  const attempt = await (scheme === 'basic'
    ? byKey(doors, request.ip, value)
    : byToken(doors, request.ip, scheme, value))
  if (attempt.outcome === 'valid') return attempt.value
  if (attempt.outcome === 'blocked') {
    const { retryAfterSeconds } = attempt
    throw tooManyRequests('Too many wrong credentials from your address; wait before the next try', retryAfterSeconds)
  }
  doors.metrics.wrongCredentials.inc()
  throw wrong()
}

function authorizationOf(request: FastifyRequest): [scheme: string, value: string] {
  const { rawHeaders } = request.raw
  let given = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'authorization') given++
  const header = request.headers.authorization ?? ''
  const space = header.indexOf(' ')
  if (given !== 1 || space < 0) throw wrong()
  return [header.slice(0, space).toLowerCase(), header.slice(space + 1).trim()]
}

function pairIn(encoded: string): { apiId: string; token: string } {
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  if (colon < 1 || pair.includes('\0')) throw wrong()
  return { apiId: pair.slice(0, colon), token: pair.slice(colon + 1) }
}

function byKey(doors: Doors, ip: string, encoded: string): Promise<Attempt<Caller>> {
  const { apiId, token } = pairIn(encoded)
  return doors.throttle.attempt(ip, apiId, async () => {
    const key = await doors.lookups.key(apiId)
    const isRight = sameHash(hashOf(token), key?.tokenHash ?? nobody)
    if (key && isRight) return { outcome: 'valid', value: key.caller }
    return { outcome: key ? 'invalid' : 'unknown' }
  })
}

function byToken(doors: Doors, ip: string, scheme: string, token: string): Promise<Attempt<Caller>> {
  return doors.throttle.attempt(ip, undefined, async () => {
    const caller = scheme === 'bearer' ? await doors.lookups.token(hashOf(token)) : undefined
    return caller ? { outcome: 'valid', value: caller } : { outcome: 'unknown' }
  })
}

const mutations = new Set(['POST', 'PUT', 'DELETE', 'PATCH'])

/**
 * Authenticates /app: session cookie of our own pages; no API key and no rate limit, but Origin, CSRF token and role.
 */
export function ownDoor(doors: Doors) {
  return async (request: FastifyRequest, _reply: FastifyReply, { anyone, roles }: Route) => {
    if (anyone) {
      if (mutations.has(request.method)) requireOwnOrigin(doors, request)
      return
    }
    const session = await sessionOf(doors, request)
    if (mutations.has(request.method)) requireOwnPage(doors, request, session.csrfHash)
    const { via } = session.caller
    const mine = via.kind === 'session' ? via.roles : []
    if (!roles.some((role) => mine.includes(role))) throw forbidden('Your role does not allow this; ask an admin')
    request.caller = session.caller
  }
}

async function sessionOf(doors: Doors, request: FastifyRequest) {
  const session = await openSession(doors, request)
  if (!session) throw forbidden('Sign in first')
  return session
}

async function openSession(doors: Doors, request: FastifyRequest) {
  const cookie = cookieIn(request.headers.cookie, doors.cookieName)
  return cookie ? doors.lookups.session(hashOf(cookie)) : undefined
}

/** For read-only pages: links from other sites may open them. */
export const callerOfCookie = async (doors: Doors, request: FastifyRequest): Promise<Caller | undefined> =>
  (await openSession(doors, request))?.caller

/** For WebSockets, which cannot carry a CSRF token: the Origin must be ours. */
export async function sessionCaller(doors: Doors, request: FastifyRequest): Promise<Caller> {
  requireOwnOrigin(doors, request)
  return (await sessionOf(doors, request)).caller
}

function requireOwnOrigin(doors: Doors, request: FastifyRequest): void {
  const { origin } = request.headers
  if (!origin || !doors.ownOrigins.includes(origin)) throw forbidden('This request did not come from our own pages')
}

function requireOwnPage(doors: Doors, request: FastifyRequest, csrfHash: string): void {
  requireOwnOrigin(doors, request)
  const token = request.headers['x-csrf-token']
  if (typeof token !== 'string' || !sameHash(hashOf(token), csrfHash))
    throw forbidden('The X-CSRF-Token is missing or wrong')
}
