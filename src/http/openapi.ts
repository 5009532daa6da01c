import type { RequiredScope } from '../domain/api-scopes.ts'
import { described, parameterText } from './docs/described.ts'
import type { EventDocs } from './docs/events.ts'
import { exampleOf, pathExample } from './docs/example.ts'
import { operationIdOf } from './docs/operation-ids.ts'
import { recordedExample } from './docs/recorded-examples.ts'
import { type OpenApiSchema, SchemaComponents, withoutMarks } from './docs/schema.ts'
import { adminOperationTexts } from './docs/texts/admin.ts'
import { operationTexts } from './docs/texts/operations.ts'
import { tagTexts } from './docs/texts/tags.ts'
import { type WebhookOperation, webhooksOf, webhookTag } from './docs/webhooks.ts'
import { type ErrorStatus, errorBody, type OauthCode } from './errors.ts'
import { type Deprecation, isPublic, type Route, type StreamType } from './route.ts'

export interface About {
  /** Base URL of the API, without a trailing slash. */
  server: string
  version: string
  /** Every event, for the webhooks of the document. */
  events?: EventDocs
}

/** The OpenAPI 3.1 document of the public API, generated from the route table, with all events as webhooks. */
export const openApi = (routes: readonly Route[], about: About): OpenApi =>
  openApiOf(
    routes.filter(({ access }) => access !== 'app'),
    about,
    'A business phone system you run yourself: accounts, Numbers, contacts, calls and webhooks. ' +
      'The same document for people is at /docs.',
  )

/** The document of the routes that only our own web apps use. They change without notice. */
export const internalOpenApi = (routes: readonly Route[], about: About): OpenApi =>
  openApiOf(
    routes.filter(({ access }) => access === 'app'),
    about,
    'Routes of the dashboard and the phone app, with a browser session. They change without notice: integrations use the ' +
      'public API, which is described at /openapi.json.',
  )

/** Each route once, those of /app only under their /app path. */
export function openApiOf(routes: readonly Route[], about: About, description: string): OpenApi {
  const components = new SchemaComponents()
  const paths: OpenApi['paths'] = {}
  for (const route of routes) {
    const path = shownPath(route).replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, about.server, components) }
  }
  const webhooks = about.events && webhooksOf(about.events, components)
  const used = new Set([...routes.map(({ document }) => document.tag), ...(webhooks ? [webhookTag] : [])])
  const order = [...Object.keys(tagTexts).filter((name) => used.has(name)), ...used]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hookswitch',
      version: about.version,
      description,
      contact: { name: 'Documentation of this installation', url: `${about.server}/docs` },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: about.server, description: 'This installation' }],
    tags: [...new Set(order)].map((name) => ({ name, ...(tagTexts[name] && { description: tagTexts[name] }) })),
    paths,
    ...(webhooks && { webhooks }),
    components: {
      securitySchemes: usedSchemes(routes),
      headers,
      schemas: Object.fromEntries(Object.entries({ ...components.schemas, Error: errorSchema }).sort(byName)),
    },
  }
}

/** Only those that a route uses: a linter reports the others. */
function usedSchemes(routes: readonly Route[]): object {
  const names = new Set(routes.flatMap(securityOf).flatMap((one) => Object.keys(one)))
  return Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => names.has(name)))
}

export interface OpenApi {
  openapi: string
  info: { title: string; version: string; description: string; contact: object; license: object }
  servers: { url: string; description: string }[]
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, { post: WebhookOperation }>
  components: { securitySchemes: object; headers: object; schemas: Record<string, OpenApiSchema> }
}

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: [string]
  deprecated?: true
  security: object[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: BodyContent }
  responses: Record<string, ResponseObject>
  'x-deprecation'?: Deprecation
  /** Of the API key. */
  'x-required-scope'?: RequiredScope
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  deprecated?: boolean
  schema: OpenApiSchema
  example?: unknown
}

export interface ResponseObject {
  description: string
  headers?: Record<string, { $ref: string }>
  content?: BodyContent | StreamContent
}

/** Streams have another content type than JSON, with text as their schema. */
export interface BodyContent {
  'application/json': { schema: OpenApiSchema; example: unknown }
  /** Only on the endpoints for which OAuth libraries send it. */
  'application/x-www-form-urlencoded'?: { schema: OpenApiSchema; example: unknown }
}

export type StreamContent = Partial<Record<StreamType, { schema: OpenApiSchema; example: string }>>

export const isJsonContent = (content: BodyContent | StreamContent | undefined): content is BodyContent =>
  content !== undefined && 'application/json' in content

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
const shownPath = ({ access, path }: Route) => (access === 'app' ? `/app${path}` : path)

const securitySchemes = {
  basic: { type: 'http', scheme: 'basic', description: 'User name: api_id. Password: api_token.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'Access token of an OAuth app.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'hookswitch_session',
    description:
      'Session of our own pages (`__Host-hookswitch_session` in production). POST, PUT and DELETE also need ' +
      'X-CSRF-Token, and an Origin that is ours.',
  },
}

const header = (description: string, schema: OpenApiSchema, example: unknown) => ({ description, schema, example })
const headers = {
  RequestId: header(
    'Names this request in our log. A valid X-Request-Id of yours is kept.',
    { type: 'string' },
    'b5f1c0a2e4d64c1f8a7e',
  ),
  RateLimit: header('Requests a company may make per minute.', { type: 'integer' }, 120),
  RateRemaining: header('Requests left in this minute.', { type: 'integer' }, 119),
  RateReset: header('UNIX seconds at which the count starts again.', { type: 'integer' }, 1_781_524_860),
  RetryAfter: header('Seconds to wait before the next try.', { type: 'integer' }, 21),
  Deprecation: header(
    'RFC 9745: since when the operation is deprecated, as @ and UNIX seconds.',
    { type: 'string' },
    '@1771977600',
  ),
  Sunset: header(
    'RFC 8594: until when the operation is answered.',
    { type: 'string' },
    'Wed, 30 Sep 2026 00:00:00 GMT',
  ),
  Successor: header(
    'The path to use instead, rel="successor-version".',
    { type: 'string' },
    '</v2/users>; rel="successor-version"',
  ),
}

const errorSchema: OpenApiSchema = {
  type: 'object',
  description: 'Every error has this shape.',
  required: ['error', 'troubleshoot', 'success'],
  properties: {
    error: {
      type: 'string',
      description: 'The reason phrase of the status; at the token endpoint a code of RFC 6749.',
    },
    error_description: { type: 'string', description: 'Explanation of the code; only at the token endpoint.' },
    troubleshoot: { type: 'string', description: 'What to fix, in a sentence.' },
    success: { type: 'boolean', const: false, description: 'Always `false`.' },
    errors: {
      type: 'object',
      description: 'Refused numbers; only where a dialer campaign refuses numbers.',
      properties: {
        dialer_campaign: {
          type: 'array',
          items: { type: 'string' },
          description: 'One sentence for each number that was refused.',
        },
      },
    },
  },
}

const security = { api: [{ basic: [] }, { bearer: [] }], key: [{ basic: [] }], app: [{ session: [] }], open: [] }
const securityOf = ({ access, document }: Route): object[] => (document.anyone ? security.open : security[access])

const needsScope = ({ access, document, scope }: Route) => isPublic(access) && !document.anyone && scope !== 'any'
const acceptsIdempotencyKey = (route: Route) =>
  needsScope(route) && route.method !== 'GET' && !route.document.changesNothing

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a retry safe: for 24 hours a request with the same key and body gets the response of the first one and changes nothing.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  example: '3f1d7c52-8f0e-4c0b-9a55-0d9c6a3b7e21',
}

function operation(route: Route, server: string, components: SchemaComponents): Operation {
  const { document } = route
  const { params, query, body, deprecated, summary, tag } = document
  const path = shownPath(route)
  const id = operationIdOf(route)
  const description = document.description ?? operationTexts[id] ?? adminOperationTexts[id]
  const recorded = recordedExample(id, server)
  const content = (schema: object, kind: 'body' | 'response'): BodyContent => {
    const plain = described(withoutMarks(schema), id)
    const version = path.startsWith('/v2') ? 'V2' : ''
    const example = recorded?.[kind] ?? exampleOf(plain, { server, path })
    return { 'application/json': { schema: components.add(plain, version), example } }
  }
  const parameters = [
    ...parametersOf(params, 'path', path, id, recorded?.ids),
    ...parametersOf(query, 'query', path, id),
    ...(acceptsIdempotencyKey(route) ? [idempotencyKey] : []),
  ]
  return {
    operationId: id,
    summary,
    ...(description && { description }),
    tags: [tag],
    ...(deprecated && { deprecated: true, 'x-deprecation': deprecated }),
    security: securityOf(route),
    ...(needsScope(route) && { 'x-required-scope': route.scope }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: mandatory(body), content: bodyContent(document, content(body, 'body')) } }),
    responses: { [document.reply.status]: success(route, content), ...errorAnswers(route) },
  }
}

const bodyContent = ({ form }: Route['document'], content: BodyContent): BodyContent =>
  form ? { ...content, 'application/x-www-form-urlencoded': content['application/json'] } : content

const requiredIn = (schema: OpenApiSchema) => schema.required ?? []
const mandatory = (schema: OpenApiSchema) => requiredIn(schema).length > 0

function parametersOf(
  schema: OpenApiSchema | undefined,
  place: 'path' | 'query',
  path: string,
  operationId: string,
  recorded: Record<string, unknown> = {},
): Parameter[] {
  return Object.entries(schema?.properties ?? {}).map(([name, shape]) => {
    const { description: _, deprecated, ...rest } = withoutMarks(shape)
    const text = parameterText(shape, operationId, path, name)
    return {
      name,
      in: place,
      required: place === 'path' || requiredIn(schema ?? {}).includes(name),
      ...(text && { description: text }),
      ...(deprecated && { deprecated }),
      schema: rest,
      ...(place === 'path' && { example: pathExample(name, path, rest, recorded[name]) }),
    }
  })
}

const ref = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` })
const requestId = { 'X-Request-Id': ref('RequestId') }
const rates = {
  'X-HookswitchApi-Limit': ref('RateLimit'),
  'X-HookswitchApi-Remaining': ref('RateRemaining'),
  'X-HookswitchApi-Reset': ref('RateReset'),
}
const replaced = { Deprecation: ref('Deprecation'), Sunset: ref('Sunset'), Link: ref('Successor') }
const isCounted = ({ access, document }: Route) => isPublic(access) && !document.free

function descriptionOf(reply: Route['document']['reply']): string {
  if ('stream' in reply) return `A stream of ${reply.stream}`
  return { 200: 'Success', 201: 'Created', 202: 'Accepted', 204: 'Done; no body' }[reply.status]
}

function success(route: Route, content: (schema: object, kind: 'response') => BodyContent): ResponseObject {
  const { reply, deprecated } = route.document
  return {
    description: descriptionOf(reply),
    headers: { ...requestId, ...(isCounted(route) && rates), ...(deprecated && replaced) },
    ...('body' in reply && { content: content(reply.body, 'response') }),
    ...('stream' in reply && { content: { [reply.stream]: streams[reply.stream] } }),
  }
}

const text: OpenApiSchema = { type: 'string' }
const streams: Record<StreamType, { schema: OpenApiSchema; example: string }> = {
  'text/event-stream': { schema: text, example: 'id: 42\nevent: call.created\ndata: {}\n\n' },
  'application/x-ndjson': { schema: text, example: '{"cursor":"MTc4MTUyNDgwMDAwMDow","end":true}\n' },
  'text/csv': { schema: text, example: 'id,direction\r\n' },
}

const examples: Partial<Record<ErrorStatus, string>> = {
  403: 'Send valid credentials: Basic with your api_id and api_token, or Bearer with an access token',
  404: 'Check ID of the resource',
  413: 'The body is larger than 1 MiB (1,048,576 bytes); send less at once',
  429: 'Only 120 requests a minute are answered; wait 21 s',
}

const oauthCodes: Partial<Record<ErrorStatus, OauthCode>> = { 400: 'invalid_grant', 401: 'invalid_client' }

function errorAnswers(route: Route): Record<string, ResponseObject> {
  const { document } = route
  const answers = [...errorCases(route)].sort(([a], [b]) => a - b)
  return Object.fromEntries(
    answers.map(([status, when]) => {
      const troubleshoot = examples[status] ?? sentence(when.at(-1) ?? '')
      const answer: ResponseObject = {
        description: when.join('; '),
        headers: {
          ...requestId,
          ...(isCounted(route) && rates),
          ...(status === 429 && { 'Retry-After': ref('RetryAfter') }),
        },
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            example: errorBody(status, troubleshoot, undefined, document.form ? oauthCodes[status] : undefined),
          },
        },
      }
      return [status, answer]
    }),
  )
}

const sentence = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

function errorCases(route: Route): Map<ErrorStatus, string[]> {
  const { access, document } = route
  const cases = new Map<ErrorStatus, string[]>()
  const add = (status: ErrorStatus, when: string) => cases.set(status, [...(cases.get(status) ?? []), when])
  if (document.body && !document.form) add(400, 'a value is not valid, or the body is not JSON')
  else if (document.query) add(400, 'a value is not valid')
  if (access === 'open') add(403, 'in production, the request was not made over HTTPS')
  if (access === 'app') add(403, 'no session, or the role does not allow this')
  if (access === 'api' && document.wrongCredentials === 401) {
    add(401, 'no or wrong credentials')
    add(403, 'the company may not do this')
  } else if (access === 'api') add(403, 'no or wrong credentials, or the company may not do this')
  if (access === 'key') add(403, 'no or wrong credentials, or the API key lacks the scope `admin`')
  if (document.wrongParams === 400) add(400, 'the id is not an Integer')
  if (document.params) add(404, 'the id is unknown')
  if (document.body) add(413, 'the body is larger than 1 MiB')
  if (document.body && !document.form && mandatory(document.body)) add(422, 'a mandatory attribute is missing or blank')
  if (isCounted(route)) add(429, 'the company has used up its requests of this minute')
  for (const { status, when } of document.errors ?? []) add(status, when)
  return cases
}
