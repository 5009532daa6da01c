import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import { isUnavailable } from '../db/errors.ts'
import { Overloaded } from '../lib/limit-concurrency.ts'
import type { AuthContext } from './auth.ts'
import { useJsonBodies } from './body.ts'
import { ApiError, badRequest, errorBody, forbidden, internal, overloaded, stopping, unavailable } from './errors.ts'
import { isInternalRequest } from './internal-request.ts'
import { mount } from './mounts.ts'
import { isAmbiguous, refuser } from './refuse.ts'
import { compressResponses } from './response-compression.ts'
import type { Route, RouteContext } from './route.ts'
import { keepTlsFresh, readTlsFiles, type TlsFiles } from './tls.ts'

export interface ServerOptions {
  trustedProxies: readonly string[]
  tls?: TlsFiles | undefined
  /** Production: requests must arrive over HTTPS, directly or via a trusted proxy. */
  httpsOnly: boolean
  /** Time limit for a client to send its request; short in tests. */
  requestTimeoutMs?: number
}

/** Pages outside of the API: documentation, audio, health in sandbox mode. */
export type Page = (server: FastifyInstance, auth: AuthContext) => void

export function createServer(
  options: ServerOptions,
  parts: { routes: readonly Route[]; context: RouteContext; auth: AuthContext; pages: readonly Page[] },
): FastifyInstance {
  const { routes, context, auth, pages } = parts
  const { log } = context.services
  const requestTimeout = options.requestTimeoutMs ?? 30_000
  const headers = options.httpsOnly ? { ...safeHeaders, ...insistOnHttps } : { ...safeHeaders, ...sandboxSign }
  const { refuse, refuseUnreadable } = refuser(headers)
  const settings: FastifyServerOptions = {
    logger: false,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    requestTimeout,
    connectionTimeout: 2 * requestTimeout,
    keepAliveTimeout: 72_000,
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 400 },
    // RFC 9112 §3.2.2: a proxy may send the whole URL in the request line.
    rewriteUrl: ({ url = '/' }) => url.replace(/^https?:\/\/[^/?]*/i, ''),
    genReqId: requestId,
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (_error, request, reply) =>
      answer(reply.headers(headers).header('x-request-id', request.id), badRequest('The address cannot be read')),
  }
  const nodeOptions = {
    headersTimeout: requestTimeout,
    connectionsCheckingInterval: Math.min(requestTimeout, 5_000),
    // Checked below, because Node's refusal has no body.
    requireHostHeader: false,
  }
  const secure = options.tls && { https: { ...nodeOptions, ...readTlsFiles(options.tls) } }
  const server = fastify({ ...settings, ...(secure ?? { http: nodeOptions }) } as FastifyServerOptions)
  if (options.tls)
    keepTlsFresh(server, options.tls, (error) =>
      log.error({ event: 'tls.reload_failed', error }, 'TLS certificate could not be reloaded'),
    )
  useJsonBodies(server)
  compressResponses(server)
  server.decorateRequest('caller', undefined)

  let closing = false
  server.addHook('preClose', async () => {
    closing = true
  })
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(headers).header('x-request-id', request.id)
    if (isAmbiguous(request.raw)) {
      reply.header('connection', 'close')
      throw badRequest('Send one Host header, and a body with Content-Length or Transfer-Encoding: chunked')
    }
    // Fastify would use its own error format.
    if (closing) throw stopping()
    if (options.httpsOnly && request.protocol !== 'https' && !isInternalRequest(request.headers))
      throw forbidden('Only HTTPS is answered; use https:// and check the proxy settings')
  })
  // Idle keep-alive connections would delay the shutdown by a minute.
  server.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close')
  })
  server.addHook('onResponse', async (request, reply) => {
    if (closing) setImmediate(() => server.server.closeIdleConnections())
    const route = request.found?.path ?? pageOf(request) ?? 'unknown'
    auth.metrics.requestSeconds.observe(
      { method: request.method, route, status: reply.statusCode },
      reply.elapsedTime / 1_000,
    )
    const facts = { requestId: request.id, method: request.method, route, status: reply.statusCode }
    log.debug({ event: 'http.request', ...facts }, 'request completed')
  })
  server.setErrorHandler((error, request, reply) => {
    const apiError = toApiError(error)
    if (apiError.status >= 500 && !closing)
      log.error({ event: 'http.request_failed', requestId: request.id, error }, 'request failed')
    if (apiError.status === 404 && prefersEmpty(request)) return reply.code(204).send()
    return answer(reply, apiError)
  })

  server.server.on('connect', (_request, socket: Socket) => refuse(socket, 405))
  // An unknown Expect is ignored; Node would respond 417 without a body.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response))
  for (const page of pages) page(server, auth)
  mount(server, routes, context, auth)
  return server
}

const safeHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}
/** Identifies sandbox responses. */
const sandboxSign = { 'x-hookswitch-mode': 'sandbox' }
const insistOnHttps = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }

/**
 * The web apps read objects that may not exist, such as the summary of a call. A browser logs every 404 in its
 * console, so that they ask for an empty response instead.
 */
const prefersEmpty = ({ method, url, headers }: FastifyRequest) =>
  method === 'GET' && url.startsWith('/app/') && headers.prefer === 'absent=204'

/** URL of a page; the wildcard route of the API has none. */
function pageOf({ routeOptions: { url } }: FastifyRequest): string | undefined {
  return url === '/*' ? undefined : url
}

function requestId(request: { headers: Record<string, unknown> }): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID().replaceAll('-', '')
}

function answer(reply: FastifyReply, error: ApiError) {
  if (error.status === 413) reply.header('connection', 'close')
  return reply
    .code(error.status)
    .headers(error.headers)
    .send(errorBody(error.status, error.message, error.details, error.code, error.conflict))
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isUnavailable(error)) return unavailable()
  if (error instanceof Overloaded) return overloaded()
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status === 503) return unavailable()
  return status >= 400 && status < 500
    ? badRequest('The request cannot be read; check its headers and address')
    : internal()
}
