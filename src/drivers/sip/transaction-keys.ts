import { parseCSeq, parseVia, tagOf } from './address.ts'
import { header, headerList, type SipRequest, type SipResponse } from './message.ts'

// How messages are matched to transactions.

const topVia = (message: SipRequest | SipResponse) => parseVia(headerList(message, 'via')[0] ?? '')

/** RFC 3261 §17.1.3: by branch and method. */
export const clientKey = (message: SipRequest | SipResponse) =>
  `${topVia(message)?.params.get('branch')}|${parseCSeq(header(message, 'cseq'))?.method}`

/** RFC 3261 §17.2.3, with the fields of RFC 2543 if the branch has no magic cookie. */
export function serverKey(request: SipRequest): string {
  const via = topVia(request)
  const branch = via?.params.get('branch') ?? ''
  const method = request.method === 'ACK' ? 'INVITE' : request.method
  const sentBy = `${via?.host.toLowerCase()}:${via?.port ?? ''}`
  if (branch.startsWith('z9hG4bK')) return `${branch}|${sentBy}|${method}`
  return `${mergeKey(request)}|${request.uri}|${branch}|${sentBy}|${method}`
}

/** The same for all copies of an INVITE that was forked upstream. */
export const mergeKey = (request: SipRequest) =>
  `${header(request, 'call-id')}|${tagOf(header(request, 'from'))}|${parseCSeq(header(request, 'cseq'))?.seq}`
