/** What the server said about a request that it refused. */
export interface Refusal {
  status: number
  message: string
  /** What to do about it, in a sentence. */
  troubleshoot: string | undefined
  /** Of the request; quote it when you ask the operator of the server. */
  requestId: string | undefined
  /** Seconds until the next try makes sense. */
  retryAfter: number | undefined
  body: unknown
}

/** Base of all errors of this package. */
export class HookswitchError extends Error {
  override name = 'HookswitchError'
}

/** The server refused the request. */
export class ResponseError extends HookswitchError {
  override name = 'ResponseError'
  readonly status: number
  readonly troubleshoot: string | undefined
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined
  readonly body: unknown

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.status = refusal.status
    this.troubleshoot = refusal.troubleshoot
    this.requestId = refusal.requestId
    this.retryAfter = refusal.retryAfter
    this.body = refusal.body
  }
}

/** 400 and 422: the input is missing, invalid or does not fit the state of the object. */
export class ValidationError extends ResponseError {
  override name = 'ValidationError'
}

/** 401 and 403: the credentials are wrong, or may not do this. */
export class PermissionError extends ResponseError {
  override name = 'PermissionError'
}

/** 404: the object does not exist in this company. */
export class NotFoundError extends ResponseError {
  override name = 'NotFoundError'
}

/** 409: another request changes the same thing, or used the same idempotency key. */
export class ConflictError extends ResponseError {
  override name = 'ConflictError'
}

/** 429, after all retries. */
export class RateLimitError extends ResponseError {
  override name = 'RateLimitError'
}

/** 5xx, after all retries. */
export class ServerError extends ResponseError {
  override name = 'ServerError'
}

/** No response: the network failed, or the time limit was exceeded. */
export class ConnectionError extends HookswitchError {
  override name = 'ConnectionError'
}

/** A webhook request that was not signed with the secret, or too long ago. */
export class WebhookVerificationError extends HookswitchError {
  override name = 'WebhookVerificationError'
}

export function errorFor(refusal: Refusal): ResponseError {
  const { status } = refusal
  if (status === 400 || status === 422) return new ValidationError(refusal)
  if (status === 401 || status === 403) return new PermissionError(refusal)
  if (status === 404) return new NotFoundError(refusal)
  if (status === 409) return new ConflictError(refusal)
  if (status === 429) return new RateLimitError(refusal)
  return status >= 500 ? new ServerError(refusal) : new ResponseError(refusal)
}
