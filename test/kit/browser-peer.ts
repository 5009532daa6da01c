import { Decoder, Encoder } from '@evan/opus'
import { Audio, PeerConnection } from 'node-datachannel'
import { decode, encode } from '../../src/media/g711.ts'
import { Downsampler } from '../../src/media/wideband.ts'
import { type ReportBlock, readReports, writeReport } from '../../src/voice-node/rtcp.ts'
import { emptyHeader, isRtcp, readRtp, writeRtpHeader } from '../../src/voice-node/rtp.ts'
import { StreamContinuity } from './stream-continuity.ts'
import { every20ms, ReceivedAudio, toneGenerator, type Voice, wideToneGenerator } from './tones.ts'

export interface BrowserPeer {
  readonly received: ReceivedAudio
  /** The same at 16 kHz, with Opus. */
  readonly wide: ReceivedAudio
  /** What it received, by sequence number. */
  readonly continuity: StreamContinuity
  /** RTCP reports about what it sends. */
  readonly reports: ReportBlock[]
  readonly offer: string
  /** The negotiated codec. */
  readonly codec: 'PCMU' | 'opus'
  /** Resolves when media can flow; it sends its tone from then on. */
  accept(answer: string): Promise<void>
  press(digit: string): void
  /** Sends an RTCP report about what it receives: the loss in percent. */
  report(lossPct: number): void
  /** Must resolve before the process ends: otherwise the library crashes. */
  close(): Promise<void>
}

const keys = { 8000: 126, 48000: 110 } as const
const opusType = 111

interface Ways {
  address?: string
  /** Receives every packet instead of the analyser. */
  onPacket?(packet: Buffer): void
  /** Offers Opus before G.711, or after it, and uses what is negotiated. */
  opus?: 'first' | 'last'
  /** Drops every n-th packet. */
  loseEvery?: number
}

/** A WebRTC peer without a browser: it offers and sends a tone. Each must be closed before the end. */
export async function browserPeer(voice: Voice, ways: Ways = {}): Promise<BrowserPeer> {
  const { address = '127.0.0.1', onPacket, opus, loseEvery = Number.POSITIVE_INFINITY } = ways
  const connection = new PeerConnection(voice, {
    iceServers: [],
    bindAddress: address,
    disableAutoNegotiation: true,
    forceMediaTransport: true,
  })
  const closed = new Promise<void>((resolve) => {
    connection.onStateChange((state) => {
      if (state === 'closed') resolve()
    })
  })
  const ssrc = 4_242
  const audio = new Audio('0', 'SendRecv')
  if (opus === 'first') audio.addOpusCodec(opusType, 'minptime=10;useinbandfec=1')
  audio.addAudioCodec(0, 'PCMU')
  if (opus === 'last') audio.addOpusCodec(opusType, 'minptime=10;useinbandfec=1')
  if (opus) audio.addAudioCodec(keys[48_000], 'telephone-event/48000')
  audio.addAudioCodec(keys[8_000], 'telephone-event/8000')
  audio.addSSRC(ssrc, voice)
  const track = connection.addTrack(audio)
  const received = new ReceivedAudio()
  const wide = new ReceivedAudio()
  const down = new Downsampler()
  const nextFrame = toneGenerator(voice)
  const nextWideFrame = wideToneGenerator(voice)
  const header = emptyHeader()
  let sequence = 0
  let timestamp = 1_000
  let stop = () => {}
  let sent = 0
  let codec: 'PCMU' | 'opus' = 'PCMU'
  const decoder = opus ? new Decoder({ channels: 1, sample_rate: 16_000 }) : undefined
  const encoder = opus ? new Encoder({ channels: 1, sample_rate: 16_000, application: 'voip' }) : undefined
  const reports: ReportBlock[] = []
  const continuity = new StreamContinuity()
  track.onMessage((packet) => {
    if (onPacket) return onPacket(packet)
    if (isRtcp(packet)) reports.push(...(readReports(packet)?.blocks ?? []))
    if (!readRtp(packet, header)) return
    continuity.note(header, header.payloadType === opusType ? 960 : 160)
    const payload = packet.subarray(header.start, header.end)
    if (header.payloadType === 0) received.push(decode('PCMU', payload))
    if (header.payloadType === opusType && decoder) {
      const bytes = decoder.decode(payload)
      const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1)
      const narrow = new Int16Array(samples.length / 2)
      down.run(samples, narrow)
      wide.push(samples)
      received.push(narrow)
    }
  })

  function send(payloadType: number, at: number, payload: Buffer): void {
    const packet = Buffer.alloc(12 + payload.length)
    sequence = (sequence + 1) & 0xffff
    writeRtpHeader(packet, payloadType, false, sequence, at, ssrc)
    payload.copy(packet, 12)
    try {
      if (track.isOpen()) track.sendMessageBinary(packet)
    } catch {
      // Closed in between, on a thread of the library.
    }
  }

  function sendFrame(): void {
    const isLost = ++sent % loseEvery === 0
    if (isLost) sequence = (sequence + 1) & 0xffff
    if (codec === 'opus' && encoder) {
      const payload = Buffer.from(encoder.encode(nextWideFrame()))
      if (!isLost) send(opusType, timestamp, payload)
      timestamp += 960
      return
    }
    const frame = nextFrame()
    if (!isLost) send(0, timestamp, encode('PCMU', frame))
    timestamp += 160
  }

  const offer = await new Promise<string>((resolve) => {
    connection.onGatheringStateChange((state) => {
      if (state === 'complete') resolve(withoutAddresses(connection.localDescription()?.sdp ?? ''))
    })
    connection.setLocalDescription('offer')
  })

  return {
    received,
    wide,
    continuity,
    reports,
    offer,
    get codec() {
      return codec
    },
    async accept(answer) {
      codec = /^m=audio \d+ \S+ (\d+)/m.exec(answer)?.[1] === '0' ? 'PCMU' : 'opus'
      const opened = new Promise<void>((resolve) => track.onOpen(resolve))
      connection.setRemoteDescription(answer, 'answer')
      await opened
      stop = every20ms(() => sendFrame())
    },
    report(lossPct) {
      const fractionLost = Math.round((256 * lossPct) / 100)
      const block = { ssrc: header.ssrc, fractionLost, lost: 1, highestSequence: 1, jitter: 0, lastReport: 0, delay: 0 }
      track.sendMessageBinary(writeReport(ssrc, null, block, voice))
    },
    press(digit) {
      const code = '0123456789*#'.indexOf(digit)
      const type = keys[codec === 'opus' ? 48_000 : 8_000]
      for (const end of [0x0a, 0x8a, 0x8a, 0x8a]) send(type, timestamp, Buffer.from([code, end, 3, 0x20]))
    },
    close() {
      stop()
      connection.close()
      return closed
    },
  }
}

/**
 * Browsers hide their addresses behind mDNS names, so the server waits for incoming packets. This library cannot handle
 * packets before it has the answer.
 */
const withoutAddresses = (sdp: string) => sdp.replace(/^a=(candidate:.*|end-of-candidates)\r?\n/gm, '')
