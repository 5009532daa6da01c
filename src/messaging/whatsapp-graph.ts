import type { TroubleCode } from '../domain/message.ts'
import type { Secrets, WhatsappSettings } from '../features/messages/carriers/settings.ts'
import { second } from '../lib/clock.ts'
import type { Download, FetchResult } from '../lib/safe-fetch.ts'
import type { Services } from '../services.ts'

// The Graph API: URLs, the access token and the meaning of its error codes.

export interface Graph {
  post(path: string, body: unknown): Promise<FetchResult>
  get(path: string): Promise<GraphJson>
  /** Downloads a file from a URL of the API, with the access token. */
  download(url: string, maxBytes: number): Promise<Download>
}

export type GraphJson = { ok: true; value: Record<string, unknown> } | { ok: false; status: number | null; why: string }

const timeoutMs = 20 * second
const maxJsonBytes = 4 * 1_048_576

export function createGraph(
  { outbound }: Pick<Services, 'outbound'>,
  pool: string,
  { base_url, version }: WhatsappSettings,
  { accessToken = '' }: Secrets,
): Graph {
  const at = (path: string) => `${base_url.replace(/\/$/, '')}/${version}/${path}`
  const headers = { authorization: `Bearer ${accessToken}`, 'user-agent': 'Hookswitch', accept: 'application/json' }
  return {
    post: (path, body) =>
      outbound.post({
        pool,
        url: at(path),
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        timeoutMs,
      }),
    async get(path) {
      const got = await outbound.get({ pool, url: at(path), headers, timeoutMs, maxBytes: maxJsonBytes })
      const value = got.extent === 'whole' ? parsed(got.bytes.toString('utf8')) : undefined
      if (got.status === 200 && value) return { ok: true, value }
      const error = errorIn(value)
      return { ok: false, status: got.status, why: error?.message ?? (got.detail || `The API answered ${got.status}`) }
    },
    download: (url, maxBytes) =>
      outbound.get({ pool, url, headers: { ...headers, accept: '*/*' }, timeoutMs, maxBytes }),
  }
}

export function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

export interface GraphError {
  code: number
  message: string
}

export function errorIn(answer: Record<string, unknown> | undefined): GraphError | undefined {
  const error = answer?.error as { code?: unknown; message?: unknown; error_data?: { details?: unknown } } | undefined
  if (typeof error?.code !== 'number') return undefined
  const details = error.error_data?.details
  const words = typeof details === 'string' ? details : typeof error.message === 'string' ? error.message : ''
  return { code: error.code, message: words.slice(0, 300) }
}

/** Errors of the account, its token or its permissions: nothing is sent until they are resolved. */
const accountTroubles = new Set([0, 3, 10, 190, 131005, 131031, 131042, 131045, 133010])
/** Rate limits and server errors. */
const passing = new Set([1, 2, 4, 80007, 130429, 131000, 131016, 131056, 131057])

export const isAccountTrouble = (code: number) => accountTroubles.has(code) || (code >= 200 && code <= 299)
export const isPassing = (code: number) => passing.has(code)

const known: Record<number, TroubleCode> = {
  368: 30007,
  470: 63016,
  131021: 30005,
  131026: 30003,
  131030: 30007,
  131047: 63016,
  131048: 30007,
  131049: 30007,
  131050: 21610,
  131051: 63021,
  131052: 63019,
  131053: 63021,
  130472: 30007,
  130497: 30007,
  133004: 30003,
}

export const troubleOf = (code: number): TroubleCode => known[code] ?? 30008
