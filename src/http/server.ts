import type { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyServerOptions } from 'fastify'
import findMyWay from 'find-my-way'
import { isUnavailable } from '../db/errors.ts'
import { randomId } from '../lib/secrets.ts'
import { countStray, type Doors } from './auth.ts'
import { useJsonBodies } from './body.ts'
import {
  ApiError,
  badRequest,
  errorBody,
  forbidden,
  internal,
  methodNotAllowed,
  unavailable,
  unknownPath,
} from './errors.ts'
import { mount, verbsByPath } from './mounts.ts'
import { refuse, refuseUnreadable } from './refuse.ts'
import type { Route, Surroundings } from './route.ts'
import { keepTlsFresh, readTls, type TlsFiles } from './tls.ts'

export interface ServerOptions {
  trustedProxies: readonly string[]
  tls?: TlsFiles | undefined
  /** Production: every request must have come over HTTPS, ours or a trusted proxy's. */
  httpsOnly: boolean
  /** How long a client may take; tests make it short. */
  requestTimeoutMs?: number
}

/** Pages that are no API: docs, default audio, health in sandbox mode. */
export type Page = (server: FastifyInstance) => void

export function createServer(
  options: ServerOptions,
  parts: { routes: readonly Route[]; surroundings: Surroundings; doors: Doors; pages: readonly Page[] },
): FastifyInstance {
  const { routes, surroundings, doors, pages } = parts
  const { log } = surroundings.services
  const requestTimeout = options.requestTimeoutMs ?? 30_000
  const settings: FastifyServerOptions = {
    logger: false,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    requestTimeout,
    connectionTimeout: 2 * requestTimeout,
    keepAliveTimeout: 72_000,
    return503OnClosing: true,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 400 },
    genReqId: requestId,
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (_error, _request, reply) => answer(reply, badRequest('The address cannot be read')),
  }
  const patience = { headersTimeout: requestTimeout, connectionsCheckingInterval: Math.min(requestTimeout, 5_000) }
  const secure = options.tls && { https: { ...patience, ...readTls(options.tls) } }
  const server = fastify({ ...settings, ...(secure ?? { http: patience }) } as FastifyServerOptions)
  if (options.tls) keepTlsFresh(server, options.tls, (error) => log.error({ error }, 'certificate not reloaded'))
  useJsonBodies(server)
  server.decorateRequest('caller', undefined)

  server.addHook('onRequest', async (request, reply) => {
    reply.headers(safeHeaders)
    reply.header('x-request-id', request.id)
    if (!options.httpsOnly) return
    reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
    if (request.protocol !== 'https')
      throw forbidden('Only HTTPS is answered; use https:// and check the proxy settings')
  })
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    doors.metrics.requestSeconds.observe(
      { method: request.method, route, status: reply.statusCode },
      reply.elapsedTime / 1_000,
    )
    log.debug({ requestId: request.id, method: request.method, route, status: reply.statusCode }, 'answered')
  })
  server.setErrorHandler((error, request, reply) => {
    const told = toApiError(error)
    if (told.status >= 500) log.error({ requestId: request.id, error }, 'request failed')
    return answer(reply, told)
  })

  const paths = pathsOf(routes)
  server.setNotFoundHandler(async (request, reply) => {
    const verbs = paths(request.url)
    await countStray(doors, request, reply)
    throw verbs ? methodNotAllowed(request.method, verbs) : unknownPath()
  })
  server.server.on('connect', (_request, socket: Socket) => refuse(socket, 405))
  for (const page of pages) page(server)
  mount(server, routes, surroundings, doors)
  return server
}

const safeHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}

function requestId(request: { headers: Record<string, unknown> }): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : randomId()
}

function answer(reply: FastifyReply, error: ApiError) {
  if (error.status === 413) reply.header('connection', 'close')
  return reply.code(error.status).headers(error.headers).send(errorBody(error.status, error.message))
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isUnavailable(error)) return unavailable()
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status === 503) return unavailable()
  return status >= 400 && status < 500
    ? badRequest('The request cannot be read; check its headers and address')
    : internal()
}

/** Which verbs a path knows, or undefined for an unknown path. */
function pathsOf(routes: readonly Route[]): (url: string) => string[] | undefined {
  const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: 400 })
  for (const [path, verbs] of verbsByPath(routes)) router.on('GET', path, () => {}, verbs)
  return (url) => {
    const verbs: string[] | undefined = router.find('GET', url.split('?', 1)[0] ?? url)?.store
    return verbs?.includes('GET') ? [...verbs, 'HEAD'] : verbs
  }
}
