import { isIP } from 'node:net'
import { canonicalAddress, isWildcardAddress } from '../lib/ip-address.ts'
import { type AudioCodec, type AudioFormat, clockRateOf } from './codecs.ts'
import { staticPayloadType } from './g711.ts'
import { opusParameters } from './opus.ts'

// RFC 4566 and 3264, as far as calls over a trunk need them. The input is untrusted: every value is validated, every size
// is bounded, and unknown lines are ignored.

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'

/** RFC 4568: master key and salt, 30 bytes together. */
export interface Crypto {
  tag: number
  key: Buffer
}

/** A parsed session description. */
export interface AudioDescription {
  /** Null for 0.0.0.0 and ::, the hold of RFC 2543. */
  address: string | null
  port: number
  /** In the order of preference; never empty. */
  codecs: readonly AudioFormat[]
  /** Payload types by clock rate. */
  telephoneEvents: TelephoneEvents
  /** The packet length that the far end wants to receive: 10 to 60 ms, at most its `maxptime`. */
  ptimeMs: number
  direction: Direction
  /** RTCP on the RTP port (RFC 5761), or on a port other than the one above (RFC 3605). */
  rtcpMux: boolean
  rtcpPort: number | null
  secure: boolean
  /** Only those of the supported suite. */
  crypto: readonly Crypto[]
  /** All m-lines; an answer has to reject the others one by one. */
  lines: readonly { kind: string; protocol: string; formats: string }[]
  index: number
}

export interface TelephoneEvents {
  8000: number | null
  48000: number | null
}

const maxLength = 16_384
const maxLines = 400
const suite = 'AES_CM_128_HMAC_SHA1_80'
const defaultEvents: TelephoneEvents = { 8000: 101, 48000: 110 }
const defaultPtimeMs = 20
const maxPtimeMs = 60

export function readSdp(text: string): AudioDescription | { problem: string } {
  if (text.length > maxLength) return { problem: 'too long' }
  const lines = text.split(/\r?\n/, maxLines + 1)
  if (lines.length > maxLines) return { problem: 'too many lines' }
  const sections = sectionsOf(lines)
  const media = sections.media.map(({ head }) => mediaLine(head))
  const index = media.findIndex((line) => line?.kind === 'audio' && isRtp(line.protocol) && line.port > 0)
  const line = media[index]
  const own = sections.media[index]
  if (!line || !own) return { problem: 'no audio' }
  const connection = connectionOf(own.lines) ?? connectionOf(sections.session)
  if (!connection) return { problem: 'no address' }
  const codecs = codecsOf(line.formats, own.lines)
  if (codecs.length === 0) return { problem: 'no codec in common' }
  const secure = line.protocol.startsWith('RTP/SAVP')
  const held = isWildcardAddress(connection)
  const direction = directionOf(own.lines) ?? directionOf(sections.session) ?? 'sendrecv'
  return {
    address: held ? null : connection,
    port: line.port,
    codecs,
    telephoneEvents: eventsOf(line.formats, own.lines),
    ptimeMs: ptimeOf(own.lines),
    direction: held && direction === 'sendrecv' ? 'sendonly' : direction,
    rtcpMux: own.lines.some((one) => one.trim() === 'a=rtcp-mux'),
    rtcpPort: rtcpPortOf(own.lines),
    secure,
    crypto: secure ? own.lines.flatMap(cryptoOf) : [],
    lines: media.map((each) => ({
      kind: each?.kind ?? 'unknown',
      protocol: each?.protocol ?? 'RTP/AVP',
      formats: each?.formats.join(' ') ?? '0',
    })),
    index,
  }
}

interface Sections {
  session: string[]
  media: { head: string; lines: string[] }[]
}

function sectionsOf(lines: readonly string[]): Sections {
  const sections: Sections = { session: [], media: [] }
  for (const line of lines) {
    if (line.startsWith('m=')) sections.media.push({ head: line.slice(2), lines: [] })
    else (sections.media.at(-1)?.lines ?? sections.session).push(line)
  }
  return sections
}

function mediaLine(head: string) {
  const [, kind, port, protocol, formats] =
    /^([a-z]{1,20}) (\d{1,5})(?:\/\d{1,3})? ([A-Za-z][A-Za-z/]{1,30}) ([\w.*+ -]{1,400})$/.exec(head.trim()) ?? []
  if (!kind || !port || !protocol || !formats || Number(port) > 65_535) return undefined
  return { kind, port: Number(port), protocol, formats: formats.split(' ').filter(Boolean) }
}

const isRtp = (protocol: string) => /^RTP\/S?AVPF?$/.test(protocol)

function connectionOf(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const [, family, address = ''] = /^c=IN (IP4|IP6) ([0-9a-fA-F.:]{2,45})(?:\/\d{1,3}){0,2}\s*$/.exec(line) ?? []
    if (family && isIP(address) === (family === 'IP4' ? 4 : 6)) return canonicalAddress(address)
  }
  return undefined
}

/** `attribute=value` lines of one name. */
const valuesOf = (lines: readonly string[], name: string): string[] =>
  lines.flatMap((line) => (line.startsWith(`a=${name}:`) ? [line.slice(name.length + 3).trim()] : []))

function nameOf(format: string, lines: readonly string[]): string | undefined {
  const mapped = valuesOf(lines, 'rtpmap').find((value) => value.startsWith(`${format} `))
  if (mapped) return mapped.slice(format.length + 1).toUpperCase()
  if (format === '0') return 'PCMU/8000'
  if (format === '8') return 'PCMA/8000'
  if (format === '9') return 'G722/8000'
  return undefined
}

const payloadType = (format: string): number | null =>
  /^\d{1,3}$/.test(format) && Number(format) < 128 ? +format : null

/** By the names of their rtpmap. RFC 7587 §7: Opus is always `opus/48000/2`. */
const codecsByRtpmap: Record<string, AudioCodec> = {
  'PCMU/8000': 'PCMU',
  'PCMU/8000/1': 'PCMU',
  'PCMA/8000': 'PCMA',
  'PCMA/8000/1': 'PCMA',
  'G722/8000': 'G722',
  'G722/8000/1': 'G722',
  'OPUS/48000/2': 'opus',
}

function codecsOf(formats: readonly string[], lines: readonly string[]): AudioFormat[] {
  const found: AudioFormat[] = []
  for (const format of formats) {
    const type = payloadType(format)
    const codec = codecsByRtpmap[nameOf(format, lines) ?? '']
    if (type === null || codec === undefined) continue
    if (found.some((known) => known.codec === codec)) continue
    found.push({ codec, payloadType: type, ...(codec === 'opus' && bitrateOf(format, lines)) })
  }
  return found
}

/** RFC 7587 §6.1: from 6,000 to 510,000. */
function bitrateOf(format: string, lines: readonly string[]): Pick<AudioFormat, 'maxBitsPerSecond'> {
  const parameters = valuesOf(lines, 'fmtp').find((value) => value.startsWith(`${format} `)) ?? ''
  const [, bits] = /[ ;]maxaveragebitrate=(\d{4,6})(?:[ ;]|$)/.exec(parameters) ?? []
  return bits === undefined ? {} : { maxBitsPerSecond: Math.min(510_000, Math.max(6_000, Number(bits))) }
}

function eventsOf(formats: readonly string[], lines: readonly string[]): TelephoneEvents {
  const typeAt = (rate: number) => {
    const format = formats.find((each) => nameOf(each, lines) === `TELEPHONE-EVENT/${rate}`)
    return format === undefined ? null : payloadType(format)
  }
  return { 8000: typeAt(8_000), 48000: typeAt(48_000) }
}

/** In steps of 10 ms, the frame length of G.711 in RFC 3551. */
function ptimeOf(lines: readonly string[]): number {
  const ms = Math.min(millisecondsOf(lines, 'ptime') ?? defaultPtimeMs, millisecondsOf(lines, 'maxptime') ?? maxPtimeMs)
  return Math.min(maxPtimeMs, Math.max(10, Math.floor(ms / 10) * 10))
}

function millisecondsOf(lines: readonly string[], name: string): number | undefined {
  const [value = ''] = valuesOf(lines, name)
  return /^\d{1,3}$/.test(value) && Number(value) > 0 ? Number(value) : undefined
}

function rtcpPortOf(lines: readonly string[]): number | null {
  const [, port] = /^(\d{1,5})(?: IN IP[46] \S{2,45})?$/.exec(valuesOf(lines, 'rtcp')[0] ?? '') ?? []
  return port !== undefined && Number(port) >= 1_024 && Number(port) <= 65_535 ? Number(port) : null
}

const directions: readonly Direction[] = ['sendrecv', 'sendonly', 'recvonly', 'inactive']

const directionOf = (lines: readonly string[]): Direction | undefined =>
  directions.find((direction) => lines.some((line) => line.trim() === `a=${direction}`))

/** Keys with a lifetime are accepted, those with a master key identifier (MKI) are not. */
function cryptoOf(line: string): Crypto[] {
  const [, tag, name, inline = ''] =
    /^a=crypto:(\d{1,9}) (\w{1,40}) inline:([A-Za-z0-9+/=]{40,44})(?:\|[\d^]{1,12})?\s*$/.exec(line) ?? []
  const key = Buffer.from(inline, 'base64')
  return name === suite && key.length === 30 ? [{ tag: Number(tag), key }] : []
}

/** Our side of the session. */
export interface OurSide {
  address: string
  port: number
  /** Constant for the whole dialog. `version` grows with every SDP that we send in it. */
  sessionId: number
  version: number
  /** SRTP master key and salt (30 bytes), if media is encrypted. */
  key?: Buffer
  /** In the order of preference; G.711 by default. */
  codecs?: readonly AudioCodec[]
}

/** Every carrier supports them. */
const g711: readonly AudioCodec[] = ['PCMU', 'PCMA']

const payloadTypes: Record<AudioCodec, number> = { ...staticPayloadType, G722: 9, opus: 111 }

const formatsOf = ({ codecs = g711 }: OurSide): AudioFormat[] =>
  codecs.map((codec) => ({ codec, payloadType: payloadTypes[codec] }))

export function writeOffer(ours: OurSide, direction: Direction = 'sendrecv'): string {
  const crypto = ours.key && { tag: 1, key: ours.key }
  const codecs = formatsOf(ours)
  const hasOpus = codecs.some(({ codec }) => codec === 'opus')
  const events = { 8000: defaultEvents[8000], 48000: hasOpus ? defaultEvents[48000] : null }
  return describe(ours, [audioLines(ours, { codecs, events, ptimeMs: defaultPtimeMs, direction, crypto })])
}

/** The negotiated session. */
export interface Agreed extends AudioFormat {
  address: string | null
  port: number
  /** RFC 3264 §7: an offerer must be ready to receive every format it offers. */
  alsoReceives?: readonly AudioFormat[]
  telephoneEvent: number | null
  eventRate: 8_000 | 48_000
  /** Length of the packets that we send. */
  ptimeMs: number
  /** We send RTCP to the RTP port, or to the given one; null: to the one above. */
  rtcpMux: boolean
  rtcpPort: number | null
  /** Our direction. */
  direction: Direction
  theirKey: Buffer | null
  ourKey: Buffer | null
}

/** Our answer to an offer; `wanted` is the direction we ask for. */
export function answerTo(
  offer: AudioDescription,
  ours: OurSide,
  wanted: Direction = 'sendrecv',
): { sdp: string; agreed: Agreed } | { problem: string } {
  const chosen = preferredFormat(offer, ours)
  if (!chosen) return { problem: noCodec }
  const { rtcpMux } = offer
  const [theirs] = offer.crypto
  if (offer.secure && !(theirs && ours.key)) return { problem: 'no encryption in common' }
  const direction = bothMay(mirrored(offer.direction), wanted)
  const crypto = offer.secure && theirs && ours.key ? { tag: theirs.tag, key: ours.key } : undefined
  const agreed = { ...agreedOn(offer, chosen, direction, crypto?.key ?? null), rtcpMux }
  const events = { ...noEvents, [agreed.eventRate]: agreed.telephoneEvent }
  const own = audioLines(ours, { codecs: [chosen], events, ptimeMs: agreed.ptimeMs, rtcpMux, direction, crypto })
  const media = offer.lines.map(({ kind, protocol, formats }, index) =>
    index === offer.index ? own : [`m=${kind} 0 ${protocol} ${formats}`],
  )
  return { sdp: describe(ours, media), agreed }
}

/** The session that results from the far end's answer to our offer. */
export function settle(
  answer: AudioDescription,
  ours: OurSide,
  wanted: Direction = 'sendrecv',
): Agreed | { problem: string } {
  if (ours.key && !(answer.secure && answer.crypto.length > 0)) return { problem: 'no encryption in common' }
  if (!ours.key && answer.secure) return { problem: 'encryption that was not offered' }
  const offered = formatsOf(ours)
  const chosen = answer.codecs.find(({ codec }) => offered.some((one) => one.codec === codec))
  if (!chosen) return { problem: noCodec }
  const agreed = agreedOn(answer, chosen, bothMay(mirrored(answer.direction), wanted), ours.key ?? null)
  return { ...agreed, alsoReceives: offered }
}

const noCodec = 'no codec in common'
const noEvents: TelephoneEvents = { 8000: null, 48000: null }

/** The first of our codecs that the far end offers. */
export function preferredFormat(
  { codecs: offered }: Pick<AudioDescription, 'codecs'>,
  { codecs = g711 }: Pick<OurSide, 'codecs'>,
): AudioFormat | undefined {
  for (const codec of codecs) {
    const format = offered.find((one) => one.codec === codec)
    if (format) return format
  }
  return undefined
}

function agreedOn(theirs: AudioDescription, format: AudioFormat, direction: Direction, ourKey: Buffer | null): Agreed {
  const { codec } = format
  const { address, port, telephoneEvents, ptimeMs, rtcpPort, crypto } = theirs
  // RFC 4733 §2.1: telephone events use the clock rate of the audio codec, if offered.
  const eventRate = codec === 'opus' && telephoneEvents[48000] !== null ? 48_000 : 8_000
  return {
    ...format,
    address,
    port,
    telephoneEvent: telephoneEvents[eventRate],
    eventRate,
    ptimeMs: codec === 'opus' ? defaultPtimeMs : ptimeMs,
    rtcpMux: false,
    rtcpPort,
    direction,
    theirKey: ourKey ? (crypto[0]?.key ?? null) : null,
    ourKey,
  }
}

const sends = (direction: Direction) => direction === 'sendrecv' || direction === 'sendonly'
const receives = (direction: Direction) => direction === 'sendrecv' || direction === 'recvonly'

const named = (send: boolean, receive: boolean): Direction =>
  send ? (receive ? 'sendrecv' : 'sendonly') : receive ? 'recvonly' : 'inactive'

const mirrored = (direction: Direction) => named(receives(direction), sends(direction))
const bothMay = (a: Direction, b: Direction) => named(sends(a) && sends(b), receives(a) && receives(b))

/** Whether the far end has put us on hold. */
export const isHeldBy = (theirs: AudioDescription): boolean => theirs.address === null || !receives(theirs.direction)

interface AudioLines {
  codecs: readonly AudioFormat[]
  events: TelephoneEvents
  ptimeMs: number
  rtcpMux?: boolean
  direction: Direction
  crypto: Crypto | undefined
}

function audioLines(ours: OurSide, { codecs, events, ptimeMs, rtcpMux, direction, crypto }: AudioLines): string[] {
  const keys = ([8_000, 48_000] as const).flatMap((rate) =>
    events[rate] === null ? [] : [{ payloadType: events[rate], rate }],
  )
  const formats = [...codecs, ...keys].map(({ payloadType: type }) => type).join(' ')
  return [
    `m=audio ${ours.port} ${crypto ? 'RTP/SAVP' : 'RTP/AVP'} ${formats}`,
    ...codecs.flatMap(codecLines),
    ...keys.flatMap(({ payloadType: type, rate }) => [
      `a=rtpmap:${type} telephone-event/${rate}`,
      `a=fmtp:${type} 0-15`,
    ]),
    `a=ptime:${ptimeMs}`,
    `a=maxptime:${maxPtimeMs}`,
    ...(rtcpMux ? ['a=rtcp-mux'] : []),
    ...(crypto ? [`a=crypto:${crypto.tag} ${suite} inline:${crypto.key.toString('base64')}`] : []),
    `a=${direction}`,
  ]
}

function codecLines({ codec, payloadType: type }: AudioFormat): string[] {
  const name = `a=rtpmap:${type} ${codec}/${clockRateOf(codec)}`
  return codec === 'opus' ? [`${name}/2`, `a=fmtp:${type} ${opusParameters(16_000)}`] : [name]
}

function describe({ address, sessionId, version }: OurSide, media: readonly string[][]): string {
  const family = isIP(address) === 6 ? 'IP6' : 'IP4'
  const lines = [
    'v=0',
    `o=- ${sessionId} ${version} IN ${family} ${address}`,
    's=-',
    `c=IN ${family} ${address}`,
    't=0 0',
    ...media.flat(),
  ]
  return `${lines.join('\r\n')}\r\n`
}
