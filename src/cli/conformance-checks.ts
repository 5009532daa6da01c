import { existsSync, readFileSync } from 'node:fs'
import Schema from 'typebox/schema'
import { pause, second } from '../lib/clock.ts'
import { networkFailureReason } from './network-failure.ts'

// The public API contract as requests: what an integration relies on, whatever server answers.

interface Check {
  name: string
  /** What is wrong; undefined when nothing is. */
  run(): Promise<string | undefined>
}

interface Target {
  base: string
  apiId: string
  token: string
  readOnly: boolean
}

interface Reply {
  status: number
  headers: Headers
  /** Of every shape, also a wrong one. */
  json: unknown
}

type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>
  components: object
}

interface DocumentedOperation {
  operationId: string
  parameters?: { name: string; in: string; required?: boolean }[]
  responses: Record<
    string,
    { content?: { 'application/json'?: { schema: { properties?: Record<string, { type?: string }> } } } }
  >
}

export function conformanceChecks(target: Target): Check[] {
  const document = readDocument()
  const ask = asker(target)
  return [
    ...credentialChecks(target, ask),
    ...errorChecks(ask),
    ...listsIn(document).flatMap((list) => listChecks(document, ask, list)),
    ...(target.readOnly ? [] : objects.flatMap((kind) => writeChecks(document, ask, kind))),
  ]
}

/** Beside the program, in a package and in a checkout. */
function readDocument(): Document {
  const places = ['../docs/openapi.json', '../../docs/openapi.json'].map((place) => new URL(place, import.meta.url))
  const found = places.find((place) => existsSync(place))
  if (!found) throw new Error('docs/openapi.json is not part of this installation')
  return JSON.parse(readFileSync(found, 'utf8'))
}

function asker({ base, apiId, token }: Target): Ask {
  const authorization = `Basic ${Buffer.from(`${apiId}:${token}`).toString('base64')}`
  return async (method, path, body, headers) => {
    for (;;) {
      const response = await fetch(base + path, {
        method,
        redirect: 'manual',
        headers: { authorization, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      if (response.status !== 429) return { status: response.status, headers: response.headers, json: parsed(text) }
      const seconds = Number(response.headers.get('retry-after') ?? 60)
      await pause(Math.min(seconds, 120) * second)
    }
  }
}

/** The value at that place; undefined where the response has another shape. */
const valueAt = (json: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    json,
  )

function countAt(json: unknown, field: string): number {
  const items = valueAt(json, field)
  return Array.isArray(items) ? items.length : Number.NaN
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A check whose request fails is a failed check, not the end of the run. */
const check = (name: string, run: () => Promise<string | undefined>): Check => ({
  name,
  run: () => run().catch((error: unknown) => `no response (${networkFailureReason(error)})`),
})

const isError = ({ json }: Reply) =>
  typeof valueAt(json, 'error') === 'string' && typeof valueAt(json, 'troubleshoot') === 'string'

function expectError(reply: Reply, ...statuses: number[]): string | undefined {
  if (!statuses.includes(reply.status)) return `status ${reply.status} instead of ${statuses.join(' or ')}`
  return isError(reply) ? undefined : 'the body has no `error` and `troubleshoot`'
}

const credentialChecks = ({ base }: Target, ask: Ask): Check[] => [
  check('valid credentials are accepted', async () => {
    const { status, json } = await ask('GET', '/v1/ping')
    return status === 200 && valueAt(json, 'ping') === 'pong'
      ? undefined
      : `status ${status}, body ${JSON.stringify(json)}`
  }),
  check('requests without credentials are refused', async () => {
    const response = await fetch(`${base}/v1/users`)
    return [401, 403].includes(response.status) ? undefined : `status ${response.status} instead of 401 or 403`
  }),
  check('a wrong token is refused', async () =>
    expectError(await ask('GET', '/v1/users', undefined, { authorization: 'Basic YTpi' }), 401, 403),
  ),
  check('responses tell the rate limit', async () => {
    const { headers } = await ask('GET', '/v1/ping')
    const names = [...headers.keys()]
    const missing = ['-limit', '-remaining', '-reset'].filter((end) => !names.some((name) => name.endsWith(end)))
    return missing.length === 0 ? undefined : `no header that ends with ${missing.join(', ')}`
  }),
]

const errorChecks = (ask: Ask): Check[] => [
  check('an unknown path is 404', async () => expectError(await ask('GET', '/v1/no_such_path'), 404)),
  check('an unknown id is 404', async () => expectError(await ask('GET', '/v1/contacts/2147483646'), 404)),
  check('a body that is not JSON is 400', async () => expectError(await ask('POST', '/v1/tags', '{'), 400)),
  check('a missing mandatory field is 422', async () => expectError(await ask('POST', '/v1/tags', {}), 422)),
  check('a page that is no number is 400', async () => expectError(await ask('GET', '/v1/tags?page=x'), 400)),
]

interface List {
  path: string
  field: string
  operation: DocumentedOperation
}

/** Lists without an id in their path. */
function listsIn({ paths }: Document): List[] {
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (!get || path.includes('{') || !path.startsWith('/v')) return []
    const properties = get.responses['200']?.content?.['application/json']?.schema.properties ?? {}
    const [field] = Object.entries(properties).find(([name, { type }]) => name !== 'meta' && type === 'array') ?? []
    const hasPages = 'meta' in properties && (get.parameters ?? []).some(({ name }) => name === 'page')
    return field !== undefined && hasPages ? [{ path, field, operation: get }] : []
  })
}

function listChecks(document: Document, ask: Ask, { path, field, operation }: List): Check[] {
  return [
    check(`GET ${path}: the response is as documented`, async () => {
      const reply = await ask('GET', `${path}?per_page=50`)
      // Features that the plan of the company lacks.
      if (reply.status === 403) return isError(reply) ? undefined : 'status 403 without an error body'
      return expectSchema(document, operation, reply, 200)
    }),
    check(`GET ${path}: pages have the size that was asked for`, async () => {
      const { status, json } = await ask('GET', `${path}?per_page=1&page=1`)
      if (status === 403) return undefined
      const [count, counted] = [countAt(json, field), valueAt(json, 'meta', 'count')]
      if (!(count <= 1) || counted !== count) return `${count} items, meta.count ${counted}`
      const hasMore = Number(valueAt(json, 'meta', 'total')) > count
      const hasLink = typeof valueAt(json, 'meta', 'next_page_link') === 'string'
      return hasMore === hasLink ? undefined : 'next_page_link does not fit meta.total'
    }),
    check(`GET ${path}: more than 50 items a page are refused or limited`, async () => {
      const { status, json } = await ask('GET', `${path}?per_page=51`)
      return status === 400 || status === 403 || countAt(json, field) <= 50 ? undefined : `status ${status}`
    }),
  ]
}

interface Written {
  path: string
  root: string
  id: string
  body: object
  change: object
  /** Contacts are changed by POST. */
  method: 'POST' | 'PUT' | undefined
}

const mark = `Conformance ${process.pid}`
const objects: Written[] = [
  {
    path: '/v1/tags',
    root: 'tag',
    id: 'id',
    body: { name: mark, color: '#00B388' },
    change: { name: `${mark} 2` },
    method: 'PUT',
  },
  { path: '/v1/teams', root: 'team', id: 'id', body: { name: mark }, change: {}, method: undefined },
  {
    path: '/v1/contacts',
    root: 'contact',
    id: 'id',
    body: { first_name: mark, phone_numbers: [{ label: 'Work', value: '+33755990099' }] },
    change: { last_name: mark },
    method: 'POST',
  },
  {
    path: '/v1/webhooks',
    root: 'webhook',
    id: 'webhook_id',
    body: { url: 'https://example.com/conformance', custom_name: mark, events: ['contact.created'] },
    change: { active: false },
    method: 'PUT',
  },
]

const isItemOf = (list: string, path: string) =>
  path.startsWith(`${list}/{`) && !path.slice(list.length + 1).includes('/')

function writeChecks(document: Document, ask: Ask, { path, root, id, body, change, method }: Written): Check[] {
  let made: Reply | undefined
  const own = () => `${path}/${valueAt(made?.json, root, id)}`
  const item = Object.entries(document.paths).find(([name]) => isItemOf(path, name))?.[1] ?? {}
  const created = document.paths[path]?.post
  return [
    check(`POST ${path}: the response is as documented`, async () => {
      made = await ask('POST', path, body)
      return expectSchema(document, created, made, 201)
    }),
    check(`GET ${path}/:id: returns what was created`, async () => {
      const reply = await ask('GET', own())
      const problem = expectSchema(document, item.get, reply, 200)
      return problem ?? (valueAt(reply.json, root, id) === valueAt(made?.json, root, id) ? undefined : 'another id')
    }),
    ...(method
      ? [
          check(`${method} ${path}/:id: changes it`, async () => {
            const reply = await ask(method, own(), change)
            if (reply.status !== 200) return `status ${reply.status} instead of 200`
            const [[field, value] = []] = Object.entries(change)
            return field === undefined || valueAt(reply.json, root, field) === value
              ? undefined
              : `${field} is not changed`
          }),
        ]
      : []),
    check(`DELETE ${path}/:id: it is gone`, async () => {
      const { status } = await ask('DELETE', own())
      if (status !== 204 && status !== 200) return `status ${status} instead of 204`
      return expectError(await ask('GET', own()), 404)
    }),
  ]
}

function expectSchema(
  { components }: Document,
  operation: DocumentedOperation | undefined,
  { status, json }: Reply,
  expected: number,
): string | undefined {
  if (status !== expected) return `status ${status} instead of ${expected}: ${JSON.stringify(json)}`.slice(0, 200)
  const schema = operation?.responses[String(expected)]?.content?.['application/json']?.schema
  if (!schema) return undefined
  const [isValid, errors] = Schema.Errors({ ...schema, components }, json)
  const [first] = errors
  return isValid || !first ? undefined : `${first.instancePath || '/'} ${first.message}`
}
