import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { pause, second } from '../lib/clock.ts'
import { type Api, apiDetails, apiFor, apiOptions, apiUsage, RequestRefused } from './api.ts'
import { type Command, type CommandArguments, type CommandResult, UsageError } from './command.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Reply = Record<string, unknown>

const get: Command = {
  name: 'api get',
  usage: `PATH [--all] ${apiUsage}`,
  summary: 'Send a GET request to the API, such as /v1/users',
  details: `--all follows the links to further pages and prints one list.\n${apiDetails}`,
  options: { ...apiOptions, all: { type: 'boolean' } },
  words: [1, 1],
  async run(given) {
    const api = apiFor(given)
    const path = pathIn(given)
    return printed(given.flag('all') ? await allPages(api, path) : await api.ask<Reply>('GET', path))
  },
}

const changing = (method: Exclude<Method, 'GET'>): Command => ({
  name: `api ${method.toLowerCase()}`,
  usage: `PATH [-d JSON | -d @FILE | -d -] [--idempotency-key KEY] ${apiUsage}`,
  summary: `Send a ${method} request to the API`,
  details:
    '-d is the body: JSON, a file, or - for standard input. The request has an Idempotency-Key, so that it is safe to send\n' +
    `it again with the same key if no response arrives.\n${apiDetails}`,
  options: { ...apiOptions, data: { type: 'string', short: 'd' }, 'idempotency-key': { type: 'string' } },
  words: [1, 1],
  async run(given) {
    const headers = { 'idempotency-key': given.text('idempotency-key') ?? randomUUID() }
    return printed(await apiFor(given).ask<Reply>(method, pathIn(given), bodyIn(given), headers))
  },
})

export const apiCommands: Command[] = [get, changing('POST'), changing('PUT'), changing('DELETE')]

const printed = (json: unknown): CommandResult => ({ text: JSON.stringify(json, null, 2), json })

function pathIn({ words: [path = ''] }: CommandArguments): string {
  if (!path.startsWith('/')) throw new UsageError('PATH must start with /, for example /v1/users')
  return path
}

function bodyIn(given: CommandArguments): unknown {
  const text = given.text('data')
  if (text === undefined) return undefined
  const json = text === '-' ? readFileSync(0, 'utf8') : text.startsWith('@') ? fileIn(text.slice(1)) : text
  try {
    return JSON.parse(json)
  } catch {
    throw new UsageError('-d must be JSON, @FILE or -')
  }
}

function fileIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new UsageError(`${file} cannot be read`)
  }
}

/** All pages in one response: the items of its list, and the total. */
async function allPages(api: Api, path: string): Promise<Reply> {
  const first = await patiently(() => api.ask<Reply>('GET', path))
  const list = Object.keys(first).find((key) => Array.isArray(first[key]))
  if (list === undefined || nextOf(first) === undefined) return first
  const items = [...itemsOf(first, list)]
  for (let next = nextOf(first); next !== undefined; ) {
    const page = await patiently(() => api.ask<Reply>('GET', next ?? ''))
    items.push(...itemsOf(page, list))
    next = nextOf(page)
  }
  return { [list]: items }
}

const itemsOf = (page: Reply, list: string): unknown[] => {
  const items = page[list]
  return Array.isArray(items) ? items : []
}

/** Path and query only: the API key is sent to no other server. */
function nextOf({ meta }: Reply): string | undefined {
  const link = typeof meta === 'object' && meta !== null && 'next_page_link' in meta ? meta.next_page_link : null
  if (typeof link !== 'string') return undefined
  const { pathname, search } = new URL(link, 'http://localhost')
  return pathname + search
}

/** Waits for the rate limit. */
async function patiently(ask: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof RequestRefused) || error.status !== 429 || error.retryAfterSeconds <= 0) throw error
      await pause(error.retryAfterSeconds * second)
    }
  }
}
