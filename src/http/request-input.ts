import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { isForm, isJson, noFields, type ParsedBody } from './body.ts'
import { ApiError, badRequest, notFound } from './errors.ts'
import { asTexts, type InputProblem, readBody, readText } from './input.ts'
import type { ListUrl } from './paging.ts'

// Path, query and body of a request, read by the schemas of its route.

/** A malformed id is an unknown id, unless the API defines it as invalid. */
export function readParams(schema: TSchema | undefined, given: Record<string, unknown>, wrong: 400 | 404): unknown {
  if (!schema) return {}
  const { value, problems } = readText(schema, given)
  if (problems.length > 0) throw wrong === 400 ? badRequest(problems[0]?.message ?? 'The id is not valid') : notFound()
  return value
}

/** What a route accepts. */
interface Readable {
  query?: TSchema
  body?: TSchema
  bodyBelow?: number
  unprocessable?: readonly string[]
  form?: boolean
  refusal?: (problem: ApiError, fields: Record<string, unknown>) => ApiError
}

interface ReadRequest {
  query: unknown
  body: unknown
  /** The parameters as a query string, for links to other pages. */
  search: string
}

export function readRequest(spec: Readable, request: FastifyRequest, strict: boolean): ReadRequest {
  try {
    return readParts(spec, request, strict)
  } catch (problem) {
    const given = (request.body ?? noFields) as ParsedBody
    throw spec.refusal && problem instanceof ApiError
      ? spec.refusal(problem, 'fields' in given ? given.fields : {})
      : problem
  }
}

function readParts(spec: Readable, request: FastifyRequest, strict: boolean): ReadRequest {
  const mayHaveBody = request.method !== 'GET' && request.method !== 'HEAD'
  if (!mayHaveBody) return readParameters(spec, request)
  const type = request.headers['content-type']
  const isKnownType = type && (isJson(type) || (spec.form && isForm(type)))
  if (strict && !isKnownType) throw badRequest('Send the header Content-Type: application/json')
  const given = (request.body ?? noFields) as ParsedBody
  if ('problem' in given) throw given.problem
  const body = spec.body ? readBody(spec.body, given.fields) : { value: {}, problems: [] }
  const query = spec.query
    ? readText(spec.query, request.query as Record<string, unknown>)
    : { value: {}, problems: [] }
  const problems = [...body.problems, ...query.problems]
  if (spec.bodyBelow !== undefined && given.bytes >= spec.bodyBelow) {
    problems.push({ kind: 'invalid', field: '', message: `The body must be smaller than ${spec.bodyBelow} bytes` })
  }
  if (problems.length > 0) throw problemError(problems, spec.unprocessable ?? [])
  return { query: query.value, body: body.value, search: searchOf(request) }
}

/** Of a request without side effects. A JSON body is read as parameters when the query string is empty. */
function readParameters(spec: Readable, request: FastifyRequest): ReadRequest {
  const given = (request.body ?? noFields) as ParsedBody
  const inQuery = request.query as Record<string, unknown>
  const isInBody = 'fields' in given && Object.keys(inQuery).length === 0
  const values = isInBody ? asTexts(given.fields) : inQuery
  const query = spec.query ? readText(spec.query, values) : { value: {}, problems: [] }
  if (query.problems.length > 0) throw problemError(query.problems, spec.unprocessable ?? [])
  return { query: query.value, body: {}, search: isInBody ? asSearch(values) : searchOf(request) }
}

/** Query and body of a request without HTTP. */
export function readInner(spec: Readable, given: Record<string, unknown>, fields: Record<string, unknown>) {
  const query = spec.query ? readText(spec.query, asTexts(given)) : { value: {}, problems: [] }
  const body = spec.body ? readBody(spec.body, fields) : { value: {}, problems: [] }
  const problems = [...body.problems, ...query.problems]
  if (problems.length > 0) throw problemError(problems, spec.unprocessable ?? [])
  return { query: query.value, body: body.value }
}

const searchOf = ({ url }: FastifyRequest) => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')

function asSearch(values: Record<string, unknown>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (!Array.isArray(value)) search.append(name, String(value))
    else for (const item of value) search.append(`${name.replace(/\[\]$/, '')}[]`, String(item))
  }
  return search.toString()
}

/** Missing fields take precedence over invalid ones. */
function problemError(problems: InputProblem[], unprocessableFields: readonly string[]): ApiError {
  const grave = problems.find(({ kind, field }) => kind === 'missing' || unprocessableFields.includes(field))
  const apiError = grave ?? problems[0]
  return new ApiError(grave ? 422 : 400, apiError?.message ?? 'The request is not valid')
}

export function placeOf(request: FastifyRequest, search: string, base: string | undefined): ListUrl {
  const question = request.url.indexOf('?')
  const path = question < 0 ? request.url : request.url.slice(0, question)
  return {
    base: base ?? `${request.protocol}://${request.host}`,
    path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path,
    search,
  }
}
