// drivers/sip/ is the SIP stack for trunks: messages, transactions, dialogs, registration. It has no notion of media (SDP
// passes through as text), companies or flows. Only transport.ts opens sockets; most of the rest is pure.
import { Buffer } from 'node:buffer'

/** Names are in lower case and long form; values are unfolded, one per line of the message. */
export interface Header {
  name: string
  value: string
}

export interface SipRequest {
  kind: 'request'
  method: string
  uri: string
  headers: readonly Header[]
  body: string
}

export interface SipResponse {
  kind: 'response'
  status: number
  phrase: string
  headers: readonly Header[]
  body: string
}

export type SipMessage = SipRequest | SipResponse

/** Only framing is checked here; validity.ts validates well-framed requests. */
export type ParsedMessage = { ok: true; message: SipMessage } | { ok: false; problem: string }

export const largestMessage = 65_535
const largestHead = 16_384
const maxLineLength = 4_096
const maxHeaders = 128

export function parseMessage(bytes: Buffer): ParsedMessage {
  if (bytes.length > largestMessage) return invalid('message too long')
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return invalid('no end of headers')
  if (end > largestHead) return invalid('headers too long')
  // One character per byte, so that headers echoed in a response are identical byte for byte.
  const lines = unfold(bytes.toString('latin1', 0, end))
  if (!lines) return invalid('control character or overlong line')
  const [startLine = '', ...rest] = lines
  const headers = parseHeaders(rest)
  if (typeof headers === 'string') return invalid(headers)
  const body = bodyOf(bytes.subarray(end + 4), headers)
  if (body === undefined) return invalid('Content-Length does not fit')
  const start = parseStartLine(startLine)
  return start ? { ok: true, message: { ...start, headers, body } } : invalid('bad start line')
}

const invalid = (problem: string): ParsedMessage => ({ ok: false, problem })

/** RFC 3261 §7.3.1: a line that begins with white space continues the previous one. */
function unfold(head: string): string[] | undefined {
  const lines: string[] = []
  for (const line of head.split('\r\n')) {
    if (line.length > maxLineLength || hasControl(line)) return undefined
    const before = lines.length - 1
    if (line.startsWith(' ') || line.startsWith('\t')) {
      if (before < 1) return undefined
      lines[before] = `${lines[before]} ${line.trim()}`
      if ((lines[before]?.length ?? 0) > maxLineLength) return undefined
    } else lines.push(line)
  }
  return lines
}

/** Tabs are white space; any other control character, including bare CR and LF, is invalid in a header. */
export function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if ((code < 32 && code !== 9) || code === 127) return true
  }
  return false
}

function parseHeaders(lines: string[]): Header[] | string {
  if (lines.length > maxHeaders) return 'too many headers'
  const headers: Header[] = []
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase()
    if (!isToken(name)) return 'bad header name'
    headers.push({ name: longForms[name] ?? name, value: line.slice(colon + 1).trim() })
  }
  return headers
}

/** RFC 3261 §18.3: bytes past Content-Length are dropped, missing ones are an error. */
function bodyOf(rest: Buffer, headers: Header[]): string | undefined {
  const lengths = new Set(headers.filter(({ name }) => name === 'content-length').map(({ value }) => value))
  if (lengths.size === 0) return rest.toString('utf8')
  const [text = ''] = lengths
  if (lengths.size > 1 || !/^\d{1,6}$/.test(text) || Number(text) > rest.length) return undefined
  return rest.toString('utf8', 0, Number(text))
}

function parseStartLine(line: string): StartLine | undefined {
  if (line.startsWith('SIP/')) {
    const found = /^SIP\/2\.0 ([1-6]\d\d) ?(.*)$/i.exec(line)
    return found ? { kind: 'response', status: Number(found[1]), phrase: found[2] ?? '' } : undefined
  }
  const [method = '', uri = '', version = '', ...more] = line.split(' ')
  if (!isToken(method) || uri === '' || /[<>"\t]/.test(uri) || more.length > 0) return undefined
  return version.toUpperCase() === 'SIP/2.0' ? { kind: 'request', method, uri } : undefined
}

type StartLine = { kind: 'request'; method: string; uri: string } | { kind: 'response'; status: number; phrase: string }

export function isToken(text: string): boolean {
  return /^[A-Za-z0-9\-.!%*_+`'~]+$/.test(text)
}

/** Throws on control characters: a line break in a value would inject a header. */
export function writeMessage(message: SipMessage): Buffer {
  const start =
    message.kind === 'request'
      ? `${message.method} ${message.uri} SIP/2.0`
      : `SIP/2.0 ${message.status} ${message.phrase}`
  const body = Buffer.from(message.body, 'utf8')
  const lines = message.headers
    .filter(({ name }) => name !== 'content-length')
    .map(({ name, value }) => `${displayName(name)}: ${value}`)
  const all = [start, ...lines, `Content-Length: ${body.length}`]
  if (all.some(hasControl)) throw new Error('a control character in a SIP header')
  return Buffer.concat([Buffer.from(`${all.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

export const header = (message: SipMessage, name: string): string | undefined =>
  message.headers.find((one) => one.name === name)?.value

/** All values of a header that may be a list, whether on one line or on several (RFC 3261 §7.3.1). */
export const headerList = (message: SipMessage, name: string): string[] =>
  message.headers.filter((one) => one.name === name).flatMap(({ value }) => splitOutside(value, ','))

export const withHeaders = <M extends SipMessage>(message: M, ...added: Header[]): M => ({
  ...message,
  headers: [...message.headers, ...added],
})

/** Splits at separators outside quotes and angle brackets; empty pieces are left out. */
export function splitOutside(text: string, separator: ',' | ';'): string[] {
  const pieces: string[] = []
  let from = 0
  let isQuoted = false
  let isBracketed = false
  for (let i = 0; i <= text.length; i++) {
    const sign = text[i]
    if (isQuoted) {
      if (sign === '\\') i++
      else if (sign === '"') isQuoted = false
    } else if (sign === '"') isQuoted = true
    else if (sign === '<') isBracketed = true
    else if (sign === '>') isBracketed = false
    else if (sign === separator && !isBracketed) {
      pieces.push(text.slice(from, i).trim())
      from = i + 1
    }
  }
  pieces.push(text.slice(from).trim())
  return pieces.filter((piece) => piece !== '')
}

const longForms: Record<string, string> = {
  a: 'accept-contact',
  b: 'referred-by',
  c: 'content-type',
  e: 'content-encoding',
  f: 'from',
  i: 'call-id',
  k: 'supported',
  l: 'content-length',
  m: 'contact',
  o: 'event',
  r: 'refer-to',
  s: 'subject',
  t: 'to',
  u: 'allow-events',
  v: 'via',
  x: 'session-expires',
  y: 'identity',
}

const spelling: Record<string, string> = {
  'call-id': 'Call-ID',
  cseq: 'CSeq',
  'www-authenticate': 'WWW-Authenticate',
  'min-se': 'Min-SE',
  rack: 'RAck',
  rseq: 'RSeq',
}

const displayName = (name: string) =>
  spelling[name] ??
  name
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('-')
