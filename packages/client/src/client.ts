import { type OperationTable, operations, type PagedOperation } from './generated/operations.js'
import { type ClientOptions, type Credentials, type Send, sender } from './send.js'
import type { Iterator, Method, OperationName, RequestOptions } from './types.js'

/** A method per operation of the API. */
export type Methods = { readonly [Name in OperationName & keyof OperationTable]: Method<Name> }

/** A method per list: an iterator over the items of all pages. */
export type Iterators = { readonly [Name in PagedOperation]: Iterator<Name> }

export type HookswitchClient = Methods & {
  /** `for await (const call of client.all.listCalls({ order: 'desc' })) …` */
  readonly all: Iterators
}

type Values = Record<string, unknown>

/** A client for one company on one server. */
export function createClient(credentials: Credentials, options: ClientOptions = {}): HookswitchClient {
  const send = sender(credentials, options)
  const client: Record<string, unknown> = {}
  const all: Record<string, unknown> = {}
  for (const [name, line] of Object.entries(operations)) {
    const operation = read(line)
    client[name] = (...input: unknown[]) => run(send, operation, input)
    if (operation.list !== undefined) {
      all[name] = (parameters: Values = {}, more: RequestOptions = {}) => iterate(send, operation, parameters, more)
    }
  }
  return { ...client, all } as unknown as HookswitchClient
}

interface Operation {
  method: string
  path: string
  hasParameters: boolean
  hasBody: boolean
  /** The field with the list of a page. */
  list: string | undefined
}

/** `GET /v1/calls p list=calls`: method, path, and whether it has parameters (p), a body (b) or pages. */
function read(line: string): Operation {
  const [method = 'GET', path = '/', ...flags] = line.split(' ')
  return {
    method,
    path,
    hasParameters: flags.includes('p'),
    hasBody: flags.includes('b'),
    list: flags.find((flag) => flag.startsWith('list='))?.slice(5),
  }
}

function run(send: Send, operation: Operation, input: unknown[]): Promise<unknown> {
  const rest = [...input]
  const parameters = operation.hasParameters ? ((rest.shift() ?? {}) as Values) : {}
  const body = operation.hasBody ? rest.shift() : undefined
  const options = (rest.shift() ?? {}) as RequestOptions
  return send({
    ...options,
    method: operation.method,
    target: targetOf(operation.path, parameters),
    ...(body !== undefined && { body }),
  })
}

async function* iterate(send: Send, operation: Operation, parameters: Values, options: RequestOptions) {
  for (let page = 1; ; page++) {
    const body = (await run(send, operation, [{ per_page: 50, ...parameters, page }, options])) as Values
    yield* body[operation.list ?? ''] as unknown[]
    if (!(body.meta as { next_page_link?: unknown } | undefined)?.next_page_link) return
  }
}

function targetOf(path: string, parameters: Values): string {
  const query = new URLSearchParams()
  const rest = { ...parameters }
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    if (value === undefined || value === '') throw new TypeError(`${name} is missing`)
    return encodeURIComponent(String(value))
  })
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined || value === null) continue
    if (Array.isArray(value)) for (const one of value) query.append(`${name}[]`, String(one))
    else query.set(name, String(value))
  }
  return query.size > 0 ? `${target}?${query}` : target
}
