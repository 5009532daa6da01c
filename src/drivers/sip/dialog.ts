import { parseCSeq, parseUri, tagOf } from './address.ts'
import { contactUri } from './build.ts'
import { type Header, header, headerList, type SipRequest, type SipResponse } from './message.ts'

/** RFC 3261 §12: dialog state as plain data. */
export interface Dialog {
  trunkId: string
  callId: string
  /** The From and To values of our requests, tags included. */
  local: string
  remote: string
  /** The Contact of the far end. */
  target: string
  routes: string[]
  /** The last CSeq number we used. */
  seq: number
  /** The last CSeq number of the far end, if it sent any. */
  remoteSeq?: number
}

/** §12.1.1: from an INVITE that we accept. */
export function dialogOfRequest(trunkId: string, invite: SipRequest, tag: string): Dialog {
  return {
    trunkId,
    callId: header(invite, 'call-id') ?? '',
    local: `${header(invite, 'to')};tag=${tag}`,
    remote: header(invite, 'from') ?? '',
    target: contactUri(invite) ?? '',
    routes: headerList(invite, 'record-route'),
    seq: 0,
    remoteSeq: parseCSeq(header(invite, 'cseq'))?.seq ?? 0,
  }
}

/** §12.1.2: from a response to our INVITE; the route set is reversed. */
export function dialogOfResponse(trunkId: string, response: SipResponse): Dialog | undefined {
  const target = contactUri(response)
  const cseq = parseCSeq(header(response, 'cseq'))
  const remote = header(response, 'to') ?? ''
  if (!target || !parseUri(target) || !cseq || !tagOf(remote)) return undefined
  return {
    trunkId,
    callId: header(response, 'call-id') ?? '',
    local: header(response, 'from') ?? '',
    remote,
    target,
    routes: headerList(response, 'record-route').reverse(),
    seq: cseq.seq,
  }
}

/** The next request of the dialog; the sender adds Via and, where required, Contact. */
export function requestIn(dialog: Dialog, method: string, extra: Header[] = [], body = '') {
  const next = { ...dialog, seq: dialog.seq + 1 }
  return { dialog: next, request: inDialog(next, method, next.seq, extra, body) }
}

/** §13.2.2.4: the ACK of a 2xx has the CSeq number of its INVITE, and the INVITE's credentials (§22.1). */
export const ackIn = (dialog: Dialog, seq: number, extra: Header[] = [], body = '') =>
  inDialog(dialog, 'ACK', seq, extra, body)

function inDialog(dialog: Dialog, method: string, seq: number, extra: Header[], body: string): SipRequest {
  const { uri, routes } = destination(dialog)
  return {
    kind: 'request',
    method,
    uri,
    headers: [
      { name: 'max-forwards', value: '70' },
      ...routes.map((value) => ({ name: 'route', value })),
      { name: 'from', value: dialog.local },
      { name: 'to', value: dialog.remote },
      { name: 'call-id', value: dialog.callId },
      { name: 'cseq', value: `${seq} ${method}` },
      ...extra,
    ],
    body,
  }
}

/** §12.2.1.1: a first hop without `lr` (strict routing) is put into the request line. */
function destination({ target, routes }: Dialog): { uri: string; routes: string[] } {
  const [first, ...rest] = routes
  const uri = first === undefined ? '' : uriOf(first)
  if (first === undefined || parseUri(uri)?.params.has('lr')) return { uri: target, routes }
  return { uri, routes: [...rest, `<${target}>`] }
}

/** Where the next request of the dialog is sent. */
export const nextHop = ({ target, routes: [first] }: Dialog) => (first === undefined ? target : uriOf(first))

const uriOf = (value: string) => /<([^<>]*)>/.exec(value)?.[1] ?? value

/** §12.2: a re-INVITE or UPDATE, or its 2xx, may bring a new Contact. */
export function withTarget(dialog: Dialog, message: SipRequest | SipResponse): Dialog {
  const target = contactUri(message)
  return target && parseUri(target) ? { ...dialog, target } : dialog
}

/** §12.2.2: undefined if the CSeq number is lower than before; ACK and CANCEL have the number of their INVITE. */
export function withRemoteSeq(dialog: Dialog, request: SipRequest): Dialog | undefined {
  const seq = parseCSeq(header(request, 'cseq'))?.seq ?? 0
  if (dialog.remoteSeq !== undefined && seq <= dialog.remoteSeq) return undefined
  return { ...dialog, remoteSeq: seq }
}

export const isOfDialog = ({ callId, local, remote }: Dialog, request: SipRequest) =>
  header(request, 'call-id') === callId &&
  tagOf(header(request, 'to')) === tagOf(local) &&
  tagOf(header(request, 'from')) === tagOf(remote)
