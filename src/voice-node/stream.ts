import { randomInt } from 'node:crypto'
import { DtmfDetector } from '../media/dtmf-detector.ts'
import { type Codec, encodeInto, linearTable, samplesPerFrame } from '../media/g711.ts'
import { type OpusEncoder, opusClockFactor, opusEncoder } from '../media/opus.ts'
import { DigitReader, DigitWriter, writeKeyTone } from './digits.ts'
import { OpusReceiver } from './opus-receiver.ts'
import { JitterQueue } from './queue.ts'
import { ReceptionStats } from './reception-stats.ts'
import { emptyHeader, headerBytes, readRtp, writeRtpHeader } from './rtp.ts'

export interface SendFormat {
  codec: Codec | 'opus'
  payloadType: number
  /** Further payload types of our SDP: after an offer of two codecs the far end may send either. */
  alsoReceives?: readonly { codec: Codec; payloadType: number }[]
  telephoneEvent: number | null
  /** Clock rate of telephone events; 8,000 by default. */
  eventRate?: 8_000 | 48_000
}

/** Buffers in rotation: the socket may still hold a packet when the next one is written. */
const packetsInUse = 8

/** The RTP stream of one leg in both directions; its owner sends and receives the packets. */
export class RtpStream {
  readonly #queue = new JitterQueue()
  readonly reception = new ReceptionStats()
  readonly ssrc = randomInt(1, 0xffff_ffff)
  readonly #digitsIn: DigitReader
  readonly #digitsOut = new DigitWriter()
  readonly #digit: (digit: string) => void
  #inBand: DtmfDetector | null = null
  readonly #transmit: (packet: Buffer) => void
  readonly #header = emptyHeader()
  readonly #packets = Array.from({ length: packetsInUse }, () => Buffer.alloc(headerBytes + samplesPerFrame))
  readonly #tone = new Int16Array(samplesPerFrame)
  #sending: SendFormat | null = null
  #opus: { encoder: OpusEncoder; receiver: OpusReceiver } | null = null
  #sequence = randomInt(0x8000)
  #timestamp = randomInt(0x7fff_ffff)
  #eventStart = 0
  #wasSilent = true
  #packetsSent = 0
  #octetsSent = 0
  hasReceived = false

  constructor(transmit: (packet: Buffer) => void, digit: (digit: string) => void) {
    this.#transmit = transmit
    this.#digitsIn = new DigitReader(digit)
    this.#digit = digit
  }

  /** Dropped frames. */
  get dropped(): number {
    return (this.#opus?.receiver ?? this.#queue).dropped
  }

  get underruns(): number {
    return (this.#opus?.receiver ?? this.#queue).underruns
  }

  get isOpus(): boolean {
    return this.#opus !== null
  }

  /** Clock rate of the RTP timestamps. */
  get clockRate(): number {
    return this.#opus ? 8_000 * opusClockFactor : 8_000
  }

  /** For sender reports: RFC 3550 §6.4.1. */
  get sent(): { timestamp: number; packets: number; octets: number } {
    return { timestamp: this.#timestamp, packets: this.#packetsSent, octets: this.#octetsSent }
  }

  /** Loss reported by the far end: Opus adds redundancy accordingly. */
  reportLoss(percent: number): void {
    this.#opus?.encoder.reportLoss(percent)
  }

  agree(sending: SendFormat): void {
    this.#sending = sending
    if (sending.codec === 'opus') this.#opus ??= newOpus()
    else this.#opus = null
    // Without telephone-event, DTMF can only be in-band.
    if (sending.telephoneEvent !== null) this.#inBand = null
    else this.#inBand ??= new DtmfDetector(this.#digit)
  }

  /** False if it is not RTP of a negotiated payload type. */
  receive(packet: Buffer, atMs: number): boolean {
    const header = this.#header
    if (!readRtp(packet, header) || !this.#sending) return false
    const { payloadType, sequence, timestamp, start, end } = header
    if (this.#opus && payloadType === this.#sending.payloadType) {
      this.reception.note(header.ssrc, sequence, timestamp / opusClockFactor, atMs)
      this.#opus.receiver.receive(timestamp, packet.subarray(start, end))
      this.hasReceived = true
      return true
    }
    const codec = this.#codecOf(payloadType)
    if (codec) {
      this.reception.note(header.ssrc, sequence, timestamp, atMs)
      this.#queue.put(timestamp, packet, start, end, linearTable(codec))
      this.hasReceived = true
      return true
    }
    if (payloadType !== this.#sending.telephoneEvent) return false
    this.reception.note(header.ssrc, sequence, this.#opus ? timestamp / opusClockFactor : timestamp, atMs)
    this.#digitsIn.read(timestamp, packet, start, end)
    return true
  }

  #codecOf(received: number): Codec | null {
    const { codec, payloadType, alsoReceives } = this.#sending ?? {}
    // With Opus no other codec is negotiated: one stream cannot have two clock rates.
    if (codec === undefined || codec === 'opus') return null
    if (payloadType === received) return codec
    return alsoReceives?.find((one) => one.payloadType === received)?.codec ?? null
  }

  take(into: Int16Array): void {
    this.#digitsIn.tick()
    if (this.#opus) this.#opus.receiver.take(into)
    else this.#queue.take(into)
    this.#inBand?.write(into)
  }

  sendDigits(digits: string): void {
    this.#digitsOut.send(digits)
  }

  /** Sends 20 ms. The timestamp advances also while nothing may be sent. */
  send(frame: Int16Array, maySend: boolean): void {
    const sending = this.#sending
    if (sending && maySend) this.#sendTick(sending, frame)
    else this.#wasSilent = true
    const step = this.#opus ? samplesPerFrame * opusClockFactor : samplesPerFrame
    this.#timestamp = (this.#timestamp + step) >>> 0
  }

  #sendTick(sending: SendFormat, frame: Int16Array): void {
    const digits = this.#digitsOut.next()
    if (digits !== 'event') this.#sendSound(sending, frame)
    else if (sending.telephoneEvent !== null) this.#sendEvent(sending.telephoneEvent, sending.eventRate)
    else this.#sendSound(sending, this.#keyTone())
  }

  #keyTone(): Int16Array {
    const { code, duration, isEnd } = this.#digitsOut.event
    if (isEnd) this.#tone.fill(0)
    else writeKeyTone(code, duration, this.#tone)
    return this.#tone
  }

  #sendSound({ codec, payloadType }: SendFormat, frame: Int16Array): void {
    const payload = codec === 'opus' ? this.#opus?.encoder.encode(frame) : undefined
    const packet = this.#nextPacket(payload?.length)
    writeRtpHeader(packet, payloadType, this.#wasSilent, this.#sequence, this.#timestamp, this.ssrc)
    if (payload) packet.set(payload, headerBytes)
    else if (codec !== 'opus') encodeInto(codec, frame, packet, headerBytes)
    this.#wasSilent = false
    this.#transmit(packet)
  }

  #sendEvent(payloadType: number, rate: 8_000 | 48_000 = 8_000): void {
    const { code, isFirst, isEnd, duration } = this.#digitsOut.event
    if (isFirst) this.#eventStart = this.#timestamp
    const packet = this.#nextPacket(4)
    writeRtpHeader(packet, payloadType, isFirst, this.#sequence, this.#eventStart, this.ssrc)
    packet.writeUInt8(code, headerBytes)
    packet.writeUInt8((isEnd ? 0x80 : 0) | 10, headerBytes + 1)
    packet.writeUInt16BE(duration * (rate / 8_000), headerBytes + 2)
    this.#wasSilent = true
    this.#transmit(packet)
  }

  #nextPacket(payloadBytes = samplesPerFrame): Buffer {
    this.#sequence = (this.#sequence + 1) & 0xffff
    this.#packetsSent++
    this.#octetsSent += payloadBytes
    const packet = this.#packets[this.#sequence % packetsInUse]
    if (!packet || payloadBytes > samplesPerFrame) return Buffer.alloc(headerBytes + payloadBytes)
    return payloadBytes === samplesPerFrame ? packet : packet.subarray(0, headerBytes + payloadBytes)
  }
}

function newOpus() {
  const encoder = opusEncoder()
  if (!encoder) throw new Error('there is no Opus encoder for this system')
  return { encoder, receiver: new OpusReceiver() }
}
