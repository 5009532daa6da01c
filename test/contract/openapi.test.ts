import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { apiTypes, typesFile } from '../../scripts/api-types.ts'
import { eventNames, serviceEventNames } from '../../src/domain/events.ts'
import { routes as always } from '../../src/features/index.ts'
import { eventDocsFor } from '../../src/features/integrations/catalogue/catalogue.ts'
import { exampleInstant } from '../../src/http/docs/example.ts'
import { type OpenApiSchema, typesOf } from '../../src/http/docs/schema.ts'
import { readBody } from '../../src/http/input.ts'
import { internalOpenApi, isJsonContent, type OpenApi, openApi } from '../../src/http/openapi.ts'
import { version } from '../../src/lib/version.ts'
import { sandboxRoutes } from '../../src/sandbox/index.ts'
import { testApp } from '../kit/app.ts'

const routes = [...always, ...sandboxRoutes]
const server = 'http://127.0.0.1:3000'
const links = { api: server, dashboard: server, assets: server, short: server }
const document = openApi(routes, { server, version, events: eventDocsFor({ links, at: exampleInstant }) })
const internal = internalOpenApi(routes, { server, version })
const operationsOf = ({ paths }: OpenApi) =>
  Object.entries(paths).flatMap(([path, verbs]) => Object.values(verbs).map((operation) => ({ path, ...operation })))
const publicOperations = operationsOf(document)
const operations = [...publicOperations, ...operationsOf(internal)]
const resolved = (schema: OpenApiSchema, within: OpenApi): OpenApiSchema =>
  schema.$ref ? (within.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema

describe('the OpenAPI documents', () => {
  test.each([
    ['openapi.json', document],
    ['openapi-app.json', internal],
  ])('the committed %s is the one the routes make; `npm run openapi` writes it', (name, made) => {
    const committed = readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

    expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(made)))
  })

  test('the types of the web apps are those of the routes; `npm run openapi` writes them', async () => {
    expect(readFileSync(typesFile, 'utf8')).toBe(await apiTypes())
  })

  test('they are served as JSON, for this server', async () => {
    const { anonymous, base } = await testApp()

    for (const [address, made] of [['/openapi.json', document] as const, ['/app/openapi.json', internal] as const]) {
      const { status, json } = await anonymous('GET', address)

      expect([status, json.openapi, json.servers[0].url]).toEqual([200, '3.1.0', base])
      expect(Object.keys(json.paths)).toEqual(Object.keys(made.paths))
    }
  })

  test('each operation has an id of its own, a tag that is described, and a security of its own', () => {
    const isFree = ({ access, document: { anyone } }: (typeof routes)[number]) => access === 'open' || anyone === true
    const free = routes.filter(isFree).map(({ access, path }) => (access === 'app' ? `/app${path}` : path))
    const tags = new Map([...document.tags, ...internal.tags].map(({ name, description }) => [name, description]))

    expect(operations).toHaveLength(routes.length)
    for (const one of [document, internal]) {
      const ids = operationsOf(one).map(({ operationId }) => operationId)
      expect(ids.filter((id, n) => ids.indexOf(id) !== n)).toEqual([])
    }
    for (const operation of operations) {
      expect(operation.operationId).toMatch(/^[a-z][a-zA-Z0-9]+$/)
      expect(operation.operationId).not.toMatch(/V\d/)
      expect(tags.get(operation.tags[0]), operation.tags[0]).toBeTruthy()
      if (operation.security.length === 0) expect(free, operation.operationId).toContain(operation.path)
    }
    expect(operations.filter(({ security }) => security.length === 0)).toHaveLength(free.length)
  })

  test('every operation, parameter and field of the public document is described in a sentence', () => {
    const isSentence = (text: string | undefined) => /^[A-Z`#_a-z].*[.!?]$/s.test(text ?? '')
    const lacking = publicOperations.flatMap(
      ({ operationId, description, parameters = [], requestBody, responses }) => [
        ...(isSentence(description) ? [] : [operationId]),
        ...parameters.filter((one) => !isSentence(one.description)).map(({ name }) => `${operationId} ?${name}`),
        ...[requestBody?.content, ...Object.values(responses).map(({ content }) => content)].flatMap((content) =>
          isJsonContent(content) ? undescribed(content['application/json'].schema, operationId, isSentence) : [],
        ),
      ],
    )
    const inComponents = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      undescribed(schema, name, isSentence),
    )

    expect([...lacking, ...inComponents]).toEqual([])
  })

  test('every event is a webhook with its payload, its sample and the headers of the request', () => {
    const names = [...eventNames, ...serviceEventNames]

    expect(Object.keys(document.webhooks ?? {})).toEqual(names)
    for (const [name, { post }] of Object.entries(document.webhooks ?? {})) {
      const { schema, example } = post.requestBody.content['application/json']
      expect(problemsOf(schema, example, name)).toEqual([])
      expect(resolved(schema, document).properties?.event?.const).toBe(name)
      expect(post.description).toMatch(/\.$/)
    }
  })

  test('every placeholder of a path is a parameter, and the other way round', () => {
    for (const { path, parameters = [], operationId } of operations) {
      const named = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])

      expect(named.sort(), operationId).toEqual(placeholders.sort())
    }
  })

  test('every reference leads somewhere, and no mark of our own reader is left', () => {
    for (const one of [document, internal]) {
      const text = JSON.stringify(one)
      const lost = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].filter(
        ([, target = '']) => target.split('/').reduce<unknown>(inside, one) === undefined,
      )

      expect(lost).toEqual([])
      expect(text).not.toMatch(/"x-(id|any|user-ref)"|"~/)
    }
  })

  test('examples keep to their schemas', () => {
    for (const { path, operationId, requestBody, responses, parameters = [] } of operations) {
      const within = path.startsWith('/app/') ? internal : document
      const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)]
      for (const { schema, example } of contents.flatMap((content) =>
        isJsonContent(content) ? [content['application/json']] : [],
      )) {
        expect(problemsOf(schema, example, operationId, within)).toEqual([])
      }
      for (const { name, schema, example } of parameters.filter((parameter) => parameter.example !== undefined)) {
        expect(problemsOf(schema, example, `${operationId} ${name}`, within)).toEqual([])
      }
    }
  })

  test('request validation accepts every example body', () => {
    for (const { document: spec, method, path, access } of routes.filter((one) => one.document.body)) {
      const shown = `${access === 'app' ? '/app' : ''}${path}`.replace(/:(\w+)/g, '{$1}')
      const { paths } = access === 'app' ? internal : document
      const example = paths[shown]?.[method.toLowerCase()]?.requestBody?.content['application/json'].example
      if (!spec.body) throw new Error('filtered above')

      expect(readBody(spec.body, example as Record<string, unknown>).problems, `${method} ${path}`).toEqual([])
    }
  })

  test('rate-limited responses have the rate headers, and 429 has Retry-After', async () => {
    const { a } = await testApp()
    const { headers } = await a.api('GET', '/v1/company')
    const responses = document.paths['/v1/company']?.get?.responses ?? {}

    for (const name of Object.keys(responses['200']?.headers ?? {})) expect(headers.has(name), name).toBe(true)
    expect(Object.keys(responses['200']?.headers ?? {})).toHaveLength(4)
    expect(Object.keys(responses['429']?.headers ?? {})).toContain('Retry-After')
  })
})

const inside = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined

/** The fields without a description, nested ones included. */
function undescribed(schema: OpenApiSchema, at: string, isFine: (text: string | undefined) => boolean): string[] {
  const parts = [schema.items, ...(schema.anyOf ?? []), ...Object.values(schema.patternProperties ?? {})]
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
      ...(isFine(field.description) ? [] : [`${at}.${name}`]),
      ...undescribed(field, `${at}.${name}`, isFine),
    ]),
    ...parts.flatMap((part) => (part ? undescribed(part, at, isFine) : [])),
  ]
}

/** Validates the part of JSON Schema that we use. */
function problemsOf(given: OpenApiSchema, value: unknown, at: string, within = document): string[] {
  const schema = resolved(given, within)
  if (schema.anyOf)
    return schema.anyOf.some((one) => problemsOf(one, value, at, within).length === 0) ? [] : [`${at}: none fits`]
  const types = typesOf(schema)
  const type = typeOf(value)
  const fits = types.length === 0 || types.includes(type) || (type === 'integer' && types.includes('number'))
  if (!fits) return [`${at}: ${type} is not ${types.join(' or ')}`]
  if (schema.enum && value !== null && !schema.enum.includes(value)) return [`${at}: ${value} is not in the list`]
  if (schema.pattern && !new RegExp(schema.pattern).test(String(value))) return [`${at}: does not match`]
  if (Array.isArray(value))
    return value.flatMap((item, n) => (schema.items ? problemsOf(schema.items, item, `${at}[${n}]`, within) : []))
  if (type !== 'object' || !schema.properties) return []
  const fields = Object.entries(value as Record<string, unknown>)
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value as object, name))
  return [
    ...missing.map((name) => `${at}.${name} is missing`),
    ...fields.flatMap(([name, field]) => {
      const property = schema.properties?.[name]
      return property ? problemsOf(property, field, `${at}.${name}`, within) : [`${at}.${name} is unknown`]
    }),
  ]
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
