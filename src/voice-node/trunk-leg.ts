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

/** The ports for trunks: even ones, in turn, so that late packets of the last call find nobody. */
export class TrunkPorts {
  readonly #first: number
  readonly #count: number
  readonly #address: string
  #next = 0

  constructor([first, last]: readonly [number, number], address: string) {
    this.#first = first + (first % 2)
    this.#count = Math.floor((last - this.#first) / 2) + 1
    this.#address = address
    if (this.#count < 1) throw new Error('there is no even port in the range for trunks')
  }

  async open(): Promise<Socket> {
    for (let tries = 0; tries < this.#count; tries++) {
      const port = this.#first + 2 * this.#next
      this.#next = (this.#next + 1) % this.#count
      const socket = await bound(this.#address, port)
      if (socket) return socket
    }
    throw new Error('every port for trunks is taken')
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
}

/**
 * Symmetric RTP, locked: the far end is whoever sent the first packet, and from then on nobody else is heard or spoken to.
 * The first packet must come from the address in the SDP, unless the trunk is behind NAT. A new address in a later SDP
 * opens the lock once.
 */
export class TrunkLeg implements Leg {
  readonly id: LegId
  readonly side = 'external'
  readonly stream: RtpStream
  readonly port: number
  foreign = 0
  readonly #socket: Socket
  readonly #now: () => number
  readonly #heard: Heard
  #named: Peer | null = null
  #locked: Peer | null = null
  #mayComeFromAnywhere = false
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
    // An unreachable port of the far end is told here; signalling will say what becomes of the call.
    socket.on('error', () => {})
  }

  connect(far: FarEnd): void {
    // On hold the old way there is no address: what was known stays.
    const named = far.address === null ? this.#named : usable(far)
    if (!named && !far.behindNat) throw new Error('the far end names an address that cannot be used')
    if (!isSame(named, this.#named)) this.#locked = null
    this.#named = named
    this.#mayComeFromAnywhere = far.behindNat ?? false
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
    return (this.#direction === 'sendrecv' || this.#direction === 'sendonly') && (this.#locked ?? this.#named) !== null
  }

  close(): void {
    this.#socket.close()
  }

  #transmit(packet: Buffer): void {
    const peer = this.#locked ?? this.#named
    if (peer) this.#socket.send(this.#sender ? this.#sender.protect(packet) : packet, peer.port, peer.address)
  }

  #receive(packet: Buffer, { address, port }: RemoteInfo): void {
    const locked = this.#locked
    const isKnown = locked ? locked.address === address && locked.port === port : this.#mayBegin(address)
    if (!isKnown) {
      this.foreign++
      return
    }
    const plain = this.#receiver ? this.#receiver.unprotect(packet) : packet
    if (!plain || !this.stream.receive(plain, this.#now()) || locked) return
    this.#locked = { address, port }
    this.#heard.connected()
  }

  #mayBegin(address: string): boolean {
    return this.#mayComeFromAnywhere || this.#named?.address === address
  }
}

function usable({ address, port, isPrivate }: FarEnd): Peer | null {
  if (address === null || isIP(address) === 0 || port < lowestPort || port > 65_535) return null
  if (!isPrivate && !isPublicAddress(address)) return null
  return { address, port }
}

const isSame = (a: Peer | null, b: Peer | null) => a?.address === b?.address && a?.port === b?.port
