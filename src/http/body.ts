import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type ApiError, badRequest, tooLarge } from './errors.ts'
import { isCleanText } from './input.ts'
// Declares FastifyRequest.found, also for the type check of web/, which does not include the server.
import type {} from './mounts.ts'

export const bodyLimit = 1_048_576
// An oversized body is read to its end, up to this limit, so that the client receives the response.
const maxDiscardedBytes = 16 * bodyLimit
const maxDepth = 32
const maxValues = 20_000

/** A parsed body: its fields, or an error. The error is reported after the resource of the path was looked up. */
export type ParsedBody = { fields: Record<string, unknown>; bytes: number } | { problem: ApiError }

export const noFields: ParsedBody = { fields: {}, bytes: 0 }

/** Accepts every content type: a body that is not JSON becomes an error, which the route reports later. */
export function useJsonBodies(server: FastifyInstance) {
  server.removeAllContentTypeParsers()
  // Existing clients send filters as the JSON body of a GET.
  server.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  // Fastify rejects a malformed Content-Type itself, before the route has looked up its resource.
  server.addHook('preParsing', async ({ headers }, _reply, payload) => {
    const type = headers['content-type']
    if (type?.trim() === '') delete headers['content-type']
    else if (type !== undefined && !mediaType.test(type)) headers['content-type'] = 'unknown/unknown'
    return payload
  })
  server.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    try {
      const bytes = await collect(request, payload)
      if (bytes === undefined) return { problem: tooLarge(request.found?.route.bodyLimit ?? bodyLimit) }
      // The body of a GET is a JSON object, whatever its content type, or is ignored.
      if (request.method === 'GET') return parseBody(bytes, {})
      return request.found?.route.form && isForm(request.headers['content-type'])
        ? parseForm(bytes)
        : parseBody(bytes, request.headers, (request.found?.route.bodyLimit ?? bodyLimit) / bodyLimit)
    } catch {
      // The client disconnected or was too slow: it receives no response, and the server has not failed.
      return { problem: badRequest('The body ended before it was complete') }
    }
  })
}

const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/

async function collect(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer | undefined> {
  const limit = request.found?.route.bodyLimit ?? bodyLimit
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > maxDiscardedBytes) return undefined
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of payload) {
    size += chunk.length
    if (size <= limit) chunks.push(chunk)
    else if (size > maxDiscardedBytes) return undefined
  }
  return size > limit ? undefined : Buffer.concat(chunks)
}

/** `scale`: how many times larger than others the body of this route may be. */
export function parseBody(bytes: Buffer, headers: IncomingMessage['headers'], scale = 1): ParsedBody {
  if (bytes.length === 0) return noFields
  if (headers['content-encoding'] && headers['content-encoding'] !== 'identity') {
    return {
      problem: badRequest('Compressed bodies are not accepted; send the JSON as it is, without Content-Encoding'),
    }
  }
  if (!isJson(headers['content-type'])) {
    return { problem: badRequest('The body must be JSON; send it with Content-Type: application/json') }
  }
  const exceeded = limitExceededIn(bytes, scale * maxValues)
  if (exceeded) return { problem: badRequest(exceeded) }
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return fieldsOf(value, bytes.length)
  } catch {
    return {
      problem: badRequest('The body is not valid JSON; check quotes, commas and brackets, and that it is UTF-8'),
    }
  }
}

export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType.trim() === '') return true
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === 'application/json' || type.endsWith('+json')
}

export const isForm = (contentType: string | undefined) =>
  contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/x-www-form-urlencoded'

const maxFields = 100

/** RFC 6749 §3.2: parameters must not repeat; a parameter without a value is omitted. */
function parseForm(bytes: Buffer): ParsedBody {
  const fields: Record<string, unknown> = Object.create(null)
  let n = 0
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (++n > maxFields) return { problem: badRequest(`The form holds more than ${maxFields} fields`) }
    if (Object.hasOwn(fields, name)) return { problem: badRequest('The form holds the same field twice') }
    if (!isCleanText(name) || !isCleanText(value)) return { problem: badRequest('A text in the form holds NUL') }
    if (value !== '') fields[name] = value
  }
  return { fields, bytes: bytes.length }
}

function fieldsOf(value: unknown, bytes: number): ParsedBody {
  if (Array.isArray(value) && value.length === 0) return noFields
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: badRequest('The body must be a JSON object') }
  }
  const problem = invalidTextIn(value)
  return problem ? { problem: badRequest(problem) } : { fields: value as Record<string, unknown>, bytes }
}

const code = (character: string) => character.charCodeAt(0)
const [quote, backslash, comma] = [code('"'), code('\\'), code(',')]
const [openList, closeList, openObject, closeObject] = [code('['), code(']'), code('{'), code('}')]

/** Checked in the bytes: parsing a mebibyte of brackets or keys would block the event loop. */
function limitExceededIn(bytes: Buffer, allowed: number): string | undefined {
  let depth = 0
  let values = 1
  let inText = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === quote) inText = !inText
    else if (inText) {
      if (byte === backslash) i++
    } else if (byte === openList || byte === openObject) depth++
    else if (byte === closeList || byte === closeObject) depth--
    else if (byte === comma) values++
    if (depth > maxDepth) return `The body is nested deeper than ${maxDepth} levels`
    if (values > allowed) return `The body holds more than ${allowed} values`
  }
  return undefined
}

function invalidTextIn(value: unknown): string | undefined {
  if (typeof value === 'string')
    return isCleanText(value) ? undefined : 'A text in the body holds NUL or half a character'
  if (typeof value !== 'object' || value === null) return undefined
  for (const key in value) {
    if (!isCleanText(key)) return 'A key in the body holds NUL or half a character'
    const problem = invalidTextIn((value as Record<string, unknown>)[key])
    if (problem) return problem
  }
  return undefined
}
