import { randomInt } from 'node:crypto'
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { isIP } from 'node:net'
import type { LegId } from '../domain/voice.ts'
import { isPublicAddress } from '../lib/public-url.ts'
import type { Direction } from '../media/sdp.ts'
import type { Leg } from './leg.ts'
import type { FarEnd } from './protocol.ts'
import { SrtpReceiver, SrtpSender } from './srtp.ts'
import { RtpStream } from './stream.ts'

const lowestPort = 1_024

/** The even ports of the range, allocated at random: a port that can be guessed invites packets from strangers. */
export class TrunkPorts {
  readonly #ports: readonly number[]
  readonly #address: string

  constructor([first, last]: readonly [number, number], address: string) {
    const lowest = first + (first % 2)
    this.#ports = Array.from({ length: Math.max(0, Math.floor((last - lowest) / 2) + 1) }, (_, i) => lowest + 2 * i)
    this.#address = address
    if (this.#ports.length === 0) throw new Error('RTP_PORTS contains no even port')
  }

  async open(): Promise<Socket> {
    const untried = [...this.#ports]
    while (untried.length > 0) {
      const index = randomInt(untried.length)
      const port = untried[index] ?? 0
      untried[index] = untried[untried.length - 1] ?? 0
      untried.pop()
      const socket = await bound(this.#address, port)
      if (socket) return socket
    }
    throw new Error('every RTP port is in use')
  }
}

function bound(address: string, port: number): Promise<Socket | undefined> {
  // Addresses are numbers here: nothing is to be looked up, and nothing to be waited for.
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
}

interface Heard {
  connected(): void
  digit(digit: string): void
  /** A packet was dropped because its source address is not one of the far end's. */
  foreign(address: string): void
}

/** NAT mappings change: after this much silence another port of a known address may take over. */
const relatchAfterMs = 500

/**
 * Symmetric RTP. The leg latches to the source of the first valid packet, and only to a source that signalling vouches for:
 * the address in the SDP or, behind NAT, the address that sends the SIP messages; any port, because NAT changes ports.
 * Packets from elsewhere are neither played nor answered. Once latched, it moves to another port of those addresses only
 * after a new SDP or when the latched source has been silent.
 */
export class TrunkLeg implements Leg {
  readonly id: LegId
  readonly side = 'external'
  readonly stream: RtpStream
  readonly port: number
  foreign = 0
  /** From the far end, but no RTP of a negotiated payload type. */
  invalid = 0
  readonly #socket: Socket
  readonly #now: () => number
  readonly #heard: Heard
  #named: Peer | null = null
  #latched: Peer | null = null
  #latchedAt = 0
  #signalling: string | null = null
  #direction: Direction = 'inactive'
  #sender: SrtpSender | null = null
  #receiver: SrtpReceiver | null = null
  #keys = ''

  constructor(id: LegId, socket: Socket, now: () => number, heard: Heard) {
    this.id = id
    this.#socket = socket
    this.#now = now
    this.#heard = heard
    this.port = socket.address().port
    this.stream = new RtpStream((packet) => this.#transmit(packet), heard.digit)
    socket.on('message', (packet, from) => this.#receive(packet, from))
    // ICMP errors about the far end's port arrive here; signalling and the RTP timeout decide what becomes of the call.
    socket.on('error', () => {})
  }

  connect(far: FarEnd): void {
    // A hold with 0.0.0.0 has no address: the previous one stays.
    const named = far.address === null ? this.#named : usable(far)
    const signalling = far.signallingAddress ?? null
    if (!named && signalling === null) throw new Error('the far end names an address that cannot be used')
    if (!isSame(named, this.#named) || signalling !== this.#signalling) this.#latched = null
    this.#named = named
    this.#signalling = signalling
    this.#direction = far.direction
    this.#useKeys(far.keys)
    this.stream.agree(far)
  }

  #useKeys(keys: FarEnd['keys']): void {
    const text = keys ? `${keys.ours} ${keys.theirs}` : ''
    if (text === this.#keys) return
    this.#keys = text
    this.#sender = keys ? new SrtpSender(Buffer.from(keys.ours, 'base64')) : null
    this.#receiver = keys ? new SrtpReceiver(Buffer.from(keys.theirs, 'base64')) : null
  }

  get maySend(): boolean {
    return (this.#direction === 'sendrecv' || this.#direction === 'sendonly') && (this.#latched ?? this.#named) !== null
  }

  close(): void {
    this.#socket.close()
  }

  #transmit(packet: Buffer): void {
    const peer = this.#latched ?? this.#named
    if (peer) this.#socket.send(this.#sender ? this.#sender.protect(packet) : packet, peer.port, peer.address)
  }

  #receive(packet: Buffer, { address, port }: RemoteInfo): void {
    const now = this.#now()
    const latched = this.#latched
    const isLatched = latched !== null && latched.address === address && latched.port === port
    if (!isLatched && !this.#mayLatchTo(address, now)) {
      this.foreign++
      this.#heard.foreign(address)
      return
    }
    const plain = this.#receiver ? this.#receiver.unprotect(packet) : packet
    if (!plain || !this.stream.receive(plain, now)) {
      this.invalid++
      return
    }
    this.#latchedAt = now
    if (isLatched) return
    this.#latched = { address, port }
    this.#heard.connected()
  }

  #mayLatchTo(address: string, now: number): boolean {
    const isFarEnd = address === this.#named?.address || address === this.#signalling
    return isFarEnd && (this.#latched === null || now - this.#latchedAt >= relatchAfterMs)
  }
}

function usable({ address, port, isPrivate }: FarEnd): Peer | null {
  if (address === null || isIP(address) === 0 || port < lowestPort || port > 65_535) return null
  if (!isPrivate && !isPublicAddress(address)) return null
  return { address, port }
}

const isSame = (a: Peer | null, b: Peer | null) => a?.address === b?.address && a?.port === b?.port
