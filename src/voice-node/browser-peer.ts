import { randomBytes } from 'node:crypto'
import type { LegId } from '../domain/voice.ts'
import { hasOpus } from '../media/opus.ts'
import type { BrowserNetwork, BrowserTransport, BrowserTransports } from './browser-transport.ts'
import type { MediaLeg } from './leg.ts'
import { ReportExchange } from './report-exchange.ts'
import { isRtcp } from './rtp.ts'
import type { SendFormat } from './send-format.ts'
import { RtpStream } from './stream.ts'

interface Times {
  /** Monotonic, in ms. */
  steadyNow(): number
  /** UNIX ms. */
  machineNow(): number
}

interface LegEvents {
  connected(): void
  lost(): void
  digit(digit: string): void
}

/** The relevant parts of a browser's offer. */
interface Offered {
  mid: string
  agreed: SendFormat
}

const maxOffer = 65_536

/** The media of one browser: it sends the offer, we answer. */
export class BrowserPeer implements MediaLeg {
  readonly id: LegId
  readonly side = 'internal'
  readonly stream: RtpStream
  readonly foreign = 0
  readonly invalid = 0
  readonly reports: ReportExchange
  readonly #times: Times
  readonly #transport: BrowserTransport
  readonly #network: BrowserNetwork
  #isOpen = false
  #isClosed = false

  constructor(id: LegId, transports: BrowserTransports, network: BrowserNetwork, times: Times, events: LegEvents) {
    this.id = id
    this.#network = network
    this.#times = times
    this.stream = new RtpStream((packet) => this.#transport.send(packet), events.digit)
    this.reports = new ReportExchange(this.stream, randomBytes(12).toString('base64url'))
    this.#transport = transports.open(id, network, {
      packet: (packet) => {
        if (isRtcp(packet)) this.reports.read(packet, times.machineNow())
        else this.stream.receive(packet, times.steadyNow())
      },
      open: () => {
        this.#isOpen = true
      },
      connected: events.connected,
      lost: () => {
        this.#isOpen = false
        if (!this.#isClosed) events.lost()
      },
    })
  }

  /** `isWideband`: its peers are wideband, so Opus is used if the browser offers it at all. */
  async answer(sdpOffer: string, isWideband: boolean): Promise<string> {
    const { mid, agreed } = readOffer(sdpOffer, hasOpus(), isWideband)
    this.stream.agree(agreed)
    const sdp = await this.#transport.answer(sdpOffer, { mid, ssrc: this.stream.ssrc, agreed })
    const { publicAddress } = this.#network
    return publicAddress === null ? sdp : withAddress(sdp, publicAddress)
  }

  /** Every second: with Opus a browser adds redundancy according to the reported loss. */
  report(): void {
    if (this.maySend) this.#transport.sendReport(this.reports.write(this.#times.machineNow()))
  }

  get maySend(): boolean {
    return this.#isOpen && !this.#isClosed
  }

  get closed(): Promise<void> {
    return this.#transport.closed
  }

  close(): void {
    this.#isClosed = true
    this.#transport.close()
  }
}

/**
 * Throws unless the offer has exactly one audio section with a supported codec. The browser's order of preference decides:
 * it offers Opus first if the user has chosen it for weak networks. In a wideband call Opus is used at any place.
 */
export function readOffer(sdp: string, mayBeOpus: boolean, isWideband = false): Offered {
  if (sdp.length > maxOffer) throw new Error('the offer is too long')
  const media = sdp.split(/\r?\n(?=m=)/).slice(1)
  const [audio = '', ...others] = media
  if (others.length > 0 || !audio.startsWith('m=audio ')) throw new Error('the offer must have one m-line, of audio')
  const [, formats = ''] = /^m=audio \d+ \S+ ([\d ]{1,400})/.exec(audio) ?? []
  const opus = mayBeOpus ? payloadTypeOf(audio, 'opus/48000/2') : null
  const usable = formats
    .split(' ')
    .map(Number)
    .filter((type) => type === 0 || type === opus)
  const [first] = usable
  if (first === undefined) throw new Error('the offer must have PCMU')
  const [, mid] = /^a=mid:(\S{1,64})$/m.exec(audio) ?? []
  if (!mid) throw new Error('the offer must have a=mid')
  const chosen = isWideband && opus !== null && usable.includes(opus) ? opus : first
  if (chosen === 0) return { mid, agreed: { codec: 'PCMU', payloadType: 0, ...keysIn(audio, false) } }
  const isLowDelay = first === 0
  return { mid, agreed: { codec: 'opus', payloadType: chosen, isWideband, isLowDelay, ...keysIn(audio, true) } }
}

/** RFC 4733 §2.1: telephone events use the clock rate of the audio codec, if offered. */
function keysIn(audio: string, isOpus: boolean): Pick<SendFormat, 'telephoneEvent' | 'eventRate'> {
  const rates = isOpus ? ([48_000, 8_000] as const) : ([8_000] as const)
  for (const eventRate of rates) {
    const telephoneEvent = payloadTypeOf(audio, `telephone-event/${eventRate}`)
    if (telephoneEvent !== null) return { telephoneEvent, eventRate }
  }
  return { telephoneEvent: null }
}

/** Dynamic payload types differ between browsers. */
function payloadTypeOf(audio: string, format: string): number | null {
  const line = audio
    .split(/\r?\n/)
    .map((text) => text.trim().toLowerCase())
    .find((text) => text.startsWith('a=rtpmap:') && text.endsWith(` ${format}`))
  const type = Number(line?.slice('a=rtpmap:'.length, -format.length - 1))
  return Number.isInteger(type) && type >= 0 && type <= 127 ? type : null
}

/** The WebRTC library knows only the host's own addresses, so the answer is rewritten. */
export function withAddress(sdp: string, address: string): string {
  const family = address.includes(':') ? 'IP6' : 'IP4'
  return sdp
    .split('\n')
    .map((line) => {
      if (line.startsWith('c=IN IP')) return `c=IN ${family} ${address}${line.endsWith('\r') ? '\r' : ''}`
      // a=candidate:FOUNDATION COMPONENT PROTOCOL PRIORITY ADDRESS PORT typ host
      const words = line.startsWith('a=candidate:') ? line.split(' ') : []
      return words[7]?.trim() === 'host' ? words.with(4, address).join(' ') : line
    })
    .join('\n')
}
