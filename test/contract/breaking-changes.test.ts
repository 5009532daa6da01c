import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// Clients of the last release keep working: what it documented is still there. `docs/api/` holds its document. A breaking
// change that is intended is a line of the changelog with the word "Breaking" and the text that this test reports.

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const [newest = ''] = readdirSync(new URL('../../docs/api', import.meta.url))
  .sort(inOrder)
  .reverse()
const released: Document & { info: { version: string } } = JSON.parse(read(`docs/api/${newest}`))
const current: Document = JSON.parse(read('docs/openapi.json'))
const [sinceRelease = ''] = read('CHANGELOG.md').split(`\n## ${released.info.version} `)

test('no change since the last release breaks a client, unless the changelog lists it', () => {
  const listed = sinceRelease.split('\n').filter((line) => line.includes('Breaking'))

  const unlisted = breakingChanges(released, current).filter((change) => !listed.some((line) => line.includes(change)))

  expect(unlisted).toEqual([])
})

const base = (path: string, operation: object): Document => ({ paths: { [path]: { get: operation as Operation } } })
const answers = (schema: Schema) => ({ responses: { 200: { content: { 'application/json': { schema } } } } })
const takes = (schema: Schema) => ({ requestBody: { content: { 'application/json': { schema } } }, responses: {} })
const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
})

test.each<[what: string, before: object, after: object, change: string]>([
  ['a response field that is gone', answers(object({ a: {} })), answers(object({})), 'GET /x: response a is gone'],
  [
    'a response field with another type',
    answers(object({ a: { type: 'string' } })),
    answers(object({ a: { type: ['string', 'null'] } })),
    'GET /x: response a may be null',
  ],
  [
    'a new mandatory field',
    takes(object({})),
    takes(object({ a: { type: 'string' } }, ['a'])),
    'GET /x: request a is mandatory',
  ],
  [
    'a value that is no longer accepted',
    takes(object({ a: { type: 'string', enum: ['b', 'c'] } })),
    takes(object({ a: { type: 'string', enum: ['b'] } })),
    'GET /x: request a refuses c',
  ],
  [
    'a parameter that is gone',
    { parameters: [{ name: 'p', in: 'query', schema: {} }], responses: {} },
    { responses: {} },
    'GET /x: parameter p is gone',
  ],
])('%s is a breaking change', (_what, before, after, change) => {
  expect(breakingChanges(base('/x', before), base('/x', after))).toEqual([change])
  expect(breakingChanges(base('/x', before), base('/x', before))).toEqual([])
})

/** 0.10.0 comes after 0.9.0. */
function inOrder(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true })
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components?: { schemas: Record<string, Schema> }
}

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: Body
  responses: Record<string, Body>
}

interface Body {
  content?: Record<string, { schema: Schema }>
}

interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
}

function breakingChanges(before: Document, after: Document): string[] {
  return Object.entries(before.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).flatMap(([verb, old]) => {
      const name = `${verb.toUpperCase()} ${path}`
      const now = after.paths[path]?.[verb]
      if (!now) return [`${name} is gone`]
      return operationChanges(old, now, before, after).map((change) => `${name}: ${change}`)
    }),
  )
}

function operationChanges(old: Operation, now: Operation, before: Document, after: Document): string[] {
  const known = new Set((old.parameters ?? []).map(({ name }) => name))
  const named = new Map((now.parameters ?? []).map((parameter) => [parameter.name, parameter]))
  const gone = [...known].filter((name) => !named.has(name)).map((name) => `parameter ${name} is gone`)
  const added = [...named.values()]
    .filter(({ name, required }) => required && !known.has(name))
    .map(({ name }) => `parameter ${name} is mandatory`)
  const narrowed = (old.parameters ?? []).flatMap(({ name, schema }) =>
    requestChanges(schema, named.get(name)?.schema ?? {}, `parameter ${name}`, before, after),
  )
  const request = requestChanges(jsonOf(old.requestBody), jsonOf(now.requestBody), 'request', before, after)
  const responses = Object.entries(old.responses).flatMap(([status, response]) => {
    const same = now.responses[status]
    if (!same) return [`response ${status} is gone`]
    return responseChanges(jsonOf(response), jsonOf(same), 'response', before, after)
  })
  return [...gone, ...added, ...narrowed, ...request, ...responses]
}

const jsonOf = (body: Body | undefined): Schema => body?.content?.['application/json']?.schema ?? {}

/** References are followed, and `anyOf` with null becomes a nullable object. */
function resolved(schema: Schema, document: Document): Schema {
  if (schema.$ref) return document.components?.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}
  const [first, ...others] = schema.anyOf ?? []
  if (!first || !others.every(({ type }) => type === 'null')) return schema
  const whole = resolved(first, document)
  return { ...whole, type: [...typesOf(whole), 'null'] }
}

const typesOf = ({ type }: Schema): string[] => (Array.isArray(type) ? type : type === undefined ? [] : [type])
const missingFrom = <T>(wanted: readonly T[], given: readonly T[]) => wanted.filter((one) => !given.includes(one))
const child = (at: string, name: string) => `${at} ${name}`.replace(/^(\w+ \S+) /, '$1.')

/** A response must not lose fields, nor have values that clients do not expect. */
function responseChanges(old: Schema, now: Schema, at: string, before: Document, after: Document): string[] {
  const [was, is] = [resolved(old, before), resolved(now, after)]
  const types = typesOf(was).length === 0 ? [] : missingFrom(typesOf(is), typesOf(was))
  const inItems = was.items && is.items ? responseChanges(was.items, is.items, at, before, after) : []
  const inFields = Object.entries(was.properties ?? {}).flatMap(([name, field]) => {
    const same = is.properties?.[name]
    return same ? responseChanges(field, same, child(at, name), before, after) : [`${child(at, name)} is gone`]
  })
  return [...types.map((type) => `${at} may be ${type}`), ...inItems, ...inFields]
}

/** A request that was accepted must still be accepted. */
function requestChanges(old: Schema, now: Schema, at: string, before: Document, after: Document): string[] {
  const [was, is] = [resolved(old, before), resolved(now, after)]
  const types = typesOf(is).length === 0 ? [] : missingFrom(typesOf(was), typesOf(is))
  const values = is.enum ? missingFrom(was.enum ?? [], is.enum) : []
  const mandatory = missingFrom(is.required ?? [], was.required ?? [])
  const inItems = was.items && is.items ? requestChanges(was.items, is.items, at, before, after) : []
  const inFields = Object.entries(was.properties ?? {}).flatMap(([name, field]) => {
    const same = is.properties?.[name]
    return same ? requestChanges(field, same, child(at, name), before, after) : [`${child(at, name)} is gone`]
  })
  return [
    ...types.map((type) => `${at} refuses ${type}`),
    ...values.map((value) => `${at} refuses ${value}`),
    ...mandatory.map((name) => `${child(at, name)} is mandatory`),
    ...inItems,
    ...inFields,
  ]
}
