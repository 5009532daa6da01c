import { randomInt } from 'node:crypto'
import { type AudioCodec, clockRateOf } from '../media/codecs.ts'
import { type Codec, decode, encodeInto, samplesPerFrame } from '../media/g711.ts'
import { G722Encoder } from '../media/g722.ts'
import { type OpusEncoder, type OpusRate, opusBitsPerSecond, opusEncoder } from '../media/opus.ts'
import { wideSamplesPerFrame } from '../media/wideband.ts'
import { DigitReader, DigitWriter, writeKeyTone } from './digits.ts'
import { G722Receiver } from './g722-receiver.ts'
import { InBandDigits } from './in-band-digits.ts'
import { OpusReceiver } from './opus-receiver.ts'
import { AudioReception } from './reception.ts'
import { ReceptionStats } from './reception-stats.ts'
import { emptyHeader, headerBytes, readRtp, writeRtpHeader } from './rtp.ts'
import { type SendFormat, sampleRateOf } from './send-format.ts'

const framesPerSecond = 50
const frameMs = 20
/** Of G.711 and G.722. */
const bytesPerMs = 8
const maxPacketBytes = 60 * bytesPerMs
/** Buffers in rotation: the socket may still hold a packet when the next one is written. */
const packetsInUse = 8

/** The receiver of another leg, whose last frame is sent as it was received. */
export type Forwarded = G722Receiver | OpusReceiver

/** The RTP stream of one leg in both directions; its owner sends and receives the packets. */
export class RtpStream {
  readonly #received = new AudioReception()
  readonly reception = new ReceptionStats()
  readonly ssrc = randomInt(1, 0xffff_ffff)
  readonly #digitsIn: DigitReader
  readonly #digitsOut = new DigitWriter()
  readonly #digit: (digit: string) => void
  #inBand: InBandDigits | null = null
  #receivesG711 = true
  readonly #transmit: (packet: Buffer) => void
  readonly #header = emptyHeader()
  readonly #packets = Array.from({ length: packetsInUse }, () => Buffer.alloc(headerBytes + samplesPerFrame))
  readonly #tone = new Int16Array(samplesPerFrame)
  /** Encoded audio that does not fill a packet yet. */
  readonly #unsent = Buffer.alloc(maxPacketBytes + samplesPerFrame)
  #unsentBytes = 0
  readonly #wideTone = new Int16Array(wideSamplesPerFrame)
  #sending: SendFormat | null = null
  #opus: { encoder: OpusEncoder; rate: OpusRate; maxBitsPerSecond: number | undefined } | null = null
  #g722: G722Encoder | null = null
  /** In percent, by the last report. */
  #lossReported = 0
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
    return this.#received.dropped
  }

  get underruns(): number {
    return this.#received.underruns
  }

  get isOpus(): boolean {
    return this.#sending?.codec === 'opus'
  }

  /** Whether its frames have 320 samples at 16 kHz, rather than 160 at 8 kHz. */
  isWide = false

  /** Clock rate of the RTP timestamps. */
  get clockRate(): number {
    return this.#sending ? clockRateOf(this.#sending.codec) : 8_000
  }

  /** For sender reports: RFC 3550 §6.4.1. */
  get sent(): { timestamp: number; packets: number; octets: number } {
    return { timestamp: this.#timestamp, packets: this.#packetsSent, octets: this.#octetsSent }
  }

  /** Loss reported by the far end: Opus adds redundancy accordingly. */
  reportLoss(percent: number): void {
    this.#lossReported = percent
    this.#opus?.encoder.reportLoss(percent)
  }

  agree(sending: SendFormat): void {
    if (sending.codec !== this.#sending?.codec) this.#unsentBytes = 0
    this.#sending = sending
    const rate = sampleRateOf(sending)
    this.isWide = rate === 16_000
    this.#received.agree(sending)
    if (sending.codec === 'opus') this.#useOpus(rate, sending.maxBitsPerSecond)
    else this.#opus = null
    // On weak networks nothing is forwarded before the first report.
    this.#lossReported = sending.isLowDelay ? 0 : 1
    if (sending.codec !== 'G722') this.#g722 = null
    else this.#g722 ??= new G722Encoder()
    // Without telephone-event, DTMF can only be in-band.
    if (sending.telephoneEvent !== null) this.#inBand = null
    else this.#inBand ??= new InBandDigits(this.#digit)
  }

  #useOpus(rate: OpusRate, maxBitsPerSecond: number | undefined): void {
    const isSame = this.#opus?.rate === rate && this.#opus.maxBitsPerSecond === maxBitsPerSecond
    if (!isSame) this.#opus = { encoder: newOpus(rate, maxBitsPerSecond), rate, maxBitsPerSecond }
  }

  /** False if it is not RTP of a negotiated payload type. */
  receive(packet: Buffer, atMs: number): boolean {
    const header = this.#header
    const sending = this.#sending
    if (!readRtp(packet, header) || !sending) return false
    const { payloadType, sequence, timestamp, start, end } = header
    const codec = codecOf(sending, payloadType)
    const isEvent = codec === null && payloadType === sending.telephoneEvent
    if (!codec && !isEvent) return false
    const clockRate = codec ? clockRateOf(codec) : (sending.eventRate ?? 8_000)
    // Counted at 8 kHz, whatever the clock.
    this.reception.note(header.ssrc, sequence, (timestamp * 8_000) / clockRate, atMs)
    if (codec) {
      this.#received.receive(codec, timestamp, packet, start, end)
      if (isG711(codec)) this.#inBand?.receive(timestamp, decode(codec, packet.subarray(start, end)))
      this.#receivesG711 = isG711(codec)
      this.hasReceived = true
    } else this.#digitsIn.read(timestamp, packet, start, end)
    return true
  }

  /** The next 20 ms at 8 kHz and, on a wideband stream, at 16 kHz. */
  take(narrow: Int16Array, wide: Int16Array | null = null): void {
    this.#digitsIn.tick()
    this.#received.take(narrow, this.isWide ? wide : null)
    if (!this.#receivesG711) this.#inBand?.play(narrow)
  }

  /** What can be sent on that stream as it was received, instead of the last frame encoded again. */
  forwardableTo(to: RtpStream): Forwarded | null {
    const { forwardable } = this.#received
    return forwardable && to.#accepts(forwardable) ? forwardable : null
  }

  /** Our own encoder adds redundancy where packets get lost on the way to the far end, and obeys its bit rate. */
  #accepts(forwarded: Forwarded): boolean {
    if (forwarded instanceof G722Receiver) return this.#g722 !== null
    const hasRoom = (this.#opus?.maxBitsPerSecond ?? opusBitsPerSecond) >= opusBitsPerSecond
    return this.#opus !== null && this.isWide && this.#lossReported === 0 && hasRoom
  }

  sendDigits(digits: string): void {
    this.#digitsOut.send(digits)
  }

  /**
   * Sends 20 ms: 320 samples on a wideband stream, else 160; or, where given, the bytes of another leg as they were
   * received. The timestamp advances also while nothing may be sent.
   */
  send(frame: Int16Array, maySend: boolean, forwarded: Forwarded | null = null): void {
    const sending = this.#sending
    if (sending && maySend) this.#sendTick(sending, frame, forwarded)
    else {
      this.#wasSilent = true
      this.#unsentBytes = 0
    }
    this.#timestamp = (this.#timestamp + this.clockRate / framesPerSecond) >>> 0
  }

  #sendTick(sending: SendFormat, frame: Int16Array, forwarded: Forwarded | null): void {
    const digits = this.#digitsOut.next()
    if (digits !== 'event' && forwarded) this.#forward(sending, forwarded)
    else if (digits !== 'event') this.#sendSound(sending, frame)
    else if (sending.telephoneEvent !== null) {
      // Before the digit, the rest of the audio in a shorter packet.
      if (this.#unsentBytes > 0) this.#sendParts(sending.payloadType, this.#unsentBytes, this.#timestamp)
      this.#sendEvent(sending.telephoneEvent, sending.eventRate)
    } else this.#sendSound(sending, this.#keyTone())
  }

  #keyTone(): Int16Array {
    const { code, duration, isEnd } = this.#digitsOut.event
    const tone = this.isWide ? this.#wideTone : this.#tone
    if (isEnd) tone.fill(0)
    else writeKeyTone(code, duration, tone)
    return tone
  }

  #sendSound(sending: SendFormat, frame: Int16Array): void {
    const { codec, payloadType } = sending
    if (codec !== 'opus' && this.#isRepacked(sending)) {
      this.#encode(codec, frame, this.#unsent, this.#unsentBytes)
      this.#repack(sending)
      return
    }
    const payload = codec === 'opus' ? this.#opus?.encoder.encode(frame) : undefined
    const packet = this.#nextPacket(payload?.length)
    writeRtpHeader(packet, payloadType, this.#wasSilent, this.#sequence, this.#timestamp, this.ssrc)
    if (payload) packet.set(payload, headerBytes)
    else if (codec !== 'opus') this.#encode(codec, frame, packet, headerBytes)
    this.#wasSilent = false
    this.#transmit(packet)
  }

  #encode(codec: Exclude<AudioCodec, 'opus'>, frame: Int16Array, into: Buffer, at: number): void {
    if (codec === 'G722') this.#g722?.encodeInto(frame, into, at)
    else encodeInto(codec, frame, into, at)
  }

  #isRepacked({ ptimeMs = frameMs }: SendFormat): boolean {
    return ptimeMs !== frameMs || this.#unsentBytes > 0
  }

  /** A frame was added to the unsent bytes. */
  #repack({ payloadType, ptimeMs = frameMs }: SendFormat): void {
    this.#unsentBytes += samplesPerFrame
    this.#sendParts(payloadType, Math.min(ptimeMs * bytesPerMs, maxPacketBytes), this.#timestamp + samplesPerFrame)
  }

  /** Sends what fills packets of that size; `end` is the timestamp after the last byte. */
  #sendParts(payloadType: number, size: number, end: number): void {
    let sent = 0
    for (; this.#unsentBytes - sent >= size; sent += size) {
      const packet = this.#nextPacket(size)
      const timestamp = (end - (this.#unsentBytes - sent)) >>> 0
      writeRtpHeader(packet, payloadType, this.#wasSilent, this.#sequence, timestamp, this.ssrc)
      this.#unsent.copy(packet, headerBytes, sent, sent + size)
      this.#wasSilent = false
      this.#transmit(packet)
    }
    this.#unsent.copyWithin(0, sent, this.#unsentBytes)
    this.#unsentBytes -= sent
  }

  #forward(sending: SendFormat, forwarded: Forwarded): void {
    const { payloadType } = sending
    const payload = forwarded instanceof OpusReceiver ? forwarded.packet : forwarded.codes
    if (!payload) {
      // The far end conceals the gap; it learns by the sequence number whether the packet is lost or late.
      if (forwarded instanceof OpusReceiver && forwarded.isLost) this.#sequence = (this.#sequence + 1) & 0xffff
      return
    }
    // Afterwards our encoder continues from the state of the far end's decoder.
    if (forwarded instanceof G722Receiver) this.#g722?.continueFrom(forwarded.decoder)
    if (forwarded instanceof G722Receiver && this.#isRepacked(sending)) {
      this.#unsent.set(payload, this.#unsentBytes)
      this.#repack(sending)
      return
    }
    const packet = this.#nextPacket(payload.length)
    writeRtpHeader(packet, payloadType, this.#wasSilent, this.#sequence, this.#timestamp, this.ssrc)
    packet.set(payload, headerBytes)
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

const isG711 = (codec: AudioCodec): codec is Codec => codec === 'PCMU' || codec === 'PCMA'

function codecOf({ codec, payloadType, alsoReceives }: SendFormat, received: number): AudioCodec | null {
  if (payloadType === received) return codec
  return alsoReceives?.find((one) => one.payloadType === received)?.codec ?? null
}

function newOpus(rate: OpusRate, maxBitsPerSecond?: number): OpusEncoder {
  const encoder = opusEncoder(rate, maxBitsPerSecond)
  if (!encoder) throw new Error('there is no Opus encoder for this system')
  return encoder
}
