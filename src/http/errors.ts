// http/ is the web server: one route definition for every endpoint, two kinds of authentication, one error format. It
// knows no feature.

const reasons = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Payload Too Large',
  416: 'Range Not Satisfiable',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const

export type ErrorStatus = keyof typeof reasons

/** All errors of the API. `troubleshoot` tells the client what to fix and reveals no internals. */
export class ApiError extends Error {
  readonly status: ErrorStatus
  readonly headers: Record<string, string>
  readonly details: ErrorDetails | undefined
  /** OAuth error code, used instead of the reason phrase. */
  readonly code: OauthCode | undefined
  /** Of an edit that another one has overtaken. */
  readonly conflict: EditConflict | undefined
  constructor(
    status: ErrorStatus,
    troubleshoot: string,
    headers: Record<string, string> = {},
    details: ErrorDetails | undefined = undefined,
    code: OauthCode | undefined = undefined,
    edit: EditConflict | undefined = undefined,
  ) {
    super(troubleshoot)
    this.status = status
    this.headers = headers
    this.details = details
    this.code = code
    this.conflict = edit
  }
}

/** What another user or client has saved since a form was loaded. */
export interface EditConflict {
  /** Null for an API client, and where it is not known. */
  by: { id: number; name: string } | null
  via: 'user' | 'api' | 'unknown'
  /** Null where it is not known. */
  at: string | null
  /** The values that differ, as they are now. */
  current: Record<string, unknown>
}

/** RFC 6749 §5.2. */
export type OauthCode = 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unsupported_grant_type'

/** One sentence per rejected item, where the API reports them separately. */
export type ErrorDetails = Record<string, readonly string[]>

export const errorBody = (
  status: ErrorStatus,
  troubleshoot: string,
  details?: ErrorDetails,
  code?: OauthCode,
  edit?: EditConflict,
) => ({
  error: code ?? reasons[status],
  ...(code && { error_description: troubleshoot.replace(/[^ -!#-[\]-~]/g, "'") }),
  troubleshoot,
  success: false,
  ...(details && { errors: details }),
  ...(edit && { conflict: edit }),
})

export const badRequest = (troubleshoot: string) => new ApiError(400, troubleshoot)
export const forbidden = (troubleshoot: string) => new ApiError(403, troubleshoot)
/** The same response for an unknown id and for one of another company, so that they are indistinguishable. */
export const notFound = () => new ApiError(404, 'Check ID of the resource')
export const unknownPath = () => new ApiError(404, 'No such path. The paths of the API are listed at /docs')
export const conflict = (troubleshoot: string) => new ApiError(409, troubleshoot)
/** The form would overwrite what another one has saved since it was loaded. */
export const editConflict = (troubleshoot: string, edit: EditConflict) =>
  new ApiError(409, troubleshoot, {}, undefined, undefined, edit)
export const unprocessable = (troubleshoot: string, details?: ErrorDetails) =>
  new ApiError(422, troubleshoot, {}, details)
/** Used by the token endpoint only. */
export const oauthError = (code: OauthCode, troubleshoot: string) =>
  new ApiError(code === 'invalid_client' ? 401 : 400, troubleshoot, {}, undefined, code)
export const tooLarge = (bodyLimit: number) => {
  const limit = bodyLimit === 1_048_576 ? '1 MiB (1,048,576 bytes)' : `${bodyLimit.toLocaleString('en')} bytes`
  return new ApiError(413, `The body is larger than ${limit}; send less at once`)
}

export const methodNotAllowed = (method: string, allow: readonly string[]) =>
  new ApiError(405, `${method} is not possible on this path; use ${allow.join(', ')}`, { allow: allow.join(', ') })

export const tooManyRequests = (troubleshoot: string, retryAfterSeconds: number) =>
  new ApiError(429, troubleshoot, { 'retry-after': String(retryAfterSeconds) })

export const unavailable = (troubleshoot = 'The service cannot reach its store at the moment; try again') =>
  new ApiError(503, troubleshoot, { 'retry-after': '2' })

export const overloaded = () =>
  new ApiError(503, 'Too many ask for this at the moment; try again in a few seconds', { 'retry-after': '5' })

export const stopping = () =>
  new ApiError(503, 'The service is being stopped or restarted; try again', { 'retry-after': '2' })

export const internal = () =>
  new ApiError(500, 'Something went wrong on our side; try again, then tell us the X-Request-Id')
