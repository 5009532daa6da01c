import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { apiTypes, typesFile } from '../../scripts/api-types.ts'
import { routes as always } from '../../src/features/index.ts'
import { type OpenApiSchema, typesOf } from '../../src/http/docs/schema.ts'
import { readBody } from '../../src/http/input.ts'
import { openApi } from '../../src/http/openapi.ts'
import { version } from '../../src/lib/version.ts'
import { sandboxRoutes } from '../../src/sandbox/index.ts'
import { testApp } from '../kit/app.ts'

const routes = [...always, ...sandboxRoutes]
const document = openApi(routes, { server: 'http://127.0.0.1:3000', version })
const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.values(verbs).map((operation) => ({ path, ...operation })),
)
const resolved = (schema: OpenApiSchema): OpenApiSchema =>
  schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema

describe('the OpenAPI document', () => {
  test('the committed file is the one the routes make; `npm run openapi` writes it', () => {
    const committed = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')

    expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(document)))
  })

  test('the types of the web apps are those of the routes; `npm run openapi` writes them', async () => {
    expect(readFileSync(typesFile, 'utf8')).toBe(await apiTypes())
  })

  test('it is served as JSON, for this server', async () => {
    const { anonymous, base } = await testApp()

    const { status, json } = await anonymous('GET', '/openapi.json')

    expect([status, json.openapi, json.servers[0].url]).toEqual([200, '3.1.0', base])
    expect(Object.keys(json.paths)).toEqual(Object.keys(document.paths))
  })

  test('each operation has an id of its own, a tag that is described, and a security of its own', () => {
    const ids = operations.map(({ operationId }) => operationId)
    const isFree = ({ access, document: { anyone } }: (typeof routes)[number]) => access === 'open' || anyone === true
    const free = routes.filter(isFree).map(({ access, path }) => (access === 'app' ? `/app${path}` : path))
    const tags = new Map(document.tags.map(({ name, description }) => [name, description]))

    expect(ids).toHaveLength(routes.length)
    expect(new Set(ids).size).toBe(ids.length)
    for (const operation of operations) {
      expect(operation.operationId).toMatch(/^[a-z0-9_]+$/)
      expect(tags.get(operation.tags[0]), operation.tags[0]).toBeTruthy()
      if (operation.security.length === 0) expect(free, operation.operationId).toContain(operation.path)
    }
    expect(operations.filter(({ security }) => security.length === 0)).toHaveLength(free.length)
  })

  test('every placeholder of a path is a parameter, and the other way round', () => {
    for (const { path, parameters = [], operationId } of operations) {
      const named = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])

      expect(named.sort(), operationId).toEqual(placeholders.sort())
    }
  })

  test('every reference leads somewhere, and no mark of our own reader is left', () => {
    const text = JSON.stringify(document)
    const lost = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].filter(
      ([, target = '']) => target.split('/').reduce<unknown>(inside, document) === undefined,
    )

    expect(lost).toEqual([])
    expect(text).not.toMatch(/"x-(id|any|user-ref)"|"~/)
  })

  test('examples keep to their schemas', () => {
    for (const { operationId, requestBody, responses, parameters = [] } of operations) {
      const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)]
      for (const { schema, example } of contents.flatMap((content) => (content ? [content['application/json']] : []))) {
        expect(problemsOf(schema, example, operationId)).toEqual([])
      }
      for (const { name, schema, example } of parameters.filter((parameter) => parameter.example !== undefined)) {
        expect(problemsOf(schema, example, `${operationId} ${name}`)).toEqual([])
      }
    }
  })

  test('request validation accepts every example body', () => {
    for (const { document: spec, method, path, access } of routes.filter((one) => one.document.body)) {
      const shown = `${access === 'app' ? '/app' : ''}${path}`.replace(/:(\w+)/g, '{$1}')
      const example = document.paths[shown]?.[method.toLowerCase()]?.requestBody?.content['application/json'].example
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

/** Validates the part of JSON Schema that we use. */
function problemsOf(given: OpenApiSchema, value: unknown, at: string): string[] {
  const schema = resolved(given)
  if (schema.anyOf)
    return schema.anyOf.some((one) => problemsOf(one, value, at).length === 0) ? [] : [`${at}: none fits`]
  const types = typesOf(schema)
  const type = typeOf(value)
  const fits = types.length === 0 || types.includes(type) || (type === 'integer' && types.includes('number'))
  if (!fits) return [`${at}: ${type} is not ${types.join(' or ')}`]
  if (schema.enum && value !== null && !schema.enum.includes(value)) return [`${at}: ${value} is not in the list`]
  if (schema.pattern && !new RegExp(schema.pattern).test(String(value))) return [`${at}: does not match`]
  if (Array.isArray(value))
    return value.flatMap((item, n) => (schema.items ? problemsOf(schema.items, item, `${at}[${n}]`) : []))
  if (type !== 'object' || !schema.properties) return []
  const fields = Object.entries(value as Record<string, unknown>)
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value as object, name))
  return [
    ...missing.map((name) => `${at}.${name} is missing`),
    ...fields.flatMap(([name, field]) => {
      const property = schema.properties?.[name]
      return property ? problemsOf(property, field, `${at}.${name}`) : [`${at}.${name} is unknown`]
    }),
  ]
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
