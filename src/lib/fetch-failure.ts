export type Problem = 'timeout' | 'connection' | 'tls' | 'not_allowed' | 'protocol'

/** How far an attempt got. */
export type FetchPhase = 'dns' | 'connect' | 'tls' | 'sent' | 'status'

const ownCodes = ['NOT_ALLOWED', 'OUT_OF_TIME', 'BAD_ANSWER', 'CLOSED'] as const

/** Our own errors, in addition to those of sockets, DNS and the HTTP client. */
export function failure(code: (typeof ownCodes)[number], message: string): Error {
  return Object.assign(new Error(message), { code })
}

/** Classifies every network error. */
export function problemOf(error: Error, phase: FetchPhase): Problem {
  const code = codeOf(error)
  if (code === 'NOT_ALLOWED') return 'not_allowed'
  if (['OUT_OF_TIME', 'ETIMEDOUT', 'ETIMEOUT'].includes(code)) return 'timeout'
  if (isNotHttp(code, error)) return 'protocol'
  return isTls(code, phase) ? 'tls' : 'connection'
}

export function detailOf(error: Error, phase: FetchPhase): string {
  const code = codeOf(error)
  const words = isOwn(code) ? error.message : wordsFor[problemOf(error, phase)]
  return code === '' ? words : `${words} (${code})`
}

const wordsFor: Record<Problem, string> = {
  timeout: 'out of time',
  connection: 'connection failed',
  tls: 'TLS failed',
  not_allowed: 'not allowed',
  protocol: 'the answer is not good HTTP',
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

const isOwn = (code: string) => ownCodes.some((own) => own === code)

const notHttp = new Set([
  'BAD_ANSWER',
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
])

// Parser errors have a name and no code; an unsolicited 100 or 101 has the code of a broken socket and is recognized by
// its message only.
const isNotHttp = (code: string, { name, message }: Error) =>
  notHttp.has(code) || name === 'HTTPParserError' || message === 'bad response' || message === 'bad upgrade'

// During the handshake everything except a plain system error is a TLS error: certificate error codes have no common
// form.
const isTls = (code: string, phase: FetchPhase) =>
  code === 'EPROTO' || code.startsWith('ERR_SSL_') || (phase === 'tls' && !/^E[A-Z]+$/.test(code))
