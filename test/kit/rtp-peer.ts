import { createSocket, type Socket } from 'node:dgram'
import { type Codec, decode, encode, staticPayloadType } from '../../src/media/g711.ts'
import { emptyHeader, readRtp, writeRtpHeader } from '../../src/voice-node/rtp.ts'
import { SrtpReceiver, SrtpSender } from '../../src/voice-node/srtp.ts'
import { every20ms, ReceivedAudio, toneGenerator, type Voice } from './tones.ts'

export interface RtpPeer {
  readonly received: ReceivedAudio
  readonly port: number
  readonly digits: string[]
  /** Starts sending its tone to that port of 127.0.0.1. */
  sendTone(to: number): void
  stopSending(): void
  /** Plays the samples to that port, then is silent; resolves at the end. */
  speak(to: number, samples: Int16Array): Promise<void>
  press(digit: string): Promise<void>
  close(): void
}

interface Ways {
  codec?: Codec
  /** Packet duration in ms. */
  ptimeMs?: 10 | 20 | 30
  keys?: { send: Buffer; receive: Buffer }
  /** Its own loopback address. */
  address?: string
}

const telephoneEvent = 101

/** The far end of a trunk on loopback: sends a tone, records audio, sends DTMF. */
export async function rtpPeer(
  voice: Voice,
  { codec = 'PCMU', ptimeMs = 20, keys, address = '127.0.0.1' }: Ways = {},
): Promise<RtpPeer> {
  const socket = await bound(address)
  const received = new ReceivedAudio()
  const digits: string[] = []
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

  socket.on('message', (packet) => {
    const plain = receiver ? receiver.unprotect(packet) : packet
    if (!plain || !readRtp(plain, header)) return
    const payload = plain.subarray(header.start, header.end)
    if (header.payloadType === staticPayloadType[codec]) received.push(decode(codec, payload))
    if (header.payloadType === telephoneEvent && (payload[1] ?? 0) >= 0x80 && header.timestamp !== lastEvent) {
      lastEvent = header.timestamp
      digits.push('0123456789*#ABCD'.charAt(payload[0] ?? 0))
    }
  })

  function send(to: number, payloadType: number, at: number, payload: Buffer): void {
    const packet = Buffer.alloc(12 + payload.length)
    sequence = (sequence + 1) & 0xffff
    writeRtpHeader(packet, payloadType, false, sequence, at, ssrc)
    payload.copy(packet, 12)
    socket.send(sender ? sender.protect(packet) : packet, to, '127.0.0.1')
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
    port: socket.address().port,
    digits,
    sendTone: (to) => stream(to, nextFrame),
    stopSending: () => stop(),
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
        send(to, staticPayloadType[codec], timestamp, encode(codec, left.subarray(0, samplesPerPacket)))
        timestamp = (timestamp + samplesPerPacket) >>> 0
      }
      if (event) timestamp = (timestamp + 160) >>> 0
    })
  }
}

function bound(address: string): Promise<Socket> {
  const socket = createSocket('udp4')
  return new Promise((resolve) => socket.bind(0, address, () => resolve(socket)))
}
