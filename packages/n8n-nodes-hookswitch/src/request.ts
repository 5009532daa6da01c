import { randomUUID } from 'node:crypto'
import type { HttpOptions, HttpResponse, NodeFunctions } from './n8n.ts'

export const credentialType = 'hookswitchApi'

/** A response that is no success; n8n shows message and description. */
export class HookswitchError extends Error {
  override name = 'HookswitchError'
  description: string | undefined
  httpCode: string

  constructor({ statusCode, body, headers }: HttpResponse) {
    const { error, troubleshoot } = (body ?? {}) as { error?: unknown; troubleshoot?: unknown }
    super(typeof error === 'string' && error !== '' ? error : `The server responded with status ${statusCode}`)
    const hints = [troubleshoot, headers['x-request-id'] && `Request ${headers['x-request-id']}`]
    this.description = hints.filter((hint) => typeof hint === 'string' && hint !== '').join(' · ') || undefined
    this.httpCode = String(statusCode)
  }
}

export interface SentRequest {
  method: HttpOptions['method']
  /** With its query. */
  target: string
  body?: object | undefined
  idempotencyKey?: string | undefined
}

const maxAttempts = 5
const retriedStatuses = new Set([429, 502, 503, 504])

/** The body of the response. A request that the server has no capacity for is repeated when it asks for that. */
export async function send(context: NodeFunctions, request: SentRequest): Promise<unknown> {
  const { url } = await context.getCredentials(credentialType)
  const isRead = request.method === 'GET'
  const options: HttpOptions = {
    method: request.method,
    url: `${String(url).replace(/\/+$/, '')}${request.target}`,
    headers: {
      accept: 'application/json',
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      // The same key in every attempt: the server makes the change once.
      ...(!isRead && { 'idempotency-key': request.idempotencyKey || randomUUID() }),
    },
    ...(request.body !== undefined && { body: request.body }),
    json: true,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
  }
  for (let attempt = 1; ; attempt++) {
    const response = await responseOf(context, options)
    if (response.statusCode < 300) return response.body
    if (attempt === maxAttempts || !retriedStatuses.has(response.statusCode)) throw new HookswitchError(response)
    await pause(attempt, Number(response.headers['retry-after'] ?? Number.NaN))
  }
}

async function responseOf(context: NodeFunctions, options: HttpOptions): Promise<HttpResponse> {
  return (await context.helpers.httpRequestWithAuthentication.call(context, credentialType, options)) as HttpResponse
}

/** What the server asks for, at most a minute; otherwise a second, doubled each time. */
function pause(attempt: number, retryAfter: number): Promise<void> {
  const seconds = Number.isFinite(retryAfter) ? Math.min(retryAfter, 60) : 2 ** (attempt - 1)
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
}
