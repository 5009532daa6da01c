import openapiTypes, { type OpenAPI3 } from 'openapi-typescript'
import { isInClientPackages, snakeCase } from '../src/http/docs/client-methods.ts'
import { type N8nDocument, n8nEvents, n8nOperations } from './n8n-node.ts'
import { type PostmanDocument, postmanCollection } from './postman-collection.ts'

// The parts of the client packages that follow from the OpenAPI document: operations, types and events.

interface Parameter {
  name: string
  in: string
}

interface Operation {
  operationId: string
  summary?: string
  description?: string
  parameters?: Parameter[]
  requestBody?: object
  responses: Record<string, { headers?: object; content?: { 'application/json'?: { schema: ListSchema } } }>
}

interface ListSchema {
  properties?: Record<string, { type?: string }>
}

export interface ClientDocument {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<
    string,
    { post: { requestBody: { content: { 'application/json': { schema: { $ref?: string } } } } } }
  >
}

const generated = 'Generated from docs/openapi.json by `npm run clients`. Do not edit.'

/** Files below packages/, and their contents. */
export async function clientFiles(document: ClientDocument): Promise<Record<string, string>> {
  const operations = operationsOf(document)
  return {
    'client/src/generated/schema.ts': `// ${generated}\n\n${(await typesOf(document)).trim()}\n`,
    'client/src/generated/operations.ts': tableOf(operations),
    'client/src/generated/events.ts': eventsOf(document),
    'python/hookswitch/_operations.py': pythonOf(operations),
    'postman/hookswitch.postman_collection.json': postmanCollection(document as ClientDocument & PostmanDocument),
    'n8n-nodes-hookswitch/src/generated/operations.ts': n8nOperations(document as ClientDocument & N8nDocument),
    'n8n-nodes-hookswitch/src/generated/events.ts': n8nEvents(document as ClientDocument & N8nDocument),
  }
}

interface ClientOperation {
  name: string
  method: string
  path: string
  pathParameters: string[]
  queryParameters: string[]
  hasBody: boolean
  list: string | undefined
  description: string
}

function operationsOf({ paths }: ClientDocument): ClientOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId, responses }]) => isInClientPackages(operationId) && responses !== undefined)
      .map(([method, operation]) => ({
        name: operation.operationId,
        method: method.toUpperCase(),
        path,
        pathParameters: namesIn(operation, 'path'),
        queryParameters: namesIn(operation, 'query'),
        hasBody: operation.requestBody !== undefined,
        list: listOf(operation),
        description: operation.description ?? operation.summary ?? '',
      })),
  )
}

const namesIn = ({ parameters = [] }: Operation, place: string) =>
  parameters.filter((parameter) => parameter.in === place).map(({ name }) => name.replace(/\[\]$/, ''))

/** The field with the items, of an operation with pages. */
function listOf(operation: Operation): string | undefined {
  const properties = operation.responses['200']?.content?.['application/json']?.schema.properties ?? {}
  if (!('meta' in properties) || !namesIn(operation, 'query').includes('page')) return undefined
  return Object.entries(properties).find(([name, { type }]) => name !== 'meta' && type === 'array')?.[0]
}

function tableOf(operations: readonly ClientOperation[]): string {
  const lines = operations.map((operation) => {
    const hasParameters = operation.pathParameters.length + operation.queryParameters.length > 0
    const flags = [hasParameters && 'p', operation.hasBody && 'b', operation.list && `list=${operation.list}`]
    return `  ${operation.name}: '${[operation.method, operation.path, ...flags.filter(Boolean)].join(' ')}',`
  })
  const paged = operations.filter(({ list }) => list !== undefined).map(({ name }) => `  | '${name}'`)
  return [
    `// ${generated}`,
    '',
    '/** Method and path, and whether the operation has parameters (p), a body (b) or pages (list). */',
    'export const operations = {',
    ...lines,
    '} as const',
    '',
    'export type OperationTable = typeof operations',
    '',
    'export type PagedOperation =',
    ...paged,
    '',
  ].join('\n')
}

function eventsOf({ webhooks }: ClientDocument): string {
  const schemas = Object.entries(webhooks).map(([name, { post }]) => {
    const { $ref = '' } = post.requestBody.content['application/json'].schema
    return { name, schema: $ref.split('/').at(-1) ?? '' }
  })
  return [
    `// ${generated}`,
    '',
    "import type { components } from './schema.js'",
    '',
    "type Schemas = components['schemas']",
    '',
    '/** Every event by its name. */',
    'export interface WebhookEvents {',
    ...schemas.map(({ name, schema }) => `  '${name}': Schemas['${schema}']`),
    '}',
    '',
    'export type WebhookEventName = keyof WebhookEvents',
    '',
    '/** What a webhook receives; `event` tells which one it is. */',
    'export type WebhookEvent = WebhookEvents[WebhookEventName]',
    '',
  ].join('\n')
}

async function typesOf(document: ClientDocument): Promise<string> {
  const { webhooks: _, ...rest } = document as ClientDocument & Record<string, unknown>
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, successOnly(operation)])),
    ]),
  )
  return openapiTypes(withoutExamples({ ...rest, paths }) as OpenAPI3, { emptyObjectsUnknown: true })
}

/** Errors have classes of their own, the same for all operations. */
function successOnly(operation: Operation): Operation {
  const responses = Object.entries(operation.responses).filter(([status]) => status < '300')
  return {
    ...operation,
    responses: Object.fromEntries(responses.map(([status, { headers: _, ...rest }]) => [status, rest])),
  }
}

/** The generator prints examples into comments, which are most of the file then; and it does not know patternProperties. */
function withoutExamples(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExamples)
  if (typeof value !== 'object' || value === null) return value
  const { patternProperties, ...rest } = value as Record<string, unknown>
  const [values] = Object.values((patternProperties ?? {}) as object)
  const isParameter = typeof rest.in === 'string'
  const kept = Object.entries({ ...rest, ...(patternProperties !== undefined && { additionalProperties: values }) })
  return Object.fromEntries(
    kept
      .filter(
        ([key, inner]) => key !== 'examples' && !(key === 'example' && (isParameter || typeof inner === 'object')),
      )
      .map(([key, inner]) => [key, withoutExamples(inner)]),
  )
}

function pythonOf(operations: readonly ClientOperation[]): string {
  const rows = operations.map((operation) => {
    const values = [
      operation.method,
      operation.path,
      operation.pathParameters,
      operation.queryParameters,
      operation.hasBody,
      operation.list ?? null,
      operation.description,
    ]
    return `    "${snakeCase(operation.name)}": Operation(${values.map(pythonValue).join(', ')}),`
  })
  return [
    `# ${generated}`,
    'from __future__ import annotations',
    '',
    'from typing import NamedTuple, Optional, Tuple',
    '',
    '',
    'class Operation(NamedTuple):',
    '    """An operation of the API."""',
    '',
    '    method: str',
    '    path: str',
    '    path_parameters: Tuple[str, ...]',
    '    query_parameters: Tuple[str, ...]',
    '    has_body: bool',
    '    list_field: Optional[str]',
    '    description: str',
    '',
    '',
    'OPERATIONS = {',
    ...rows,
    '}',
    '',
  ].join('\n')
}

function pythonValue(value: string | boolean | null | readonly string[]): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return JSON.stringify(value)
  return `(${value.map((name) => `${JSON.stringify(name)},`).join(' ')})`
}
