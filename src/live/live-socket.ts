import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import { type AuthContext, authenticateApi, sessionCaller } from '../http/auth.ts'
import type { Caller } from '../http/caller.ts'
import { badRequest, forbidden } from '../http/errors.ts'
import type { Page } from '../http/server.ts'
import { second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import { connectDashboard, dashboardIdentity } from './dashboard-connection.ts'
import type { SocketHub } from './hub.ts'
import { connectPhone } from './phone-connection.ts'
import { handleAsPlainHttp } from './plain-http-upgrade.ts'
import { phoneIdentity, requireSafeAddress, type SocketIdentity } from './socket-auth.ts'

/** Authenticates the request; throws without valid credentials. */
export type Authenticate = (auth: AuthContext, request: FastifyRequest, reply: FastifyReply) => Promise<Caller>

/** A signed-in user; in a sandbox also API clients with a key. */
export const bySessionOrKey = (sandbox: boolean): Authenticate => {
  const key = byKey(sandbox)
  return (auth, request, reply) =>
    request.headers.authorization ? key(auth, request, reply) : sessionCaller(auth, request)
}

/** Opening a socket counts against the rate limit of the company. */
const counted = { access: 'api', free: false, scope: 'calls:write' } as const

const byKey =
  (sandbox: boolean): Authenticate =>
  async (auth, request, reply) => {
    if (!sandbox) throw forbidden('Phone apps sign in with a session; keys open them in a sandbox only')
    await authenticateApi(auth)(request, reply, counted)
    if (!request.caller) throw forbidden('Send valid credentials')
    return request.caller
  }

const path = '/live'
const maxBytes = 64 * 1024
const closeTimeoutMs = 2 * second

/**
 * The WebSocket of phone apps. The upgrade is handled as an ordinary request up to the handshake, so the same checks
 * apply and refusals are ordinary responses.
 */
export function liveSocket(services: Services, hub: SocketHub, authenticate: Authenticate): Page {
  return (server, auth) => {
    const sockets = new WebSocketServer({ noServer: true, maxPayload: maxBytes, perMessageDeflate: false })
    const asking = new WeakMap<IncomingMessage, { socket: Socket; head: Buffer }>()

    const phoning = (identity: SocketIdentity) => (socket: WebSocket) => connectPhone(services, hub, socket, identity)
    const watching = (identity: ReturnType<typeof dashboardIdentity>) => (socket: WebSocket) =>
      connectDashboard(services, hub, socket, identity)

    server.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      if (!wantsSocket(request)) return handleAsPlainHttp(server.server, request, socket, head)
      // Until the handshake is complete the socket has no other error listener.
      socket.on('error', () => socket.destroy())
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.on('finish', () => socket.end())
      try {
        response.assignSocket(socket)
      } catch {
        // The previous response is still being sent: no client may upgrade a pipelined request.
        return socket.destroy()
      }
      asking.set(request, { socket, head })
      server.routing(request, response)
    })

    server.get<{ Querystring: Record<string, unknown> }>(
      path,
      { config: { access: 'api' } },
      async (request, reply) => {
        const handshake = { headers: request.headers, query: request.query }
        requireSafeAddress(handshake, auth.ownOrigins)
        const caller = await authenticate(auth, request, reply)
        const isDashboard = request.query.watch === '1'
        const connect = isDashboard
          ? watching(dashboardIdentity(hub, caller))
          : phoning(await phoneIdentity(services, hub, caller, handshake))
        const line = asking.get(request.raw)
        if (!line) throw badRequest('This address is a WebSocket; open it as one')
        reply.hijack()
        reply.raw.detachSocket(line.socket)
        sockets.handleUpgrade(request.raw, line.socket, line.head, connect)
        return reply
      },
    )

    server.addHook('preClose', () => closeAll(services, sockets.clients))
  }
}

const wantsSocket = ({ method, url = '', headers }: IncomingMessage) =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && /^\/live\/?(\?|$)/.test(url)

/** RFC 6455 §7.4.1: 1001, going away. Sockets that do not close in time are terminated. */
async function closeAll({ clock }: Services, sockets: ReadonlySet<WebSocket>): Promise<void> {
  const gone = [...sockets].map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())))
  for (const socket of sockets) socket.close(1001, 'the server is being stopped; come back')
  const cancel = clock.machineAfter(closeTimeoutMs, () => {
    for (const socket of sockets) socket.terminate()
  })
  await Promise.all(gone)
  cancel()
}
