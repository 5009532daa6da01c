import { randomBytes, randomInt } from 'node:crypto'
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { isIP } from 'node:net'
import type { LegId } from '../domain/voice.ts'
import { addressForSocket, type IpFamily, plainAddress } from '../lib/ip-address.ts'
import { isPublicAddress } from '../lib/public-url.ts'
import type { Direction } from '../media/sdp.ts'
import type { MediaLeg } from './leg.ts'
import type { FarEnd } from './protocol.ts'
import { ReportExchange } from './report-exchange.ts'
import { isRtcp } from './rtp.ts'
import { SrtcpReceiver, SrtcpSender, SrtpReceiver, SrtpSender } from './srtp.ts'
import { RtpStream } from './stream.ts'

const lowestPort = 1_024

/** RTP has an even port and RTCP the one above (RFC 3550 §11). */
export interface PortPair {
  rtp: Socket
  rtcp: Socket
}

/**
 * The even ports of the range, allocated at random: a predictable port invites packets from foreign sources. The half
 * that was allocated last comes last: the gateway of an ended call may still be sending to its port.
 */
export class TrunkPorts {
  readonly #ports: readonly number[]
  readonly #address: string
  /** Oldest first. */
  readonly #recent = new Set<number>()

  constructor([first, last]: readonly [number, number], address: string) {
    const lowest = first + (first % 2)
    this.#ports = Array.from({ length: Math.max(0, Math.floor((last - lowest + 1) / 2)) }, (_, i) => lowest + 2 * i)
    this.#address = address
    if (this.#ports.length === 0) throw new Error('RTP_PORTS contains no even port with the one above it')
  }

  async open(): Promise<PortPair> {
    const recent = [...this.#recent]
    const untried = this.#ports.filter((port) => !this.#recent.has(port))
    while (untried.length > 0) {
      const index = randomInt(untried.length)
      const port = untried[index] ?? 0
      untried[index] = untried[untried.length - 1] ?? 0
      untried.pop()
      const pair = await this.#openAt(port)
      if (pair) return pair
    }
    for (const port of recent) {
      const pair = await this.#openAt(port)
      if (pair) return pair
    }
    throw new Error('every RTP port is in use')
  }

  async #openAt(port: number): Promise<PortPair | undefined> {
    const rtp = await bound(this.#address, port)
    if (!rtp) return undefined
    const rtcp = await bound(this.#address, port + 1)
    if (!rtcp) {
      rtp.close()
      return undefined
    }
    this.#recent.delete(port)
    this.#recent.add(port)
    const [oldest] = this.#recent
    if (oldest !== undefined && this.#recent.size > this.#ports.length / 2) this.#recent.delete(oldest)
    return { rtp, rtcp }
  }
}

function bound(address: string, port: number): Promise<Socket | undefined> {
  // Addresses are numeric: the lookup is synchronous.
  const socket = createSocket({
    type: isIP(address) === 6 ? 'udp6' : 'udp4',
    lookup: (host, _options, found) => found(null, host, isIP(host)),
  })
  return new Promise((resolve, reject) => {
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close()
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined)
      else reject(error)
    })
    socket.bind(port, address, () => {
      socket.removeAllListeners('error')
      resolve(socket)
    })
  })
}

interface Peer {
  address: string
  port: number
  /** The address as the socket expects it. */
  target: string
}

interface Times {
  /** Monotonic, in ms. */
  steadyNow(): number
  /** UNIX ms. */
  machineNow(): number
}

interface LegEvents {
  connected(): void
  digit(digit: string): void
  /** A packet was dropped because its source address is not one of the far end's. */
  foreign(address: string): void
}

/** NAT mappings change: after this much silence another port of a known address may take over. */
const relatchAfterMs = 500
/** RFC 3550 §6.2: every five seconds, each time by up to a half earlier or later. */
const reportEveryMs = 5_000

/**
 * Symmetric RTP. The leg latches to the source of the first valid packet, and only to a source that signalling vouches for:
 * the address in the SDP or, behind NAT, the address that sends the SIP messages; any port, because NAT changes ports.
 * Packets from elsewhere are neither played nor answered. Once latched, it moves to another port of those addresses only
 * after a new SDP or when the latched source has been silent. RTCP obeys the same rule.
 */
export class RtpTrunkLeg implements MediaLeg {
  readonly id: LegId
  readonly side = 'external'
  readonly stream: RtpStream
  readonly port: number
  foreign = 0
  /** From the far end, but no RTP of a negotiated payload type. */
  invalid = 0
  readonly reports: ReportExchange
  readonly #family: IpFamily
  readonly #socket: Socket
  readonly #rtcpSocket: Socket
  readonly #times: Times
  readonly #events: LegEvents
  #named: Peer | null = null
  #latched: Peer | null = null
  #latchedAt = 0
  #rtcpPeer: Peer | null = null
  #isRtcpMuxed = false
  #rtcpPort: number | null = null
  #nextReportAt = Number.NaN
  /** Time of the far end's last packet; null while no timeout applies. */
  #aliveAt: number | null = null
  #signalling: string | null = null
  #direction: Direction = 'inactive'
  #sender: SrtpSender | null = null
  #receiver: SrtpReceiver | null = null
  #rtcpSender: SrtcpSender | null = null
  #rtcpReceiver: SrtcpReceiver | null = null
  #keys = ''

  constructor(id: LegId, { rtp, rtcp }: PortPair, times: Times, events: LegEvents) {
    this.id = id
    this.#socket = rtp
    this.#rtcpSocket = rtcp
    this.#times = times
    this.#events = events
    this.port = rtp.address().port
    this.#family = rtp.address().family === 'IPv6' ? 6 : 4
    this.stream = new RtpStream((packet) => this.#transmit(packet), events.digit)
    // RFC 7022: a random CNAME.
    this.reports = new ReportExchange(this.stream, randomBytes(12).toString('base64url'))
    rtp.on('message', (packet, from) => this.#receive(packet, from))
    rtcp.on('message', (packet, from) => this.#receiveReport(packet, from, true))
    // ICMP errors arrive here; signalling and the RTP timeout decide about the call.
    for (const socket of [rtp, rtcp]) socket.on('error', () => {})
  }

  connect(far: FarEnd): void {
    // A hold with 0.0.0.0 has no address: the previous one is kept.
    const named = far.address === null ? this.#named : this.#usable(far)
    const signalling = far.signallingAddress ?? null
    if (!named && signalling === null) throw new Error('the far end names an address that cannot be used')
    if (!isSame(named, this.#named) || signalling !== this.#signalling) {
      this.#latched = null
      this.#rtcpPeer = null
    }
    this.#named = named
    this.#signalling = signalling
    this.#direction = far.direction
    this.#isRtcpMuxed = far.rtcpMux ?? false
    this.#rtcpPort = far.rtcpPort ?? null
    this.#useKeys(far.keys)
    // Opus of carriers is wideband, over networks that are not weak.
    this.stream.agree({ ...far, isWideband: true, isLowDelay: true })
  }

  #useKeys(keys: FarEnd['keys']): void {
    const text = keys ? `${keys.ours} ${keys.theirs}` : ''
    if (text === this.#keys) return
    this.#keys = text
    this.#sender = keys ? new SrtpSender(Buffer.from(keys.ours, 'base64')) : null
    this.#receiver = keys ? new SrtpReceiver(Buffer.from(keys.theirs, 'base64')) : null
    this.#rtcpSender = keys ? new SrtcpSender(Buffer.from(keys.ours, 'base64')) : null
    this.#rtcpReceiver = keys ? new SrtcpReceiver(Buffer.from(keys.theirs, 'base64')) : null
  }

  get maySend(): boolean {
    return (this.#direction === 'sendrecv' || this.#direction === 'sendonly') && (this.#latched ?? this.#named) !== null
  }

  /** The call is answered: from now on the far end is expected to send. */
  watch(): void {
    this.#aliveAt = this.#times.steadyNow()
  }

  get isWatched(): boolean {
    return this.#aliveAt !== null
  }

  /** Time since the last packet, where packets are expected: not before the answer, and not on hold. */
  silentMs(isOnHold: boolean): number {
    if (this.#aliveAt === null) return 0
    const now = this.#times.steadyNow()
    if (isOnHold || this.#direction !== 'sendrecv') this.#aliveAt = now
    return now - this.#aliveAt
  }

  /** Sends an RTCP report when one is due. */
  report(): void {
    const peer = this.#reportsTo()
    if (!peer) return
    const now = this.#times.steadyNow()
    if (now < this.#nextReportAt) return
    // The first one is delayed as well, so that calls do not report at the same time.
    const isFirst = Number.isNaN(this.#nextReportAt)
    this.#nextReportAt = now + reportEveryMs * (0.5 + randomInt(1_000) / 1_000)
    if (isFirst) return
    const report = this.reports.write(this.#times.machineNow())
    const socket = this.#isRtcpMuxed ? this.#socket : this.#rtcpSocket
    socket.send(this.#rtcpSender ? this.#rtcpSender.protect(report) : report, peer.port, peer.target)
  }

  #reportsTo(): Peer | null {
    const rtp = this.#latched ?? this.#named
    if (this.#isRtcpMuxed) return rtp
    const announced = this.#named && this.#rtcpPort !== null ? { ...this.#named, port: this.#rtcpPort } : null
    return this.#rtcpPeer ?? announced ?? (rtp && { ...rtp, port: rtp.port + 1 })
  }

  close(): void {
    this.#socket.close()
    this.#rtcpSocket.close()
  }

  #transmit(packet: Buffer): void {
    const peer = this.#latched ?? this.#named
    if (peer) this.#socket.send(this.#sender ? this.#sender.protect(packet) : packet, peer.port, peer.target)
  }

  #receive(packet: Buffer, from: RemoteInfo): void {
    // RFC 5761: some far ends multiplex RTCP on the RTP port without negotiating it.
    if (isRtcp(packet)) {
      this.#receiveReport(packet, from, false)
      return
    }
    const { port } = from
    const address = plainAddress(from.address)
    const now = this.#times.steadyNow()
    const latched = this.#latched
    const isLatched = latched !== null && latched.address === address && latched.port === port
    if (!isLatched && !this.#mayLatchTo(address, now)) {
      this.foreign++
      this.#events.foreign(address)
      return
    }
    const plain = this.#receiver ? this.#receiver.unprotect(packet) : packet
    // A packet that cannot be played, such as comfort noise, also resets the timeout.
    if (plain && isLatched) this.#isAlive()
    if (!plain || !this.stream.receive(plain, now)) {
      this.invalid++
      return
    }
    this.#isAlive()
    this.#latchedAt = now
    if (isLatched) return
    this.#latched = this.#peerAt(address, port)
    this.#events.connected()
  }

  #isAlive(): void {
    if (this.#aliveAt !== null) this.#aliveAt = this.#times.steadyNow()
  }

  #receiveReport(packet: Buffer, { address: source, port }: RemoteInfo, isOwnPort: boolean): void {
    const address = plainAddress(source)
    if (!this.#isFarEnd(address)) {
      this.foreign++
      this.#events.foreign(address)
      return
    }
    const plain = this.#rtcpReceiver ? this.#rtcpReceiver.unprotect(packet) : packet
    if (!plain || !this.reports.read(plain, this.#times.machineNow())) {
      this.invalid++
      return
    }
    if (isOwnPort) this.#rtcpPeer = this.#peerAt(address, port)
    this.#isAlive()
  }

  #usable({ address, port, isPrivate }: FarEnd): Peer | null {
    if (address === null || isIP(address) === 0 || port < lowestPort || port > 65_535) return null
    if (!isPrivate && !isPublicAddress(address)) return null
    return this.#peerAt(address, port)
  }

  #peerAt(address: string, port: number): Peer {
    return { address, port, target: addressForSocket(address, this.#family) }
  }

  #isFarEnd(address: string): boolean {
    return address === this.#named?.address || address === this.#signalling
  }

  #mayLatchTo(address: string, now: number): boolean {
    return this.#isFarEnd(address) && (this.#latched === null || now - this.#latchedAt >= relatchAfterMs)
  }
}

const isSame = (a: Peer | null, b: Peer | null) => a?.address === b?.address && a?.port === b?.port
