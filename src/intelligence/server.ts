// intelligence/ implements the AI engines: speech-to-text, LLM and text-to-speech. Every response is bounded, has a timeout
// and is validated.
import type { ServerLine } from '../domain/intelligence/engine-line.ts'
import { EngineTrouble } from '../domain/intelligence/engine-trouble.ts'
import { second } from '../lib/clock.ts'
import type { FetchedDocument, SafeFetch } from '../lib/safe-fetch.ts'

export { EngineTrouble }

export interface EngineRequest {
  path: string
  body: Buffer | string
  type: string
  maxBytes: number
  signal: AbortSignal
  /** Chunks of the body of a successful response, with its content type in lower case. */
  take?: (chunk: Buffer, type: string) => void
}

export interface EngineReply {
  status: number
  bytes: Buffer
  /** Content type in lower case, with its parameters. */
  type: string
}

/** A configured server and its key. */
export interface EngineServer {
  /** Resolves with any status; throws EngineTrouble without a response. */
  request(question: EngineRequest): Promise<EngineReply>
}

const defaultTimeout = 60

export interface EngineServerOptions {
  http: SafeFetch
  line: ServerLine
  key: string | undefined
  /** Scheme of the Authorization header: `Bearer`, `Token`. */
  scheme?: string
}

export function createEngineServer({ http, line, key, scheme = 'Bearer' }: EngineServerOptions): EngineServer {
  const timeoutMs = timeoutOf(line)
  return {
    async request({ path, body, type, maxBytes, signal, take }) {
      const exchange = await http.exchange({
        pool: `engine ${line.kind}`,
        url: `${line.url}${path}`,
        headers: {
          'content-type': type,
          'user-agent': 'Hookswitch',
          ...(key !== undefined && { authorization: `${scheme} ${key}` }),
        },
        body,
        timeoutMs,
        maxBytes,
        signal,
        ...(take && { take }),
      })
      const { status, bytes, headers } = checked(exchange, signal)
      return { status, bytes, type: /^content-type: ([^\n]{0,200})/im.exec(headers)?.[1]?.toLowerCase() ?? '' }
    },
  }
}

export const timeoutOf = ({ options }: Pick<ServerLine, 'options'>) =>
  second * Number(options.timeout ?? defaultTimeout)

function checked({ status, problem, detail, extent, ...rest }: FetchedDocument, signal: AbortSignal) {
  if (signal.aborted) throw new EngineTrouble('The request was aborted.', true)
  if (status === null) throw new EngineTrouble(reasons[problem ?? 'connection'](detail), problem !== 'not_allowed')
  if (extent === 'too_large') throw new EngineTrouble('The server’s response is too long.', false)
  if (extent === 'part') throw new EngineTrouble('The server’s response was incomplete when the timeout expired.', true)
  return { status, ...rest }
}

const reasons: Record<NonNullable<FetchedDocument['problem']>, (detail: string) => string> = {
  not_allowed: () => 'The address is not allowed: it must be an https URL of a public host.',
  timeout: () => 'The server did not respond in time.',
  connection: (detail) => `The server cannot be reached: ${detail}.`,
  tls: (detail) => `The TLS connection failed: ${detail}.`,
  protocol: () => 'The server does not speak HTTP.',
}

/** The error for an unsuccessful status, with the server's message. */
export function errorOfReply({ status, bytes }: Pick<EngineReply, 'status' | 'bytes'>): EngineTrouble {
  const message = messageIn(bytes.toString('utf8', 0, 4_096))
  const passing = status >= 500 || status === 408 || status === 429
  return new EngineTrouble(`The server answered ${status}${message === '' ? '.' : `: ${message}`}`, passing)
}

/** The message is in `error.message`, `error`, `message` or `detail`, depending on the server. */
function messageIn(text: string): string {
  const body = jsonIn(text)
  if (typeof body !== 'object' || body === null) return ''
  const { error, message, detail, err_msg } = body as Record<string, unknown>
  const inner = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : error
  const found = [inner, message, detail, err_msg].find((words) => typeof words === 'string')
  return typeof found === 'string' ? found.slice(0, 200) : ''
}

export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const isSuccessReply = ({ status }: Pick<EngineReply, 'status'>) => status >= 200 && status < 300
