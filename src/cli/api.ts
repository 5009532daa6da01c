import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ConfigError, readApiAccess, readDataDir } from '../config.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { withoutTrailing } from '../lib/text.ts'
import { type CommandArguments, UsageError } from './command.ts'
import { httpUrlIn } from './http-url.ts'
import { networkFailureReason } from './network-failure.ts'
import { printable } from './print.ts'
import { findProfile } from './profiles.ts'

/** A client for the API of a local or remote server. */
export interface Api {
  base: string
  ask<Result>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    target: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Result>
  /** Returns a successful response whose body has not been read. */
  open(target: string, more: { headers: Record<string, string>; signal: AbortSignal }): Promise<Response>
}

export const apiOptions = {
  url: { type: 'string' },
  'api-id': { type: 'string' },
  'api-token': { type: 'string' },
  credentials: { type: 'string' },
  profile: { type: 'string' },
} as const

export const apiUsage = '[--profile NAME | --url URL] [--credentials FILE | --api-id ID --api-token TOKEN]'

export const apiDetails =
  'The server and the API key are those of --profile, of HOOKSWITCH_URL, HOOKSWITCH_API_ID and HOOKSWITCH_API_TOKEN, of\n' +
  'the profile that `hookswitch profiles use` has selected, or of demo.json in DATA_DIR. For another server use\n' +
  '`hookswitch profiles add`, or --url and --credentials, a JSON file with api_id, api_token and optionally base_url.\n' +
  '--api-id and --api-token work as well, but are visible to other users of this machine in the process list.'

/** The server cannot be reached. */
export class Unreachable extends CommandRefused {}

/** The server responded with an error status. */
export class RequestRefused extends CommandRefused {
  readonly status: number
  readonly retryAfterSeconds: number
  constructor(status: number, retryAfterSeconds: number, message: string) {
    super(message)
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export function apiFor(given: CommandArguments): Api {
  const { base, apiId, token, source } = serverAccess(given)
  const authorization = `Basic ${Buffer.from(`${apiId}:${token}`).toString('base64')}`
  const open = async (target: string, init: RequestInit & { headers: Record<string, string> }) => {
    const headers = { ...init.headers, authorization }
    const response = await fetch(base + target, { ...init, headers, redirect: 'manual' }).catch((error: unknown) => {
      throw new Unreachable(`${base} cannot be reached (${networkFailureReason(error)})`)
    })
    if (response.ok) return response
    throw await refusalIn(response, base, `with API key ${printable(apiId)} ${source}`)
  }
  return {
    base,
    open,
    async ask<Result>(
      method: 'GET' | 'POST' | 'PUT' | 'DELETE',
      target: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ): Promise<Result> {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await open(target, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...sent,
      })
      const text = await response.text().catch((error: unknown) => {
        throw new Unreachable(`${base} closed the connection during the response (${networkFailureReason(error)})`)
      })
      const answer = response.status === 204 ? {} : parsed(text)
      if (!answer) throw new CommandRefused(`the server at ${base} is not Hookswitch`)
      return answer as Result
    },
  }
}

interface ServerAccess {
  base: string
  apiId: string
  token: string
  /** The origin of the API key, for error messages. */
  source: string
}

/** Options before settings before the selected profile before demo.json. */
export function serverAccess(given: CommandArguments): ServerAccess {
  const isChosen = given.text('credentials') !== undefined || given.text('profile') !== undefined
  const set: Partial<ReturnType<typeof readApiAccess>> = isChosen ? {} : readApiAccess()
  const url = given.text('url') ?? set.url
  const apiId = given.text('api-id') ?? set.apiId
  const token = given.text('api-token') ?? set.token
  if ((apiId === undefined) !== (token === undefined))
    throw new UsageError('--api-id and --api-token must be used together')
  if (token !== undefined && given.text('credentials') !== undefined) {
    throw new UsageError('Use either --credentials or --api-id and --api-token')
  }
  const profile = url === undefined && token === undefined ? profileIn(given) : undefined
  const { file, credentials } =
    url !== undefined && token !== undefined ? { file: '', credentials: {} } : (profile ?? readCredentials(given))
  const found = {
    base: url ?? credentials.base_url,
    apiId: apiId ?? credentials.api_id,
    token: token ?? credentials.api_token,
  }
  if (typeof found.apiId !== 'string' || typeof found.token !== 'string') {
    throw new ConfigError(`${file} contains no api_id and api_token`)
  }
  if (typeof found.base !== 'string') throw new ConfigError(`${file} contains no base_url; use --url`)
  const { origin, pathname } = httpUrlIn(found.base, url === undefined ? `base_url of ${file}` : '--url')
  return {
    base: origin + withoutTrailing(pathname, '/'),
    apiId: found.apiId,
    token: found.token,
    source: token === undefined ? `from ${file}` : 'from the command line',
  }
}

type JsonObject = Record<string, unknown>

/** Undefined: no profile is named or selected. */
function profileIn(given: CommandArguments): { file: string; credentials: JsonObject } | undefined {
  const name = given.text('profile')
  if (given.text('credentials') !== undefined) {
    if (name !== undefined) throw new UsageError('Use either --profile or --credentials')
    return undefined
  }
  const found = findProfile(name)
  return found && { file: found.file, credentials: { ...found.profile, base_url: found.profile.url } }
}

function readCredentials(given: CommandArguments): { file: string; credentials: JsonObject } {
  const named = given.text('credentials')
  const file = path.resolve(named ?? path.join(readDataDir(), 'demo.json'))
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : 'unknown'
    const advice =
      named === undefined ? 'set DATA_DIR to the data directory of a sandbox, or use --url and --credentials' : ''
    throw new ConfigError([`${file} cannot be read (${reason})`, advice].filter(Boolean).join('; '))
  }
  const credentials = parsed(text)
  if (!credentials) throw new ConfigError(`${file} is not a JSON object`)
  return { file, credentials }
}

async function refusalIn(response: Response, base: string, credentials: string): Promise<RequestRefused> {
  const { status, headers } = response
  const wait = Number(headers.get('retry-after') ?? 0)
  const troubleshoot = parsed(await response.text().catch(() => ''))?.troubleshoot
  const of = (why: string) =>
    new RequestRefused(status, Number.isFinite(wait) ? wait : 0, `${base} responded with ${status}: ${why}`)
  if (status < 400) return of(`redirect to ${printable(headers.get('location'))}; use that address as --url`)
  if (typeof troubleshoot !== 'string') return of('not a response of Hookswitch; check --url')
  const who = status === 401 || status === 403 ? ` (${credentials})` : ''
  const when = status === 429 && wait > 0 ? `. Retry in ${wait} s` : ''
  return of(printable(troubleshoot) + who + when)
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
