import {
  MediaStreamTrack,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  type RTCRtpTransceiver,
  RtcpPacketConverter,
  RtpPacket,
} from 'werift'
import { opusParameters } from '../media/opus.ts'
import type { BrowserNetwork, BrowserTransport, BrowserTransports, TransportEvents } from './browser-transport.ts'
import { type SendFormat, sampleRateOf } from './send-format.ts'

/** Pure TypeScript: each browser has a port of its own, from the configured one upwards. */
export const pureTransports: BrowserTransports = {
  kind: 'pure',
  open: (_id, network, events) => new PureTransport(network, events),
  end() {},
}

const portsUsed = 200

class PureTransport implements BrowserTransport {
  readonly #network: BrowserNetwork
  readonly #events: TransportEvents
  #connection: RTCPeerConnection | null = null
  #line: RTCRtpTransceiver | null = null
  #isClosed = false
  #closed: () => void = () => {}
  readonly closed: Promise<void>

  constructor(network: BrowserNetwork, events: TransportEvents) {
    this.#network = network
    this.#events = events
    this.closed = new Promise((resolve) => {
      this.#closed = resolve
    })
  }

  async answer(sdpOffer: string, { ssrc, agreed }: { ssrc: number; agreed: SendFormat }): Promise<string> {
    const { bindAddress, port } = this.#network
    const named = bindAddress !== '0.0.0.0' && bindAddress !== '::'
    const connection = new RTCPeerConnection({
      codecs: { audio: codecsOf(agreed) },
      iceServers: [],
      iceUseIpv6: bindAddress.includes(':'),
      icePortRange: [port, port + portsUsed],
      // All interfaces, unless one is configured. The library does not find the loopback interface itself.
      ...(named && {
        iceInterfaceAddresses: { udp4: bindAddress, udp6: bindAddress },
        iceAdditionalHostAddresses: [bindAddress],
      }),
    })
    this.#connection = connection
    connection.connectionStateChange.subscribe((state) => this.#changed(state))
    connection.onTrack.subscribe((inbound) => {
      inbound.onReceiveRtp.subscribe((packet) => {
        if (!this.#isClosed) this.#events.packet(packet.serialize())
      })
    })
    // The library's parser does not accept the short form of this line.
    const offer = sdpOffer.replace(/^a=rtcp:\d{1,5}\r?\n/gm, '')
    await connection.setRemoteDescription({ type: 'offer', sdp: offer })
    const [line] = connection.getTransceivers()
    if (!line) throw new Error('the offer has no m-line that can be answered')
    await line.sender.replaceTrack(new MediaStreamTrack({ kind: 'audio' }))
    line.setDirection('sendrecv')
    // What the browser reports about our stream.
    line.dtlsTransport.onRtcp.subscribe((packet) => {
      if (!this.#isClosed) this.#events.packet(packet.serialize())
    })
    this.#line = line
    // Resolves when all ICE candidates are gathered.
    await connection.setLocalDescription(await connection.createAnswer())
    // The library's sender is not used: the stream has an SSRC of its own, which reports refer to.
    const sdp = connection.localDescription?.sdp.replaceAll(`a=ssrc:${line.sender.ssrc} `, `a=ssrc:${ssrc} `)
    if (!sdp) throw new Error('no answer could be created for the offer')
    return named ? onlyFrom(bindAddress, sdp) : sdp
  }

  #changed(state: string): void {
    if (this.#isClosed) return
    if (state === 'connected') {
      this.#events.open()
      this.#events.connected()
    }
    if (state === 'failed' || state === 'closed') this.#events.lost()
  }

  send(packet: Buffer): void {
    const line = this.#line
    if (!line || this.#isClosed) return
    const { header, payload } = RtpPacket.deSerialize(packet)
    // The library's sender would overwrite the payload type.
    line.dtlsTransport.sendRtp(payload, header).catch(() => {
      if (!this.#isClosed) this.#events.lost()
    })
  }

  sendReport(packet: Buffer): void {
    const line = this.#line
    if (!line || this.#isClosed) return
    line.dtlsTransport.sendRtcp(RtcpPacketConverter.deSerialize(packet)).catch(() => {
      if (!this.#isClosed) this.#events.lost()
    })
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const ended = this.#connection?.close() ?? Promise.resolve()
    ended.then(this.#closed, this.#closed)
  }
}

/** Removes the candidates of other addresses, which are not bound. */
const onlyFrom = (address: string, sdp: string) =>
  sdp
    .split('\n')
    .filter((line) => !line.startsWith('a=candidate:') || line.split(' ')[4] === address)
    .join('\n')

function codecsOf(agreed: SendFormat): RTCRtpCodecParameters[] {
  const { codec, payloadType, telephoneEvent, eventRate = 8_000 } = agreed
  const sound =
    codec === 'opus'
      ? { mimeType: 'audio/opus', clockRate: 48_000, channels: 2, parameters: opusParameters(sampleRateOf(agreed)) }
      : { mimeType: `audio/${codec}`, clockRate: 8_000, channels: 1 }
  const keys = { mimeType: 'audio/telephone-event', clockRate: eventRate, channels: 1 }
  return [
    new RTCRtpCodecParameters({ ...sound, payloadType }),
    ...(telephoneEvent === null ? [] : [new RTCRtpCodecParameters({ ...keys, payloadType: telephoneEvent })]),
  ]
}
