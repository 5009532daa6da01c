import { createSocket, type Socket } from 'node:dgram'
import { Decoder, Encoder } from '@evan/opus'
import type { AudioCodec } from '../../src/media/codecs.ts'
import { decode, encode } from '../../src/media/g711.ts'
import { G722Decoder, G722Encoder } from '../../src/media/g722.ts'
import { Downsampler } from '../../src/media/wideband.ts'
import { type ReportBlock, readReports } from '../../src/voice-node/rtcp.ts'
import { emptyHeader, isRtcp, readRtp, writeRtpHeader } from '../../src/voice-node/rtp.ts'
import { SrtpReceiver, SrtpSender } from '../../src/voice-node/srtp.ts'
import { StreamContinuity } from './stream-continuity.ts'
import { every20ms, ReceivedAudio, toneGenerator, type Voice, wideToneGenerator } from './tones.ts'

export interface RtpPeer {
  readonly received: ReceivedAudio
  /** At 16 kHz, with a wideband codec. */
  readonly wide: ReceivedAudio
  readonly port: number
  readonly digits: string[]
  /** What it received, by sequence number. */
  readonly continuity: StreamContinuity
  /** RTCP reports about what it sends, where RTCP shares the port. */
  readonly reports: readonly ReportBlock[]
  /** Payload lengths of the audio packets it received, in bytes. */
  readonly lengths: Set<number>
  /** Starts sending its tone to that port; to loopback unless an address is given. */
  sendTone(to: number, host?: string): void
  stopSending(): void
  /** From now on the network loses one of this many packets that it sends; 0: none. */
  loseOneOf(packets: number): void
  /** Plays the samples to that port, then is silent; resolves at the end. */
  speak(to: number, samples: Int16Array): Promise<void>
  press(digit: string): Promise<void>
  close(): void
}

interface Ways {
  /** With a wideband codec packets of 20 ms are sent. */
  codec?: AudioCodec
  /** Packet duration in ms. */
  ptimeMs?: 10 | 20 | 30 | 40 | 60
  keys?: { send: Buffer; receive: Buffer }
  /** Its own address, on loopback by default. */
  address?: string
}

const telephoneEvent = 101

/** The far end of a trunk on loopback: sends a tone, records audio, sends DTMF. */
export async function rtpPeer(
  voice: Voice,
  { codec = 'PCMU', ptimeMs = 20, keys, address = '127.0.0.1' }: Ways = {},
): Promise<RtpPeer> {
  const socket = await bound(address)
  let destination = address.includes(':') ? '::1' : '127.0.0.1'
  const received = new ReceivedAudio()
  const wide = new ReceivedAudio()
  const wideband = codec === 'G722' || codec === 'opus' ? widebandOf(codec) : null
  const down = new Downsampler()
  const digits: string[] = []
  const lengths = new Set<number>()
  const continuity = new StreamContinuity()
  const reports: ReportBlock[] = []
  const receiver = keys && new SrtpReceiver(keys.receive)
  const sender = keys && new SrtpSender(keys.send)
  const nextFrame = toneGenerator(voice)
  const header = emptyHeader()
  const ssrc = Math.floor(socket.address().port * 7_919)
  const samplesPerPacket = ptimeMs * 8
  let sequence = 65_500
  let timestamp = 4_294_960_000
  let left = new Int16Array()
  let event: { digit: number; at: number; packets: number; done: () => void } | null = null
  let lastEvent = -1
  let stop = () => {}
  let lossInterval = 0

  socket.on('message', (packet) => {
    const plain = receiver ? receiver.unprotect(packet) : packet
    if (!plain) return
    if (!keys && isRtcp(plain)) reports.push(...(readReports(plain)?.blocks ?? []))
    if (!readRtp(plain, header)) return
    continuity.note(header, samplesPerPacket * (codec === 'opus' ? 6 : 1))
    const payload = plain.subarray(header.start, header.end)
    if (header.payloadType === payloadTypes[codec]) hear(payload)
    if (header.payloadType === telephoneEvent && (payload[1] ?? 0) >= 0x80 && header.timestamp !== lastEvent) {
      lastEvent = header.timestamp
      digits.push('0123456789*#ABCD'.charAt(payload[0] ?? 0))
    }
  })

  function hear(payload: Buffer): void {
    lengths.add(payload.length)
    if (codec === 'PCMU' || codec === 'PCMA') {
      received.push(decode(codec, payload))
      return
    }
    const samples = wideband?.decode(payload) ?? new Int16Array(320)
    const narrow = new Int16Array(160)
    down.run(samples, narrow)
    wide.push(samples)
    received.push(narrow)
  }

  function send(to: number, payloadType: number, at: number, payload: Buffer): void {
    const packet = Buffer.alloc(12 + payload.length)
    sequence = (sequence + 1) & 0xffff
    writeRtpHeader(packet, payloadType, false, sequence, at, ssrc)
    payload.copy(packet, 12)
    if (lossInterval > 0 && sequence % lossInterval === 0) return
    socket.send(sender ? sender.protect(packet) : packet, to, destination)
  }

  function sendEvent(to: number): void {
    if (!event) return
    const duration = Math.min(++event.packets, 5) * 160
    const isEnd = event.packets >= 5
    send(to, telephoneEvent, event.at, Buffer.from([event.digit, isEnd ? 0x8a : 0x0a, duration >> 8, duration & 0xff]))
    if (event.packets < 7) return
    event.done()
    event = null
  }

  let speech: { samples: Int16Array; done: () => void } | null = null

  /** 20 ms of the current samples, or of silence. */
  function nextSpeechFrame(): Int16Array {
    const frame = new Int16Array(160)
    if (!speech) return frame
    frame.set(speech.samples.subarray(0, 160))
    speech.samples = speech.samples.subarray(160)
    if (speech.samples.length === 0) {
      speech.done()
      speech = null
    }
    return frame
  }

  return {
    received,
    wide,
    port: socket.address().port,
    digits,
    lengths,
    continuity,
    reports,
    sendTone(to, host = destination) {
      destination = host
      if (wideband) streamWide(to)
      else stream(to, nextFrame)
    },
    stopSending: () => stop(),
    loseOneOf(packets) {
      lossInterval = packets
    },
    speak(to, samples) {
      if (!speech) stream(to, nextSpeechFrame)
      return new Promise((done) => {
        speech = { samples, done }
      })
    },
    press: (digit) =>
      new Promise((done) => {
        event = { digit: '0123456789*#'.indexOf(digit), at: timestamp, packets: 0, done }
      }),
    close() {
      stop()
      socket.close()
    },
  }

  function stream(to: number, next: () => Int16Array): void {
    stop()
    stop = every20ms(() => {
      if (event) sendEvent(to)
      else left = Int16Array.from([...left, ...next()])
      for (; left.length >= samplesPerPacket; left = left.subarray(samplesPerPacket)) {
        if (codec === 'G722' || codec === 'opus') throw new Error('only G.711 has speech and other packet lengths')
        send(to, payloadTypes[codec], timestamp, encode(codec, left.subarray(0, samplesPerPacket)))
        timestamp = (timestamp + samplesPerPacket) >>> 0
      }
      if (event) timestamp = (timestamp + 160) >>> 0
    })
  }

  function streamWide(to: number): void {
    const nextWide = wideToneGenerator(voice)
    stop()
    stop = every20ms(() => {
      if (event) sendEvent(to)
      else if (wideband) send(to, payloadTypes[codec], timestamp, wideband.encode(nextWide()))
      timestamp = (timestamp + (codec === 'opus' ? 960 : 160)) >>> 0
    })
  }
}

export const payloadTypes: Record<AudioCodec, number> = { PCMU: 0, PCMA: 8, G722: 9, opus: 111 }

function widebandOf(codec: 'G722' | 'opus') {
  if (codec === 'opus') {
    const encoder = new Encoder({ channels: 1, sample_rate: 16_000, application: 'voip' })
    const decoder = new Decoder({ channels: 1, sample_rate: 16_000 })
    return {
      encode: (samples: Int16Array) => Buffer.from(encoder.encode(samples)),
      decode(payload: Buffer) {
        const bytes = decoder.decode(payload)
        return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
      },
    }
  }
  const [encoder, decoder] = [new G722Encoder(), new G722Decoder()]
  return {
    encode(samples: Int16Array) {
      const codes = Buffer.alloc(160)
      encoder.encodeInto(samples, codes, 0)
      return codes
    },
    decode(payload: Buffer) {
      const samples = new Int16Array(2 * payload.length)
      decoder.decode(payload, samples)
      return samples
    },
  }
}

function bound(address: string): Promise<Socket> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  return new Promise((resolve) => socket.bind(0, address, () => resolve(socket)))
}
