import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isReadOnly } from '../domain/api-scopes.ts'
import { type AuthContext, identify } from '../http/auth.ts'
import { noFields, type ParsedBody } from '../http/body.ts'
import { ApiError, methodNotAllowed } from '../http/errors.ts'
import { internalRequest } from '../http/internal-request.ts'
import type { Page } from '../http/server.ts'
import type { McpApi } from './api.ts'

const address = '/mcp'

/**
 * The Model Context Protocol over HTTP, without sessions: every request carries the API key and is answered at once. Tools
 * use the public API of this process with that key, so that its rights and its rate limit apply.
 */
export function mcpEndpoint(sandbox: boolean): Page {
  return (server, auth) => {
    server.route({
      method: 'POST',
      url: address,
      async handler(request, reply) {
        const { authorization, readOnly } = await credentialsOf(auth, request)
        const body = (request.body ?? noFields) as ParsedBody
        if ('problem' in body) throw body.problem
        const response = await respond(server, { request, authorization, message: body.fields, sandbox, readOnly })
        reply.code(response.status)
        response.headers.forEach((value, name) => void reply.header(name, value))
        return reply.send(await response.text())
      },
    })
    server.route({
      method: ['GET', 'PUT', 'DELETE', 'PATCH'],
      url: address,
      async handler({ method }) {
        throw methodNotAllowed(method, ['POST'])
      },
    })
  }
}

interface McpRequest {
  request: FastifyRequest
  authorization: string
  message: Record<string, unknown>
  sandbox: boolean
  readOnly: boolean
}

async function respond(server: FastifyInstance, { request, authorization, message, ...access }: McpRequest) {
  // Loaded by the first client: most installations have none.
  const [{ WebStandardStreamableHTTPServerTransport }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('./server.ts'),
  ])
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const mcp = createMcpServer(apiWithin(server, request, authorization), access)
  await mcp.connect(transport)
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const name of ['accept', 'mcp-protocol-version', 'origin']) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  const response = await transport.handleRequest(
    new Request(`http://localhost${address}`, { method: 'POST', headers }),
    {
      parsedBody: message,
    },
  )
  const answer = new Response(await response.text(), { status: response.status, headers: response.headers })
  await mcp.close()
  return answer
}

/** Requests of the tools, from the address of the client. */
function apiWithin(server: FastifyInstance, { ip }: FastifyRequest, authorization: string): McpApi {
  return {
    async ask(method, url, body) {
      const { statusCode, payload } = await server.inject({
        method,
        url,
        remoteAddress: ip,
        headers: {
          authorization,
          ...internalRequest,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      })
      return { status: statusCode, body: payload === '' ? {} : JSON.parse(payload) }
    },
  }
}

/** Clients that can send a token only use `Bearer api_id:api_token`. A key that may only read gets no other tools. */
async function credentialsOf(auth: AuthContext, request: FastifyRequest) {
  const given = request.headers.authorization ?? ''
  const [, pair] = /^bearer\s+([^\s:]+:\S+)$/i.exec(given) ?? []
  if (pair !== undefined) request.headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  const { via } = await identify(auth, request).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 403) throw error
    throw new ApiError(401, error.message, { 'www-authenticate': 'Bearer realm="API"' })
  })
  const readOnly = via.kind === 'key' && isReadOnly(via.scopes)
  return { authorization: request.headers.authorization ?? '', readOnly }
}
