import { randomBytes } from 'node:crypto'
import { phraseOf } from '../../domain/sip-response.ts'
import { parseAddress, tagOf } from './address.ts'
import { type Header, header, headerList, type SipRequest, type SipResponse } from './message.ts'

export const newTag = () => randomBytes(8).toString('hex')
/** RFC 3261 §8.1.1.7: the magic cookie marks the branch as globally unique. */
export const newBranch = () => `z9hG4bK${randomBytes(12).toString('hex')}`
export const newCallId = () => randomBytes(16).toString('hex')

/** Extensions: reliable provisional responses (RFC 3262) and session timers (RFC 4028). */
export const supportedOptions = '100rel, timer'

export const allowedMethods = 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK'

/** A device may ask for a transfer. */
export const allowedFor = (trunk: { isDevice?: true } | undefined) =>
  trunk?.isDevice ? `${allowedMethods}, REFER, NOTIFY` : allowedMethods

export interface Extra {
  headers?: Header[]
  body?: string
  phrase?: string
}

/** RFC 3261 §8.2.6.2; the tag is added to To if it has none. */
export function makeResponse(request: SipRequest, status: number, tag: string | undefined, extra: Extra = {}) {
  const to = header(request, 'to') ?? ''
  const headers: Header[] = [
    ...request.headers.filter(({ name }) => name === 'via'),
    ...(establishes(request, status) ? request.headers.filter(({ name }) => name === 'record-route') : []),
    { name: 'from', value: header(request, 'from') ?? '' },
    { name: 'to', value: tag !== undefined && status > 100 && !tagOf(to) ? `${to};tag=${tag}` : to },
    { name: 'call-id', value: header(request, 'call-id') ?? '' },
    { name: 'cseq', value: header(request, 'cseq') ?? '' },
    ...(extra.headers ?? []),
    ...contentType(extra.body),
  ]
  const response: SipResponse = {
    kind: 'response',
    status,
    phrase: extra.phrase ?? phraseOf(status),
    headers,
    body: extra.body ?? '',
  }
  return response
}

const establishes = ({ method }: SipRequest, status: number) => method === 'INVITE' && status > 100 && status < 300

export const contentType = (body: string | undefined, type = 'application/sdp'): Header[] =>
  body ? [{ name: 'content-type', value: type }] : []

/** The SDP body of a message; undefined for any other content type. */
export function sdpOf(message: SipRequest | SipResponse): string | undefined {
  const type = header(message, 'content-type')?.split(';')[0]?.trim().toLowerCase()
  return message.body !== '' && type === 'application/sdp' ? message.body : undefined
}

/** RFC 3261 §17.1.1.3: same branch and request line as the INVITE, To as in the response. */
export function ackOfRefusal(invite: SipRequest, response: SipResponse): SipRequest {
  return {
    kind: 'request',
    method: 'ACK',
    uri: invite.uri,
    headers: [
      ...sharedWith(invite),
      { name: 'to', value: header(response, 'to') ?? '' },
      { name: 'cseq', value: `${seqOf(invite)} ACK` },
    ],
    body: '',
  }
}

/** RFC 3261 §9.1. */
export function cancelOf(invite: SipRequest, extra: Header[] = []): SipRequest {
  return {
    kind: 'request',
    method: 'CANCEL',
    uri: invite.uri,
    headers: [
      ...sharedWith(invite),
      { name: 'to', value: header(invite, 'to') ?? '' },
      { name: 'cseq', value: `${seqOf(invite)} CANCEL` },
      ...extra,
    ],
    body: '',
  }
}

function sharedWith(invite: SipRequest): Header[] {
  const [via] = headerList(invite, 'via')
  return [
    { name: 'via', value: via ?? '' },
    { name: 'max-forwards', value: '70' },
    ...invite.headers.filter(({ name }) => name === 'route'),
    { name: 'from', value: header(invite, 'from') ?? '' },
    { name: 'call-id', value: header(invite, 'call-id') ?? '' },
  ]
}

const seqOf = (request: SipRequest) => (header(request, 'cseq') ?? '').split(/\s/)[0]

export const contactUri = (message: SipRequest | SipResponse): string | undefined =>
  parseAddress(headerList(message, 'contact')[0] ?? '')?.uri

export const mentions = (message: SipRequest | SipResponse, name: string, word: string) =>
  headerList(message, name).some((one) => one.toLowerCase() === word.toLowerCase())
