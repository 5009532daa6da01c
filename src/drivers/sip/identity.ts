import { Buffer } from 'node:buffer'
import { escapeUser, hostAndPort, parseAddress, parseUri } from './address.ts'
import { type Header, hasControl, header, headerList, type SipRequest } from './message.ts'
import { fromTrunk, toTrunk } from './numbers.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

/** The API's value for a caller who withholds the number. */
export const anonymous = 'anonymous'

export interface CallParties {
  from: string
  to: string
  /** Untrusted text, bounded. */
  displayName: string
}

/** Caller and callee. The source of a trunk is allow-listed, so its asserted identity is trusted (RFC 3325). */
export function callPartiesOf(request: SipRequest, trunk: SipTrunkSettings): CallParties {
  const from = parseAddress(header(request, 'from') ?? '')
  const asserted = headerList(request, 'p-asserted-identity').map((value) => numberOf(value, trunk))
  const number = asserted.find((one) => one !== undefined) ?? numberOf(header(request, 'from') ?? '', trunk)
  const isWithheld = number === undefined || wantsPrivacy(request)
  return {
    from: isWithheld ? anonymous : number,
    to: calledNumber(request, trunk),
    displayName: isWithheld ? '' : (from?.display ?? ''),
  }
}

/** On a registered trunk the request URI may hold the account name; the number is then in To. */
function calledNumber(request: SipRequest, trunk: SipTrunkSettings): string {
  const user = parseUri(request.uri)?.user ?? ''
  const isAccount = user === '' || user === trunk.username
  const [called] = headerList(request, 'p-called-party-id')
  const candidates = isAccount
    ? [called, header(request, 'to'), request.uri]
    : [request.uri, called, header(request, 'to')]
  const numbers = candidates.flatMap((one) => (one === undefined ? [] : (numberOf(one, trunk) ?? [])))
  return numbers[0] ?? user
}

function numberOf(value: string, trunk: SipTrunkSettings): string | undefined {
  const uri = parseUri(parseAddress(value)?.uri ?? '')
  if (!uri || /^anonymous$/i.test(uri.user) || /(^|\.)anonymous\.invalid$/i.test(uri.host)) return undefined
  return fromTrunk(uri.user.split(';')[0] ?? '', trunk.numbers)
}

/** RFC 3323 §4.2: any level but `none` and `critical` alone withholds the number. */
function wantsPrivacy(request: SipRequest): boolean {
  return headerList(request, 'privacy')
    .flatMap((value) => value.toLowerCase().split(';'))
    .some((word) => ['id', 'user', 'header', 'session'].includes(word.trim()))
}

/** As bytes, like all headers; control characters and quotes are left out. */
function quotedName(name = ''): string {
  const plain = Array.from(name)
    .filter((sign) => !hasControl(sign) && sign !== '"' && sign !== '\\' && sign !== '\t')
    .slice(0, 64)
    .join('')
  return plain === '' ? '' : `"${Buffer.from(plain, 'utf8').toString('latin1')}" `
}

/** From, To and identity headers of an INVITE that we send. */
export function identityHeaders(
  trunk: SipTrunkSettings,
  call: { from: string; to: string; anonymous: boolean; tag: string; displayName?: string | undefined },
) {
  const domain = trunk.domain ?? hostAndPort(trunk.host, undefined)
  const number = escapeUser(toTrunk(call.from, trunk.numbers))
  const account = trunk.fromUser === 'username' && trunk.username ? escapeUser(trunk.username) : number
  const from = call.anonymous
    ? '"Anonymous" <sip:anonymous@anonymous.invalid>'
    : `${quotedName(call.displayName)}<sip:${account}@${domain}>`
  const uri = `sip:${escapeUser(toTrunk(call.to, trunk.numbers))}@${domain}`
  const headers: Header[] = [
    { name: 'from', value: `${from};tag=${call.tag}` },
    { name: 'to', value: `<${uri}>` },
    { name: 'p-asserted-identity', value: `<sip:${number}@${domain}>` },
    ...(call.anonymous ? [{ name: 'privacy', value: 'id' }] : []),
  ]
  return { uri, headers }
}
