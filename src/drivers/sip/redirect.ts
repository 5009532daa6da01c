import { isIP } from 'node:net'
import { parseAddress, parseUri } from './address.ts'
import { headerList, type SipResponse } from './message.ts'
import { fromTrunk } from './numbers.ts'
import type { SipTarget } from './resolve.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

/**
 * The target of a 301 or 302, if it may be followed: the first Contact with the called number at a host of the trunk.
 * A redirect to another number would bypass the outbound calling rules.
 */
export function redirectOf(
  response: SipResponse,
  trunk: SipTrunkSettings,
  to: string,
  isTrunkAddress: (address: string) => boolean,
): { uri: string; place: SipTarget } | undefined {
  const hosts = [trunk.host, trunk.domain].map((host) => host?.toLowerCase())
  for (const contact of headerList(response, 'contact')) {
    const text = parseAddress(contact)?.uri ?? ''
    const uri = parseUri(text)
    if (!uri || uri.scheme === 'tel') continue
    const isSameNumber = fromTrunk(uri.user.split(';')[0] ?? '', trunk.numbers) === to || uri.user === to
    const isOurCarrier = hosts.includes(uri.host.toLowerCase()) || (isIP(uri.host) !== 0 && isTrunkAddress(uri.host))
    if (!isSameNumber || !isOurCarrier) continue
    return { uri: text, place: { host: uri.host, port: uri.port, transport: trunk.transport } }
  }
  return undefined
}
