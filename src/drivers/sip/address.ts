import { Buffer } from 'node:buffer'
import { isIPv6 } from 'node:net'
import { hasControl, isToken, splitOutside } from './message.ts'

/** A SIP or tel URI, as far as a trunk needs it. Where a URI is echoed, the original text is used. */
export interface Uri {
  scheme: 'sip' | 'sips' | 'tel'
  user: string
  /** Without brackets; empty for tel. */
  host: string
  port?: number
  params: Params
}

/** Names in lower case; the value of a parameter without one is the empty string. */
export type Params = ReadonlyMap<string, string>

export interface NameAddr {
  display: string
  uri: string
  params: Params
}

export interface Via {
  transport: string
  host: string
  port?: number
  params: Params
}

export function parseUri(text: string): Uri | undefined {
  const colon = text.indexOf(':')
  const scheme = text.slice(0, Math.max(colon, 0)).toLowerCase()
  const rest = text.slice(colon + 1)
  if (scheme === 'tel') return parseTel(rest)
  if (scheme !== 'sip' && scheme !== 'sips') return undefined
  const at = rest.indexOf('@')
  const user = unescaped(rest.slice(0, Math.max(at, 0)).split(':')[0] ?? '')
  const [place = ''] = rest.slice(at + 1).split('?')
  const [hostPort = '', ...params] = place.split(';')
  const found = parseHostPort(hostPort)
  if (user === undefined || !found || (at === 0 && rest.length > 1)) return undefined
  return { scheme, user, ...found, params: parseParams(params) }
}

function parseTel(rest: string): Uri | undefined {
  const [number = '', ...params] = rest.split(';')
  if (!/^\+?[\d\-.()*#A-Fa-f]{1,40}$/.test(number)) return undefined
  return { scheme: 'tel', user: number, host: '', params: parseParams(params) }
}

function parseHostPort(text: string): { host: string; port?: number } | undefined {
  const found = /^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9.\-_]{1,255})(?:\s{0,4}:\s{0,4}(\d{1,5}))?$/.exec(text.trim())
  if (!found?.[1]) return undefined
  const host = found[1].replace(/^\[|\]$/g, '')
  if (found[1].startsWith('[') && !isIPv6(host)) return undefined
  if (found[2] === undefined) return { host }
  const port = Number(found[2])
  return port > 0 && port < 65_536 ? { host, port } : undefined
}

function parseParams(pieces: string[]): Params {
  return new Map(
    pieces.map((piece) => {
      const equals = piece.indexOf('=')
      if (equals < 0) return [piece.trim().toLowerCase(), '']
      return [piece.slice(0, equals).trim().toLowerCase(), unquoted(piece.slice(equals + 1).trim())]
    }),
  )
}

/** `"Name" <sip:…>;tag=…` or `sip:…;tag=…`: without brackets, parameters belong to the header (RFC 3261 §20). */
export function parseAddress(value: string): NameAddr | undefined {
  const [first = '', ...params] = splitOutside(value, ';')
  const open = first.lastIndexOf('<')
  if (open < 0) {
    return /[\s"]/.test(first) || first === '' ? undefined : { display: '', uri: first, params: parseParams(params) }
  }
  if (!first.endsWith('>')) return undefined
  const uri = first.slice(open + 1, -1).trim()
  if (uri === '' || /[\s<"]/.test(uri)) return undefined
  return { display: readable(unquoted(first.slice(0, open).trim())), uri, params: parseParams(params) }
}

/** `SIP/2.0/UDP host:port;branch=…` */
export function parseVia(value: string): Via | undefined {
  const [sent = '', ...params] = splitOutside(value, ';')
  const found = /^SIP\s{0,4}\/\s{0,4}2\.0\s{0,4}\/\s{0,4}([A-Za-z0-9-]{1,16})\s{1,8}(\S.{0,300})$/i.exec(sent)
  const place = parseHostPort(found?.[2] ?? '')
  if (!found?.[1] || !place) return undefined
  return { transport: found[1].toLowerCase(), ...place, params: parseParams(params) }
}

export function parseCSeq(value: string | undefined): { seq: number; method: string } | undefined {
  const found = /^(\d{1,10})\s{1,8}(\S{1,32})$/.exec(value ?? '')
  if (!found?.[1] || !found[2] || !isToken(found[2])) return undefined
  const seq = Number(found[1])
  return seq < 2 ** 31 ? { seq, method: found[2] } : undefined
}

export const tagOf = (value: string | undefined): string | undefined =>
  value === undefined ? undefined : parseAddress(value)?.params.get('tag') || undefined

/** Escapes the user part of a URI; digits and the characters of phone numbers stay as they are. */
export const escapeUser = (user: string) => encodeURIComponent(user).replaceAll('%2B', '+')

export const bracketed = (host: string) => (isIPv6(host) ? `[${host}]` : host)

export const hostAndPort = (host: string, port: number | undefined) =>
  port === undefined ? bracketed(host) : `${bracketed(host)}:${port}`

function unescaped(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text)
    return hasControl(plain) ? undefined : plain
  } catch {
    // Malformed percent-encoding, or not UTF-8.
    return undefined
  }
}

function unquoted(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text
  return text.slice(1, -1).replace(/\\(.)/g, '$1')
}

const maxDisplayLength = 128

/** Untrusted text: truncated and without control characters. */
function readable(display: string): string {
  const text = Buffer.from(display, 'latin1').toString('utf8')
  return [...text]
    .filter((sign) => !hasControl(sign))
    .slice(0, maxDisplayLength)
    .join('')
}
