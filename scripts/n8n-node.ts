import type { ApiField, ApiOperation } from '../packages/n8n-nodes-hookswitch/src/operations.ts'

// The operations and events that the n8n nodes offer, from the OpenAPI document.

interface Schema {
  type?: string | string[]
  $ref?: string
  enum?: unknown[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  description?: string
  deprecated?: boolean
}

interface Operation {
  operationId: string
  summary?: string
  description?: string
  deprecated?: boolean
  tags?: string[]
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[]
  requestBody?: { content: { 'application/json'?: { schema: Schema; example?: Record<string, unknown> } } }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

export interface N8nDocument {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: { description?: string } }>
}

/** n8n has OAuth apps of its own, and no node can keep a stream open. */
const leftOut = new Set(['createAccessToken', 'streamEvents', 'updateContactWithPut'])

export function n8nOperations({ paths }: N8nDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !operation.deprecated && !leftOut.has(operation.operationId) && !isExport(operation))
      .map(([method, operation]) => operationOf(method.toUpperCase() as ApiOperation['method'], path, operation)),
  )
  return [
    '// Generated from docs/openapi.json by `npm run clients`. Do not edit.',
    '',
    "import type { ApiOperation } from '../operations.ts'",
    '',
    'export const operations: readonly ApiOperation[] = [',
    ...operations.map((operation) => `  ${JSON.stringify(operation)},`),
    ']',
    '',
  ].join('\n')
}

export function n8nEvents({ webhooks }: N8nDocument): string {
  return [
    '// Generated from docs/openapi.json by `npm run clients`. Do not edit.',
    '',
    'export const events: readonly { name: string; description: string }[] = [',
    ...Object.entries(webhooks).map(
      ([name, { post }]) => `  ${JSON.stringify({ name, description: post.description ?? '' })},`,
    ),
    ']',
    '',
  ].join('\n')
}

/** Exports are text with a line per object; the lists have the same objects. */
const isExport = ({ responses }: Operation) => responses['200']?.content?.['application/x-ndjson'] !== undefined

function operationOf(method: ApiOperation['method'], path: string, operation: Operation): ApiOperation {
  const fields = [...parametersOf(operation), ...bodyOf(operation)]
  const isPaged = fields.some(({ name }) => name === 'page') && resultOf(operation)?.isList === true
  const result = resultOf(operation)?.name
  return {
    resource: operation.tags?.[0] ?? 'Other',
    name: operation.operationId,
    summary: operation.summary ?? operation.operationId,
    description: operation.description ?? '',
    method,
    path,
    fields: isPaged ? fields.filter(({ name }) => name !== 'page' && name !== 'per_page') : fields,
    ...(result !== undefined && { result }),
    ...(isPaged && { hasPages: true }),
  }
}

const parametersOf = ({ parameters = [] }: Operation): ApiField[] =>
  parameters
    .filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
    .map(({ name, in: place, required = false, description = '', schema }) =>
      fieldOf(name.replace(/\[\]$/, ''), place as 'path' | 'query', required, { description, ...schema }),
    )

function bodyOf({ requestBody }: Operation): ApiField[] {
  const json = requestBody?.content['application/json']
  const { properties = {}, required = [] } = json?.schema ?? {}
  return Object.entries(properties)
    .filter(([, schema]) => !schema.deprecated)
    .map(([name, schema]) => fieldOf(name, 'body', required.includes(name), schema, json?.example?.[name]))
}

function fieldOf(name: string, place: ApiField['in'], required: boolean, schema: Schema, example?: unknown): ApiField {
  const shape = shapeOf(schema)
  const sample = shape.kind === 'json' && example !== undefined ? ` Example: ${JSON.stringify(example)}` : ''
  return { name, in: place, required, description: (schema.description ?? '') + sample, ...shape }
}

type Shape = Pick<ApiField, 'kind' | 'choices' | 'numeric' | 'fields'>

function shapeOf(schema: Schema): Shape {
  const texts = (schema.enum ?? []).filter((one) => typeof one === 'string')
  if (texts.length > 0) return { kind: 'options', choices: texts }
  const type = typesOf(schema)[0]
  if (type === 'integer' || type === 'number') return { kind: 'number' }
  if (type === 'boolean' || type === 'string') return { kind: type }
  return type === 'array' ? arrayShape(schema.items ?? {}) : { kind: 'json' }
}

function arrayShape(items: Schema): Shape {
  const inner = shapeOf(items)
  if (inner.kind === 'options') return { kind: 'multiOptions', choices: inner.choices ?? [] }
  if (inner.kind === 'string') return { kind: 'list' }
  if (inner.kind === 'number') return { kind: 'list', numeric: true }
  const rows = Object.entries(items.properties ?? {}).map(([name, schema]) =>
    fieldOf(name, 'body', items.required?.includes(name) ?? false, schema),
  )
  const isFlat = rows.length > 0 && rows.every(({ kind }) => ['boolean', 'number', 'options', 'string'].includes(kind))
  return isFlat ? { kind: 'rows', fields: rows } : { kind: 'json' }
}

const typesOf = ({ type = [] }: Schema) => [type].flat().filter((one) => one !== 'null')

/** The only field of the response besides the description of the page, if it has an object or a list. */
function resultOf({ responses }: Operation): { name: string; isList: boolean } | undefined {
  const response = Object.entries(responses).find(([status]) => status < '300')?.[1]
  const properties = response?.content?.['application/json']?.schema.properties ?? {}
  const [first, ...others] = Object.entries(properties).filter(([name]) => name !== 'meta' && name !== 'pageInfo')
  if (first === undefined || others.length > 0) return undefined
  const [name, schema] = first
  const type = schema.$ref === undefined ? typesOf(schema)[0] : 'object'
  return type === 'array' || type === 'object' ? { name, isList: type === 'array' } : undefined
}
