import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { constants, createGzip, gzip, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { encodingFor } from './compression.ts'

/** Smaller bodies fit into one packet either way. */
const minBytes = 1_400
/** Up to here the thread pool costs more than the compression. */
const maxOnMainThread = 32 * 1_024
// JSON shrinks by three quarters at level 1; higher levels take twice the time for a few percent.
const options = { level: 1 }

/**
 * Compresses responses that are made per request: those of the API, and pages that are not files. Files are compressed
 * once by compression.ts and arrive here with their encoding set.
 */
export function compressResponses(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (!isCompressible(reply)) return payload
    addVary(reply)
    return mayCompress(request, reply) ? compressed(reply, payload) : payload
  })
}

const compressibleTypes = /^(application\/(json|x-ndjson|xml)|text\/(?!event-stream)|image\/svg\+xml)/

function isCompressible(reply: FastifyReply): boolean {
  return reply.getHeader('content-encoding') === undefined && compressibleTypes.test(textOf(reply, 'content-type'))
}

const textOf = (reply: FastifyReply, name: string) => String(reply.getHeader(name) ?? '')

function addVary(reply: FastifyReply): void {
  const vary = textOf(reply, 'vary')
  if (!/accept-encoding/i.test(vary)) reply.header('vary', vary ? `${vary}, accept-encoding` : 'accept-encoding')
}

function mayCompress(request: FastifyRequest, reply: FastifyReply): boolean {
  if (request.method === 'HEAD' || [204, 206, 304].includes(reply.statusCode)) return false
  if (reply.hasHeader('content-range') || carriesSecret(request, reply)) return false
  return encodingFor(request.headers['accept-encoding'], ['gzip']) === 'gzip'
}

/**
 * The length of a compressed body can reveal a secret that is sent together with text of an attacker (BREACH). Sessions
 * carry the CSRF token and are requested with a cookie; API keys cannot be sent by another site.
 */
function carriesSecret({ found }: FastifyRequest, reply: FastifyReply): boolean {
  return reply.hasHeader('set-cookie') || (found?.mount === 'app' && /^\/app\/v1\/session(\/|$)/.test(found.path))
}

async function compressed(reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (payload instanceof Readable) return compressedStream(reply, payload)
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
  if (!Buffer.isBuffer(bytes) || bytes.length < minBytes) return payload
  reply.header('content-encoding', 'gzip').removeHeader('content-length')
  return bytes.length <= maxOnMainThread ? gzipSync(bytes, options) : promisify(gzip)(bytes, options)
}

/** Every chunk can be read when it arrives: an interrupted export continues after its last line. */
function compressedStream(reply: FastifyReply, source: Readable): Readable {
  reply.header('content-encoding', 'gzip').removeHeader('content-length')
  const gzipStream = createGzip({ ...options, flush: constants.Z_SYNC_FLUSH })
  // A closed connection ends the source, and a failing source the response; both are reported by Fastify.
  return pipeline(source, gzipStream, () => undefined)
}
