import { Audio, cleanup, PeerConnection, type Track } from 'node-datachannel'
import type { LegId } from '../domain/voice.ts'
import type { Leg } from './leg.ts'
import { RtpStream } from './stream.ts'

export interface BrowserNetwork {
  bindAddress: string
  publicAddress: string | null
  port: number
}

interface Heard {
  connected(): void
  lost(): void
  digit(digit: string): void
}

/** What we need of a browser's offer. */
interface Offered {
  mid: string
  telephoneEvent: number | null
}

const longestOffer = 65_536

/** The sound of one browser: it offers, we answer, everybody through the same port. */
export class BrowserPeer implements Leg {
  readonly id: LegId
  readonly side = 'internal'
  readonly stream: RtpStream
  readonly foreign = 0
  readonly #connection: PeerConnection
  #mouth: Track | null = null
  /** Kept: a track that nobody holds is swept up, and falls silent without a word. */
  readonly #kept: Track[] = []
  #isOpen = false
  #isClosed = false
  #lost: () => void
  /** Closing takes a moment; a process that ends before crashes. */
  readonly closed: Promise<void>

  constructor(id: LegId, network: BrowserNetwork, now: () => number, heard: Heard) {
    this.id = id
    this.stream = new RtpStream((packet) => this.#transmit(packet), heard.digit)
    this.#connection = new PeerConnection(id, {
      iceServers: [],
      disableAutoNegotiation: true,
      forceMediaTransport: true,
      enableIceUdpMux: true,
      bindAddress: network.bindAddress,
      portRangeBegin: network.port,
      portRangeEnd: network.port,
    })
    // What comes in arrives on this track; what goes out takes the one that addTrack gives. They are two.
    this.#connection.onTrack((ear) => {
      this.#kept.push(ear)
      ear.onMessage((packet) => {
        if (!this.#isClosed) this.stream.receive(packet, now())
      })
    })
    this.#lost = heard.lost
    this.closed = new Promise((resolve) => {
      this.#connection.onStateChange((state) => {
        if (state === 'closed') resolve()
        if (this.#isClosed) return
        if (state === 'connected') heard.connected()
        if (state === 'failed' || state === 'closed') heard.lost()
      })
    })
  }

  async answer(sdpOffer: string, publicAddress: string | null): Promise<string> {
    const { mid, telephoneEvent } = readOffer(sdpOffer)
    const connection = this.#connection
    connection.setRemoteDescription(sdpOffer, 'offer')
    const audio = new Audio(mid, 'SendRecv')
    audio.addAudioCodec(0, 'PCMU')
    if (telephoneEvent !== null) audio.addAudioCodec(telephoneEvent, 'telephone-event/8000')
    audio.addSSRC(this.stream.ssrc, 'hookswitch', 'hookswitch', 'voice')
    this.#mouth = connection.addTrack(audio)
    this.#mouth.onOpen(() => {
      this.#isOpen = true
    })
    // A browser that hangs up ends the track; of the connection nothing is told until much later.
    this.#mouth.onClosed(() => this.#hungUp())
    this.stream.agree({ codec: 'PCMU', payloadType: 0, telephoneEvent })
    await new Promise<void>((resolve) => {
      connection.onGatheringStateChange((state) => {
        if (state === 'complete') resolve()
      })
      connection.setLocalDescription('answer')
    })
    const sdp = connection.localDescription()?.sdp
    if (!sdp) throw new Error('there is no answer to this offer')
    return publicAddress === null ? sdp : withAddress(sdp, publicAddress)
  }

  get maySend(): boolean {
    return this.#isOpen && !this.#isClosed
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#connection.close()
  }

  #transmit(packet: Buffer): void {
    try {
      this.#mouth?.sendMessageBinary(packet)
    } catch {
      // It closed a moment ago, on a thread of the library's own.
      this.#hungUp()
    }
  }

  #hungUp(): void {
    this.#isOpen = false
    if (!this.#isClosed) this.#lost()
  }
}

/** To be called when every peer is closed: to end with an open one is to crash. */
export const closeBrowserNetwork = (): void => cleanup()

/** Throws where the offer is none of one audio line with PCMU. */
export function readOffer(sdp: string): Offered {
  if (sdp.length > longestOffer) throw new Error('the offer is too long')
  const media = sdp.split(/\r?\n(?=m=)/).slice(1)
  const [audio = '', ...others] = media
  if (others.length > 0 || !audio.startsWith('m=audio ')) throw new Error('the offer must have one line, of audio')
  const [, formats = ''] = /^m=audio \d+ \S+ ([\d ]{1,400})/.exec(audio) ?? []
  if (!formats.split(' ').includes('0')) throw new Error('the offer must have PCMU')
  const [, mid] = /^a=mid:(\S{1,64})$/m.exec(audio) ?? []
  if (!mid) throw new Error('the offer must name its line (a=mid)')
  // The browser chooses the number: 126 in one, 101 in another.
  const [, event] = /^a=rtpmap:(\d{1,3}) telephone-event\/8000\s*$/im.exec(audio) ?? []
  return { mid, telephoneEvent: event === undefined || Number(event) > 127 ? null : Number(event) }
}

/** The library knows no address but the host's own; the answer is ours to change. */
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
