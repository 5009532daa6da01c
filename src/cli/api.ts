import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ConfigError, readDataDir } from '../config.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { withoutTrailing } from '../lib/text.ts'
import { type Given, UsageError } from './command.ts'
import { httpUrlIn } from './http-url.ts'
import { reasonOf } from './network-failure.ts'
import { printable } from './print.ts'

/** The API of a running server, here or elsewhere, as one company sees it. */
export interface Api {
  base: string
  ask<Result>(method: 'GET' | 'POST' | 'PUT', target: string, body?: unknown): Promise<Result>
  /** An answer that was accepted and is not read yet. */
  open(target: string, more: { headers: Record<string, string>; signal: AbortSignal }): Promise<Response>
}

export const apiOptions = {
  url: { type: 'string' },
  'api-id': { type: 'string' },
  'api-token': { type: 'string' },
  credentials: { type: 'string' },
} as const

export const apiUsage = '[--url URL] [--credentials FILE | --api-id ID --api-token TOKEN]'

export const apiDetails =
  'The server and the key are those of demo.json in DATA_DIR. For another server give --url and --credentials, a JSON\n' +
  'file with base_url, api_id and api_token, of which base_url may be left out. --api-id and --api-token do as well, but\n' +
  'everybody on this machine can read them in the list of processes.'

/** The server cannot be spoken to at the moment. */
export class Unreachable extends CommandRefused {}

/** The server has answered, and it was no. */
export class Refusal extends CommandRefused {
  readonly status: number
  readonly retryAfterSeconds: number
  constructor(status: number, retryAfterSeconds: number, message: string) {
    super(message)
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export function apiFor(given: Given): Api {
  const { base, apiId, token, source } = findServer(given)
  const authorization = `Basic ${Buffer.from(`${apiId}:${token}`).toString('base64')}`
  const open = async (target: string, init: RequestInit & { headers: Record<string, string> }) => {
    const headers = { ...init.headers, authorization }
    const response = await fetch(base + target, { ...init, headers, redirect: 'manual' }).catch((error: unknown) => {
      throw new Unreachable(`${base} cannot be reached (${reasonOf(error)})`)
    })
    if (response.ok) return response
    throw await refusalIn(response, base, `asked with key ${printable(apiId)} ${source}`)
  }
  return {
    base,
    open,
    async ask<Result>(method: 'GET' | 'POST' | 'PUT', target: string, body?: unknown): Promise<Result> {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await open(target, { method, headers: { 'content-type': 'application/json' }, ...sent })
      const text = await response.text().catch((error: unknown) => {
        throw new Unreachable(`${base} broke off its answer (${reasonOf(error)})`)
      })
      const answer = response.status === 204 ? {} : parsed(text)
      if (!answer) throw new CommandRefused(`what answers at ${base} is not Hookswitch`)
      return answer as Result
    },
  }
}

interface Found {
  base: string
  apiId: string
  token: string
  /** Where the key was found, for whoever wonders why it is refused. */
  source: string
}

function findServer(given: Given): Found {
  const [url, apiId, token] = [given.text('url'), given.text('api-id'), given.text('api-token')]
  if ((apiId === undefined) !== (token === undefined)) throw new UsageError('Say both --api-id and --api-token')
  if (token !== undefined && given.text('credentials') !== undefined) {
    throw new UsageError('Say either --credentials or --api-id and --api-token')
  }
  const { file, facts } = url !== undefined && token !== undefined ? { file: '', facts: {} } : readCredentials(given)
  const found = { base: url ?? facts.base_url, apiId: apiId ?? facts.api_id, token: token ?? facts.api_token }
  if (typeof found.apiId !== 'string' || typeof found.token !== 'string') {
    throw new ConfigError(`${file} holds no api_id and api_token`)
  }
  if (typeof found.base !== 'string') throw new ConfigError(`${file} holds no base_url; say --url`)
  const { origin, pathname } = httpUrlIn(found.base, url === undefined ? `base_url of ${file}` : '--url')
  return {
    base: origin + withoutTrailing(pathname, '/'),
    apiId: found.apiId,
    token: found.token,
    source: token === undefined ? `of ${file}` : 'of the command line',
  }
}

type Facts = Record<string, unknown>

function readCredentials(given: Given): { file: string; facts: Facts } {
  const named = given.text('credentials')
  const file = path.resolve(named ?? path.join(readDataDir(), 'demo.json'))
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : 'unknown'
    const advice = named === undefined ? 'set DATA_DIR to the folder of a sandbox, or say --url and --credentials' : ''
    throw new ConfigError([`${file} cannot be read (${reason})`, advice].filter(Boolean).join('; '))
  }
  const facts = parsed(text)
  if (!facts) throw new ConfigError(`${file} is not a JSON object`)
  return { file, facts }
}

async function refusalIn(response: Response, base: string, asker: string): Promise<Refusal> {
  const { status, headers } = response
  const wait = Number(headers.get('retry-after') ?? 0)
  const said = parsed(await response.text().catch(() => ''))?.troubleshoot
  const of = (why: string) => new Refusal(status, Number.isFinite(wait) ? wait : 0, `${base} answers ${status}: ${why}`)
  if (status < 400) return of(`it redirects to ${printable(headers.get('location'))}; say that address as --url`)
  if (typeof said !== 'string') return of('that is not an answer of Hookswitch; check --url')
  const who = status === 401 || status === 403 ? ` (${asker})` : ''
  const when = status === 429 && wait > 0 ? `. Try again in ${wait} s` : ''
  return of(printable(said) + who + when)
}

function parsed(text: string): Facts | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
