import { parseAddress, parseCSeq, parseUri, parseVia, tagOf } from './address.ts'
import { header, headerList, type SipMessage, type SipRequest, type SipResponse } from './message.ts'

export interface InvalidRequest {
  status: number
  phrase: string
}

/** Why a well-framed request is invalid, as the response to it (RFC 3261 §8.2). */
export function validateRequest(request: SipRequest): InvalidRequest | undefined {
  const why = commonProblem(request)
  if (why) return { status: 400, phrase: why }
  if (parseCSeq(header(request, 'cseq'))?.method !== request.method) return { status: 400, phrase: 'CSeq Mismatch' }
  if (!/^\d{1,3}$/.test(header(request, 'max-forwards') ?? '70')) return { status: 400, phrase: 'Bad Max-Forwards' }
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]{0,30}):/.exec(request.uri)?.[1]?.toLowerCase()
  if (!scheme) return { status: 400, phrase: 'Bad Request-URI' }
  if (scheme !== 'sip' && scheme !== 'sips' && scheme !== 'tel') {
    return { status: 416, phrase: 'Unsupported URI Scheme' }
  }
  if (!parseUri(request.uri)) return { status: 400, phrase: 'Bad Request-URI' }
  if (request.method === 'INVITE' && headerList(request, 'contact').length !== 1) {
    return { status: 400, phrase: 'Bad Contact' }
  }
  return undefined
}

/** Whether a response is complete and well-formed. */
export function isUsable(response: SipResponse): boolean {
  return commonProblem(response) === undefined && headerList(response, 'via').length === 1
}

const once = ['call-id', 'cseq', 'from', 'to'] as const

function commonProblem(message: SipMessage): string | undefined {
  for (const name of once) {
    if (message.headers.filter((one) => one.name === name).length !== 1) return `One ${name} needed`
  }
  if (message.headers.filter(({ name }) => name === 'max-forwards').length > 1) return 'Bad Max-Forwards'
  const [via, ...others] = headerList(message, 'via')
  if (!via || [via, ...others].some((one) => !parseVia(one))) return 'Bad Via'
  if (!/^\S{1,256}$/.test(header(message, 'call-id') ?? '')) return 'Bad Call-ID'
  if (!parseCSeq(header(message, 'cseq'))) return 'Bad CSeq'
  if (!isParty(header(message, 'from')) || !tagOf(header(message, 'from'))) return 'Bad From'
  if (!isParty(header(message, 'to'))) return 'Bad To'
  if (headerList(message, 'contact').some((one) => one !== '*' && !parseAddress(one))) return 'Bad Contact'
  for (const route of [...headerList(message, 'route'), ...headerList(message, 'record-route')]) {
    if (!parseUri(parseAddress(route)?.uri ?? '')) return 'Bad Route'
  }
  return undefined
}

function isParty(value: string | undefined): boolean {
  const uri = value === undefined ? undefined : parseAddress(value)?.uri
  // From and To may have any scheme; only the syntax is checked.
  return uri !== undefined && /^[A-Za-z][A-Za-z0-9+.-]{0,30}:\S/.test(uri)
}
