import { Audio, cleanup, PeerConnection, type Track } from 'node-datachannel'
import { opusParameters } from '../media/opus.ts'
import type { BrowserNetwork, BrowserTransport, BrowserTransports, TransportEvents } from './browser-transport.ts'
import { type SendFormat, sampleRateOf } from './send-format.ts'

/** All browsers share one port. Exiting with an open connection crashes the process. */
export const nativeTransports: BrowserTransports = {
  kind: 'native',
  open: (id, network, events) => new NativeTransport(id, network, events),
  end: () => cleanup(),
}

class NativeTransport implements BrowserTransport {
  readonly #connection: PeerConnection
  readonly #events: TransportEvents
  #outbound: Track | null = null
  /** Kept, because a track without a reference is garbage-collected and stops silently. */
  readonly #tracks: Track[] = []
  #isClosed = false
  readonly closed: Promise<void>

  constructor(id: string, network: BrowserNetwork, events: TransportEvents) {
    this.#events = events
    this.#connection = new PeerConnection(id, {
      iceServers: [],
      disableAutoNegotiation: true,
      forceMediaTransport: true,
      enableIceUdpMux: true,
      bindAddress: network.bindAddress,
      portRangeBegin: network.port,
      portRangeEnd: network.port,
    })
    // Inbound packets arrive on this track; outbound packets use the one returned by addTrack.
    this.#connection.onTrack((inbound) => {
      this.#tracks.push(inbound)
      inbound.onMessage((packet) => {
        if (!this.#isClosed) events.packet(packet)
      })
    })
    this.closed = new Promise((resolve) => {
      this.#connection.onStateChange((state) => {
        if (state === 'closed') resolve()
        if (this.#isClosed) return
        if (state === 'connected') events.connected()
        if (state === 'failed' || state === 'closed') events.lost()
      })
    })
  }

  async answer(sdpOffer: string, { mid, ssrc, agreed }: { mid: string; ssrc: number; agreed: SendFormat }) {
    const connection = this.#connection
    connection.setRemoteDescription(sdpOffer, 'offer')
    const audio = new Audio(mid, 'SendRecv')
    addCodecs(audio, agreed)
    audio.addSSRC(ssrc, 'hookswitch', 'hookswitch', 'voice')
    this.#outbound = connection.addTrack(audio)
    this.#tracks.push(this.#outbound)
    this.#outbound.onOpen(() => this.#events.open())
    // When a browser hangs up the track closes at once; the state of the connection changes much later.
    this.#outbound.onClosed(() => this.#hungUp())
    await new Promise<void>((resolve) => {
      connection.onGatheringStateChange((state) => {
        if (state === 'complete') resolve()
      })
      connection.setLocalDescription('answer')
    })
    const sdp = connection.localDescription()?.sdp
    if (!sdp) throw new Error('no answer could be created for the offer')
    return sdp
  }

  send(packet: Buffer): void {
    try {
      this.#outbound?.sendMessageBinary(packet)
    } catch {
      // Closed meanwhile, on a thread of the library.
      this.#hungUp()
    }
  }

  sendReport(packet: Buffer): void {
    this.send(packet)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    // The library keeps the callbacks of a track, and what they refer to, until the track itself is closed.
    for (const track of this.#tracks) track.close()
    this.#connection.close()
  }

  #hungUp(): void {
    if (!this.#isClosed) this.#events.lost()
  }
}

function addCodecs(audio: Audio, agreed: SendFormat): void {
  const { codec, payloadType, telephoneEvent, eventRate = 8_000 } = agreed
  if (codec === 'opus') audio.addOpusCodec(payloadType, opusParameters(sampleRateOf(agreed)))
  else audio.addAudioCodec(payloadType, codec)
  if (telephoneEvent !== null) audio.addAudioCodec(telephoneEvent, `telephone-event/${eventRate}`)
}
