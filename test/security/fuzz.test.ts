import { Ajv } from 'ajv'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { routes } from '../../src/features/index.ts'
import type { Route } from '../../src/http/route.ts'
import { basic, onAnyDatabase, type TestApp } from '../kit/app.ts'
import { seed, times } from '../kit/depth.ts'
import { validBody } from './bodies.ts'
import { idsInPath, isEndless, type SeededCompany, seedCompany } from './companies.ts'
import { anything, fitting, hostileStrings, mapped, mostly, rawBodies, spoilt } from './hostile-input.ts'

// No input causes 5xx; every error has our format and reveals no internals; every response matches the OpenAPI
// document.

/** For each database and mount: an operation gets at least twice as many. */
const casesPerOperation = times({ quick: 5, full: 25 })

interface Sent {
  method: Route['method']
  url: string
  payload: string | undefined
  type: string | undefined
}

interface Operation {
  parameters?: { name: string; in: 'path' | 'query'; schema: object }[]
  requestBody?: { content: { 'application/json': { schema: object } } }
  responses: Record<string, { content?: { 'application/json'?: { schema: object } } }>
}

const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
const json = (value: unknown) => JSON.stringify(value) ?? 'null'

/** Requests for one operation: valid, with one invalid value, and malformed. */
function requestsFor(route: Route, operation: Operation, mine: SeededCompany): fc.Arbitrary<Sent> {
  const { method, path } = route
  const parameters = operation.parameters ?? []
  const ids = idsInPath(path).map(({ name, kind }) => {
    const own = fc.constantFrom(...mine[kind])
    const odd = fc.constantFrom(...hostileStrings.filter(Boolean)).map((text) => encoded(text.slice(0, 300)))
    return fc.oneof({ weight: 5, arbitrary: own }, { weight: 1, arbitrary: odd }).map((id) => [name, id] as const)
  })
  const filled = fc
    .tuple(...ids)
    .map((chosen) => chosen.reduce((url, [name, id]) => url.replace(`:${name}`, () => id), path))
  const query = fc
    .tuple(
      ...parameters
        .filter((parameter) => parameter.in === 'query')
        .map(({ name, schema }) =>
          fc.option(
            mostly(fitting(schema)).map(
              (value) => `${name}=${encoded(typeof value === 'object' ? JSON.stringify(value) : String(value))}`,
            ),
          ),
        ),
    )
    .map((parts) =>
      parts
        .filter((part) => part !== null)
        .join('&')
        .slice(0, 6_000),
    )
  const schema = operation.requestBody?.content['application/json'].schema
  const whole = schema ? fitting(schema) : anything
  const spoiltBody = fc
    .tuple(fc.nat(), anything)
    .map(([n, replacement]) => spoilt(validBody(route, mine) ?? {}, n, replacement))
  const body: fc.Arbitrary<[string, string | undefined]> = fc.oneof(
    { weight: 5, arbitrary: spoiltBody.map((value): [string, string] => [json(value), 'application/json']) },
    { weight: 4, arbitrary: whole.map((value): [string, string] => [json(value), 'application/json']) },
    { weight: 2, arbitrary: fc.constantFrom(...rawBodies) },
  )
  return fc.tuple(filled, query, body).map(([url, search, [payload, type]]) => ({
    method,
    url: search ? `${url}?${search}` : url,
    payload: method === 'GET' ? undefined : payload,
    type,
  }))
}

/** Internal terms; no sent value contains one of them. */
const insides =
  /sqlite|libsql|postgres|kysely|fastify|typebox|ajv|node_modules|\.ts\b|\bat \w+ \(|syntax error|constraint|relation "|TypeError|RangeError|stack/i

function problemOf(status: number, text: string, accepts: (body: unknown) => string | undefined): string | undefined {
  if (status >= 500) return 'a failure of ours'
  if (status === 204) return text === '' ? undefined : 'a body with 204'
  const body: unknown = JSON.parse(text)
  if (status < 300) return accepts(body)
  const { error, troubleshoot, success, errors, error_description, ...others } = body as Record<string, unknown>
  if (typeof error !== 'string' || typeof troubleshoot !== 'string' || success !== false) return 'not the error format'
  if (Object.keys(others).length > 0) return 'more than the error format'
  if (error_description !== undefined && !/^(invalid|unsupported)_/.test(error)) return 'words of OAuth elsewhere'
  if (errors !== undefined && !isRefusalOfNumbers(status, errors)) return 'errors in a form of their own'
  if (troubleshoot.length > 1_000) return 'an endless explanation'
  return insides.test(text) ? 'reveals internals' : undefined
}

const isRefusalOfNumbers = (status: number, errors: unknown) =>
  status === 422 && /^\{"dialer_campaign":\["\+\d+ already imported, but not called"/.test(json(errors))

/** A part of the document with all references resolved. */
function expanded(part: unknown, document: Record<string, unknown>): unknown {
  if (Array.isArray(part)) return part.map((inner) => expanded(inner, document))
  if (typeof part !== 'object' || part === null) return part
  if ('$ref' in part) {
    const steps = String(part.$ref).split('/').slice(1)
    return expanded(
      steps.reduce((at, step) => at[step] as Record<string, unknown>, document),
      document,
    )
  }
  return mapped(part as Record<string, unknown>, (inner) => expanded(inner, document))
}

/** A schema with additionalProperties false everywhere. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = mapped(schema as Record<string, unknown>, closed)
  return 'properties' in inner ? { ...inner, additionalProperties: false } : inner
}

const ajv = new Ajv({ strict: false, validateFormats: false })
const validators = new Map<string, (body: unknown) => string | undefined>()

/** Compiled once for both databases, because it takes longer than some requests. */
function answersOf(name: string, operation: Operation) {
  const validator = validators.get(name) ?? validatorOf(operation)
  validators.set(name, validator)
  return validator
}

function validatorOf(operation: Operation) {
  const [[, { content } = {}] = []] = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
  const schema = content?.['application/json']?.schema
  const validate = schema && ajv.compile(closed(schema) as object)
  return (body: unknown) => {
    if (!validate) return 'a body where the document has none'
    return validate(body) ? undefined : `not as documented: ${ajv.errorsText(validate.errors)}`
  }
}

/** Deleting operations come last, API keys at the very end. */
const rank = ({ method, path }: Route) => (method === 'DELETE' ? (path.includes('api_keys') ? 2 : 1) : 0)

async function fuzz({ app, a, anonymous }: TestApp, mine: SeededCompany) {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const address of ['/openapi.json', '/app/openapi.json']) {
    const document = (await anonymous('GET', address)).json
    Object.assign(paths, expanded(document.paths, document))
  }
  const problems: string[] = []
  const statuses = new Map<number, number>()
  let operations = 0
  for (const route of routes.filter((r) => !isEndless(r)).sort((x, y) => rank(x) - rank(y))) {
    const documented = `${route.access === 'app' ? '/app' : ''}${route.path}`.replace(/:(\w+)/g, '{$1}')
    const operation = paths[documented]?.[route.method.toLowerCase()]
    if (!operation) throw new Error(`${route.method} ${documented} is not in the document`)
    const accepts = answersOf(`${route.method} ${documented}`, operation)
    const mounts = { api: ['', '/app'], key: [''], app: ['/app'], open: [''] }[route.access]
    operations += mounts.length
    for (const mount of mounts) {
      const credentials = mount === '' ? { authorization: basic(a.apiId, a.apiToken) } : a.session
      const runs = { seed: seed + operations, numRuns: casesPerOperation }
      const send = async ({ method, url, payload, type }: Sent) => {
        const headers = { ...credentials, ...(type !== undefined && { 'content-type': type }) }
        const answer = await app.http.inject({ method, url: mount + url, headers, ...(payload && { payload }) })
        statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1)
        const problem = problemOf(answer.statusCode, answer.payload, accepts)
        if (problem)
          problems.push(
            `${problem}: ${method} ${mount}${url} ${payload?.slice(0, 400)} → ${answer.payload.slice(0, 300)}`,
          )
      }
      // Ten at a time, to find concurrency errors as well.
      const requests = fc.sample(requestsFor(route, operation, mine), runs)
      while (requests.length > 0) await Promise.all(requests.splice(0, 10).map(send))
    }
  }
  return { problems, statuses, operations }
}

onAnyDatabase('fuzz', (open) => {
  test('no request causes a server error, and every response is as documented', async () => {
    const app = await open()
    const mine = await seedCompany(app, app.a, 'fuzzed', '+1415555010')

    const { problems, statuses, operations } = await fuzz(app, mine)

    const cases = [...statuses.values()].reduce((sum, n) => sum + n, 0)
    const spread = [...statuses].sort(([x], [y]) => x - y).map(([status, n]) => `${status}: ${n}`)
    console.log(`seed ${seed}, ${operations} operations, ${cases} cases (${spread.join(', ')})`)
    expect(problems.slice(0, 10)).toEqual([])
    expect(cases).toBe(operations * casesPerOperation)
    // A run without successes or without failures has tested nothing.
    const successes = [200, 201, 204].reduce((sum, status) => sum + (statuses.get(status) ?? 0), 0)
    expect(successes).toBeGreaterThan(cases / 10)
    expect(statuses.get(400) ?? 0).toBeGreaterThan(cases / 10)
    expect(app.logged()).not.toContain('request failed')
  })
})
