import { isIP } from 'node:net'
import { badRequest, unprocessable } from '../../../http/errors.ts'
import { defaultTrunkCodecs } from '../../../media/codecs.ts'
import type { TrunkSettings } from './store.ts'

// Validation of trunk settings, for companies and the operator.

export const newTrunk: Omit<TrunkSettings, 'name' | 'host'> = {
  enabled: true,
  port: null,
  transport: 'udp',
  srtp: false,
  registers: false,
  username: null,
  passwordSealed: null,
  domain: null,
  addresses: [],
  prefixes: [],
  numberForm: 'plus',
  behindNat: false,
  emergency: false,
  priority: 10,
  maxCalls: 50,
  inboundUsername: null,
  inboundPasswordSealed: null,
  inboundDigest: 'any',
  codecs: [...defaultTrunkCodecs],
  country: null,
}

const hostName = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/
/** Characters that would end a header or a quoted string. */
const unsafe = /[\r\n"<>\\;,\s]/

export function checkedTrunk(settings: TrunkSettings): TrunkSettings {
  const { host, domain, username, addresses, srtp, transport, registers, passwordSealed } = settings
  const { inboundUsername, inboundPasswordSealed, codecs } = settings
  if (isIP(host) === 0 && !hostName.test(host))
    throw badRequest('`host` must be a host name or IP address, without sip:')
  if (domain !== null && !hostName.test(domain)) throw badRequest('`domain` must be a host name')
  if (username !== null && unsafe.test(username))
    throw badRequest('`username` contains a character that is not allowed in SIP')
  if (inboundUsername !== null && unsafe.test(inboundUsername)) {
    throw badRequest('`inbound_username` contains a character that is not allowed in SIP')
  }
  const odd = addresses.find((range) => !isRange(range))
  if (odd !== undefined) throw badRequest(`\`addresses\`: ${odd.slice(0, 64)} is not an IP address or range`)
  if (new Set(codecs).size < codecs.length) throw badRequest('`codecs` contains a codec twice')
  if (srtp && transport !== 'tls')
    throw badRequest('`srtp` requires `transport` tls: the SRTP keys are sent with the signaling')
  if (registers && (username === null || passwordSealed === null)) {
    throw unprocessable('`registers` requires `username` and `password`')
  }
  if ((inboundUsername === null) !== (inboundPasswordSealed === null)) {
    throw unprocessable('`inbound_username` and `inbound_password` must be set together')
  }
  return settings
}

const widest = { 4: 16, 6: 32 }

/** Why a company may not use these ranges: a wide range would accept calls of other carriers. */
export function problemOfWidth(addresses: readonly string[]): string | undefined {
  const wide = addresses.find(isWide)
  if (wide === undefined) return undefined
  return (
    `\`addresses\`: ${wide.slice(0, 64)} is too wide: ranges wider than /${widest[4]} (IPv4) or /${widest[6]} ` +
    '(IPv6) are reserved for the operator'
  )
}

export function isWide(range: string): boolean {
  const [net = '', bits] = range.split('/')
  return bits !== undefined && Number(bits) < (isIP(net) === 6 ? widest[6] : widest[4])
}

function isRange(text: string): boolean {
  const [net = '', bits, more] = text.split('/')
  const family = isIP(net)
  if (family === 0 || more !== undefined) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}
