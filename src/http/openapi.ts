import type { TSchema } from 'typebox'
import type { Route } from './route.ts'

/** The OpenAPI 3.1 document, made from the route table: each route once, those of /app only under their /app path. */
export function openApi(routes: readonly Route[], about: { server: string; version: string }): OpenApi {
  const paths: OpenApi['paths'] = {}
  for (const route of routes) {
    const path = (route.access === 'app' ? `/app${route.path}` : route.path).replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hookswitch',
      version: about.version,
      description: 'A business phone system you run yourself: accounts, Numbers, contacts, calls and webhooks.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: about.server }],
    tags: [...new Set(routes.map(({ document }) => document.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'api_id and api_token' },
        bearer: { type: 'http', scheme: 'bearer', description: 'OAuth access token' },
        session: { type: 'apiKey', in: 'cookie', name: 'hookswitch_session', description: 'Our own pages' },
      },
      schemas: { Error: errorSchema },
    },
  }
}

export interface OpenApi {
  openapi: string
  info: object
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: object
}

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  deprecated?: boolean
  security: object[]
  parameters?: object[]
  requestBody?: object
  responses: Record<string, object>
  'x-mounts': string[]
}

const errorSchema = {
  type: 'object',
  required: ['error', 'troubleshoot', 'success'],
  properties: {
    error: { type: 'string', description: 'The reason phrase' },
    troubleshoot: { type: 'string', description: 'What to fix' },
    success: { type: 'boolean', const: false },
  },
}

const security = { api: [{ basic: [] }, { bearer: [] }], app: [{ session: [] }], open: [] }
const mounts = { api: ['/', '/app'], app: ['/app'], open: ['/'] }

function operation({ method, path, access, document }: Route): Operation {
  const { params, query, body, reply, deprecated, description, summary, tag } = document
  const parameters = [...parametersOf(params, 'path'), ...parametersOf(query, 'query')]
  return {
    operationId: operationId(method, path),
    summary,
    ...(description && { description }),
    tags: [tag],
    ...(deprecated && { deprecated: true }),
    security: security[access],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: mandatory(body), content: json(clean(body)) } }),
    responses: { [reply.status]: success(reply), ...errorResponses(access, document) },
    'x-mounts': mounts[access],
  }
}

const operationId = (method: string, path: string) =>
  [method.toLowerCase(), ...path.split('/').filter(Boolean)].map((part) => part.replace(/^:/, 'by_')).join('_')

const mandatory = (schema: TSchema) =>
  'required' in schema && Array.isArray(schema.required) && schema.required.length > 0

function parametersOf(schema: TSchema | undefined, place: 'path' | 'query') {
  if (!schema || !('properties' in schema)) return []
  const required: readonly unknown[] = 'required' in schema && Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties as Record<string, TSchema>).map(([name, shape]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: clean(shape),
  }))
}

const json = (schema: unknown) => ({ 'application/json': { schema } })

const success = (reply: { status: number; body?: TSchema }) =>
  reply.body ? { description: 'Success', content: json(clean(reply.body)) } : { description: 'Done; no body' }

function errorResponses(access: Route['access'], document: Route['document']): Record<string, object> {
  const cases = new Map<number, string[]>()
  const add = (status: number, when: string) => cases.set(status, [...(cases.get(status) ?? []), when])
  if (document.query || document.body) add(400, 'a value is not valid, or the body is not JSON')
  if (access !== 'open') add(403, 'no or wrong credentials, or the company may not do this')
  if (document.params) add(404, 'the id is unknown: `Check ID of the resource`')
  if (document.body) add(413, 'the body is larger than 1 MiB')
  if (document.body && mandatory(document.body)) add(422, 'a mandatory attribute is missing or blank')
  if (access === 'api' && !document.free) add(429, 'the company has used up its requests of this minute')
  for (const { status, when } of document.errors ?? []) add(status, when)
  return Object.fromEntries(
    [...cases].map(([status, when]) => [
      status,
      { description: when.join('; '), content: json({ $ref: '#/components/schemas/Error' }) },
    ]),
  )
}

/** The marks for our own reader are no JSON Schema. */
function clean(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(clean)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !key.startsWith('x-') && !key.startsWith('~'))
      .map(([key, value]) => [key, clean(value)]),
  )
}
