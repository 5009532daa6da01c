import type { FastifyRequest } from 'fastify'
import { methodNotAllowed } from './errors.ts'
import type { Page } from './server.ts'

/** The request as received, for senders that sign the raw bytes. */
export interface RawRequest {
  method: 'GET' | 'POST'
  params: Record<string, string>
  query: Record<string, string>
  header(name: string): string | undefined
  body: Buffer
}

export interface RawResponse {
  status: number
  /** Plain text; undefined: an empty JSON object. */
  text?: string
  /** Content type of the text, if it is not plain. */
  type?: string | undefined
}

const maxBytes = 3 * 1_048_576
const others = ['PUT', 'DELETE', 'PATCH']

/**
 * An endpoint called by other systems: without our credentials; the signature is verified before the body is parsed.
 */
export function rawEndpoint(address: string, handle: (request: RawRequest) => Promise<RawResponse>): Page {
  return (server) => {
    server.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBytes }, (_request, body, done) =>
        done(null, body),
      )
      scope.route({
        method: ['GET', 'POST'],
        url: address,
        async handler(request, reply) {
          const { status, text, type } = await handle(rawRequestOf(request))
          reply.code(status)
          if (text === undefined) return reply.header('content-type', 'application/json; charset=utf-8').send('{}')
          return reply.header('content-type', type ?? 'text/plain; charset=utf-8').send(text)
        },
      })
      scope.route({
        method: others,
        url: address,
        async handler({ method }) {
          throw methodNotAllowed(method, ['GET', 'POST'])
        },
      })
    })
  }
}

function rawRequestOf(request: FastifyRequest): RawRequest {
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(request.query as Record<string, unknown>)) {
    if (typeof value === 'string') query[name] = value
  }
  return {
    method: request.method === 'POST' ? 'POST' : 'GET',
    params: request.params as Record<string, string>,
    query,
    header(name) {
      const value = request.headers[name.toLowerCase()]
      return Array.isArray(value) ? value[0] : value
    },
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  }
}
