import { type Cancel, type Clock, second } from './clock.ts'
import { detailOf, type FetchPhase, failure, type Problem, problemOf } from './fetch-failure.ts'

export interface FetchResult {
  /** The phase that the attempt reached. */
  phase: FetchPhase
  /** Set once a status connection was received. */
  status: number | null
  /** Null if and only if a status connection was received in time. */
  problem: Problem | null
  /** For the operator's log, never shown to customers: our description and the error code. */
  detail: string
  /** `name: value\n…`, the first 2 KiB. */
  headers: string
  /** The first 4 KiB as text. */
  body: string
  /** The header value as received. */
  retryAfter: string | null
  /** Machine time from the start to the status connection, or to the end of an attempt without one. */
  durationMs: number
}

export interface PostRequest {
  /** Connections are never shared between pools. */
  pool: string
  url: string
  headers: Record<string, string>
  body: string | Buffer
  timeoutMs: number
  connections?: number
  onStatus?: () => void
}

/** The part of a request that the attempt needs. */
export interface AttemptRequest {
  timeoutMs: number
  onStatus?: (status: number, headers: ReceivedHeaders) => void
  /** Aborts the attempt; ignored before the attempt starts. */
  signal?: AbortSignal
  /** Receives the whole body instead of its beginning. */
  reader?: BodyReader
}

export interface BodyReader {
  /** Reading stops after this many bytes. */
  maxBytes: number
  take(chunk: Buffer): void
  /** Called when the body is complete. */
  complete(): void
}

/** The connection of an attempt; carries one attempt at a time. */
export interface AttemptConnection {
  phase: FetchPhase
}

export type ReceivedHeaders = Record<string, string | string[] | undefined>

const headersKept = 2_048
const bodyKept = 4_096
const bodyRead = 16_384
const maxBodyLength = second
// Limits 1xx responses before the final response.
const maxInformational = 16

/**
 * One request from its start to its response. It ends with the first of: the end of the body, the body limit, an error,
 * the timer; later events are ignored. The HTTP client calls the methods that begin with `on`.
 */
export class FetchAttempt<Connection extends AttemptConnection> {
  readonly answer: Promise<FetchResult>
  readonly #clock: Clock
  readonly #startedAt: number
  readonly #request: AttemptRequest
  #resolve: (answer: FetchResult) => void = () => {}
  #release: (connection: Connection | undefined, reusable: boolean) => void
  #connection: Connection | undefined
  #cancelTimer: Cancel
  readonly #abort = () => this.fail(failure('CLOSED', 'nobody waits for the answer any more'))
  #over = false
  #informational = 0
  #status: number | null = null
  #statusAt = 0
  #headers: ReceivedHeaders = {}
  #chunks: Buffer[] = []
  #bytes = 0

  /** `release` returns the connection, and whether it can be reused. */
  constructor(
    clock: Clock,
    request: AttemptRequest,
    release: (connection: Connection | undefined, reusable: boolean) => void,
  ) {
    this.#clock = clock
    this.#startedAt = clock.machineNow()
    this.#request = request
    this.#release = release
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#cancelTimer = clock.machineAfter(request.timeoutMs, () =>
      this.fail(failure('OUT_OF_TIME', 'no answer in time')),
    )
    request.signal?.addEventListener('abort', this.#abort)
  }

  attach(connection: Connection): void {
    connection.phase = 'connect'
    this.#connection = connection
  }

  fail(error: Error): void {
    // After the status connection the attempt cannot fail; only the rest of the body is missing.
    if (this.#status !== null) this.#endEarly()
    if (this.#over) return
    const phase = this.#connection?.phase ?? 'dns'
    this.#end(false, {
      phase,
      status: null,
      problem: problemOf(error, phase),
      detail: detailOf(error, phase),
      headers: '',
      body: '',
      retryAfter: null,
      durationMs: Math.max(0, this.#clock.machineNow() - this.#startedAt),
    })
  }

  onRequestStart(): void {
    if (this.#connection) this.#connection.phase = 'sent'
  }

  onResponseStart(_controller: unknown, status: number, headers: ReceivedHeaders): void {
    if (this.#over || this.#isSkipped(status)) return
    this.#cancelTimer()
    this.#status = status
    this.#statusAt = this.#clock.machineNow()
    this.#cancelTimer = this.#clock.machineAfter(this.#timeForBody(), () => this.#endEarly())
    this.#headers = headers
    this.#request.onStatus?.(status, headers)
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#over) return
    const { reader } = this.#request
    if (reader) reader.take(chunk)
    else if (this.#bytes <= bodyKept) this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes > (reader?.maxBytes ?? bodyRead)) this.#endEarly()
  }

  onResponseEnd(): void {
    if (this.#over || this.#status === null) return
    this.#request.reader?.complete()
    this.#end(true, this.#received(this.#status))
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.fail(error)
  }

  /** With a body reader, the timeout of the request also covers the body. */
  #timeForBody(): number {
    const { reader, timeoutMs } = this.#request
    return reader ? Math.max(0, this.#startedAt + timeoutMs - this.#statusAt) : maxBodyLength
  }

  #isSkipped(status: number): boolean {
    if (status >= 200) return false
    this.#informational++
    if (this.#informational > maxInformational) this.fail(failure('BAD_ANSWER', 'too many informational answers'))
    return true
  }

  #endEarly(): void {
    if (!this.#over && this.#status !== null) this.#end(false, this.#received(this.#status))
  }

  #received(status: number): FetchResult {
    const retryAfter = this.#headers['retry-after']
    return {
      phase: 'status',
      status,
      problem: null,
      detail: '',
      headers: headerText(this.#headers),
      body: this.#chunks.length === 0 ? '' : textOf(Buffer.concat(this.#chunks), bodyKept),
      retryAfter: (Array.isArray(retryAfter) ? retryAfter[0] : retryAfter) ?? null,
      durationMs: Math.max(0, this.#statusAt - this.#startedAt),
    }
  }

  #end(reusable: boolean, answer: FetchResult): void {
    this.#over = true
    this.#cancelTimer()
    this.#request.signal?.removeEventListener('abort', this.#abort)
    // An idle connection keeps a reference to its last attempt.
    this.#chunks = []
    this.#headers = {}
    this.#resolve(answer)
    this.#release(this.#connection, reusable)
  }
}

function headerText(headers: ReceivedHeaders): string {
  let text = ''
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) text += `${name}: ${one}\n`
    if (text.length > headersKept) break
  }
  // No character takes more than three bytes here, so most headers need no exact check.
  return text.length * 3 <= headersKept ? text : textOf(Buffer.from(text), headersKept)
}

/** The first `limit` bytes as text that any database can store: cut between characters, without NUL. */
function textOf(bytes: Buffer, limit: number): string {
  return bytes.toString('utf8', 0, endOfText(bytes, limit)).replaceAll('\0', '')
}

function endOfText(bytes: Buffer, limit: number): number {
  if (bytes.length <= limit) return bytes.length
  let end = limit
  // UTF-8 has at most three continuation bytes; with more, the input is not text and may be cut anywhere.
  while (end > limit - 3 && isContinuation(bytes[end])) end--
  return isContinuation(bytes[end]) ? limit : end
}

const isContinuation = (byte = 0) => (byte & 0xc0) === 0x80
