import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Encoder } from '@evan/opus'
import { opusParameters } from '../../src/media/opus.ts'
import { readWav } from '../../src/media/wav.ts'
import { Upsampler } from '../../src/media/wideband.ts'
import { ReportExchange } from '../../src/voice-node/report-exchange.ts'
import { readReports } from '../../src/voice-node/rtcp.ts'
import { headerBytes, writeRtpHeader } from '../../src/voice-node/rtp.ts'
import type { SendFormat } from '../../src/voice-node/send-format.ts'
import { RtpStream } from '../../src/voice-node/stream.ts'

// A relay that drops and delays packets in simulated time: deterministic for a seed.

export interface Network {
  /** Fraction of the packets. */
  loss: number
  /** Random delay of up to this much, so that packets are reordered. */
  jitterMs: number
  seed: number
}

const sendings = {
  PCMU: { codec: 'PCMU', payloadType: 0, telephoneEvent: 101 },
  opus: { codec: 'opus', payloadType: 111, telephoneEvent: 110 },
  G722: { codec: 'G722', payloadType: 9, telephoneEvent: 101 },
  wideOpus: { codec: 'opus', payloadType: 111, telephoneEvent: 110, isWideband: true, isLowDelay: true },
} as const satisfies Record<string, SendFormat>

/** G.711; Opus as our encoder sends it to browsers; Opus as a browser sends it to us; the wideband codecs of trunks. */
export type Sender = 'g711' | 'opus' | 'opus of a browser' | 'g722' | 'wideband opus'

const formats = {
  g711: sendings.PCMU,
  opus: sendings.opus,
  'opus of a browser': sendings.opus,
  g722: sendings.G722,
  'wideband opus': sendings.wideOpus,
} as const satisfies Record<Sender, SendFormat>

interface Speaker {
  speak(frame: Int16Array): void
  /** Packets lost since the last report, in percent. */
  reportLoss(percent: number): void
  reportEveryMs: number
}

const frameSamples = 160
/** At 8 kHz. */
const opusTicksPerSample = 6
const frameMs = 20
/** How much longer the receiver records after the end of speech. */
const framesAfter = 50

/** Speech sent by one stream and received by another. Losses are reported as by RTCP. */
export function overNetwork(sender: Sender, speech: Int16Array, { loss, jitterMs, seed }: Network): Int16Array {
  const random = randomFrom(seed)
  const arriving: { atMs: number; packet: Buffer }[] = []
  const sending = formats[sender]
  const receiver = new RtpStream(
    () => {},
    () => {},
  )
  receiver.agree(sending)
  const reports = new ReportExchange(receiver, 'receiver')
  const speaker = (sender === 'opus of a browser' ? browser : server)(sending, (packet) => {
    const [isLost, lateMs] = [random() < loss, random() * jitterMs]
    if (!isLost) arriving.push({ atMs: nowMs + lateMs, packet: Buffer.from(packet) })
  })

  const frames = Math.floor(speech.length / frameSamples)
  const received = new Int16Array((frames + framesAfter) * frameSamples)
  let nowMs = 0
  for (let i = 0; i < frames + framesAfter; i++, nowMs += frameMs) {
    if (i < frames) speaker.speak(speech.slice(i * frameSamples, (i + 1) * frameSamples))
    arriving.sort((a, b) => a.atMs - b.atMs)
    while ((arriving[0]?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      const { packet, atMs } = arriving.shift() ?? { packet: Buffer.alloc(0), atMs: 0 }
      receiver.receive(packet, atMs)
    }
    receiver.take(received.subarray(i * frameSamples, (i + 1) * frameSamples))
    if (i === 0 || nowMs % speaker.reportEveryMs !== 0) continue
    const [block] = readReports(reports.write(nowMs))?.blocks ?? []
    if (block) speaker.reportLoss((100 * block.fractionLost) / 256)
  }
  return received
}

/** Our own stream. Browsers report to it about every five seconds. */
function server(sending: SendFormat, transmit: (packet: Buffer) => void): Speaker {
  const stream = new RtpStream(transmit, () => {})
  stream.agree(sending)
  const [up, wide] = [new Upsampler(), new Int16Array(2 * frameSamples)]
  return {
    speak(frame) {
      if (stream.isWide) up.run(frame, wide)
      stream.send(stream.isWide ? wide : frame, true)
    },
    reportLoss: (percent) => stream.reportLoss(percent),
    reportEveryMs: 5_000,
  }
}

/**
 * Browser behaviour with the parameters of our answer: libopus for voice calls, with FEC for the losses that we report
 * every second, smoothed over ten seconds, at most 20 %.
 */
function browser({ payloadType }: SendFormat, transmit: (packet: Buffer) => void): Speaker {
  const encoder = new Encoder({ channels: 1, sample_rate: 8_000, application: 'voip' })
  encoder.bitrate = Number(/maxaveragebitrate=(\d+)/.exec(opusParameters(8_000))?.[1])
  encoder.complexity = 9
  encoder.inband_fec = true
  encoder.packet_loss = 0
  let [sequence, lossPercent] = [0, 0]
  const smoothing = Math.exp(-1 / 10)
  return {
    speak(frame) {
      const payload = encoder.encode(frame)
      const packet = Buffer.alloc(headerBytes + payload.length)
      writeRtpHeader(packet, payloadType, sequence === 0, sequence, sequence * frameSamples * opusTicksPerSample, 4_242)
      packet.set(payload, headerBytes)
      sequence++
      transmit(packet)
    },
    reportLoss(percent) {
      lossPercent = smoothing * lossPercent + (1 - smoothing) * percent
      encoder.packet_loss = Math.min(20, Math.round(lossPercent))
    },
    reportEveryMs: 1_000,
  }
}

/** Our prompts in that language: speech at 8 kHz. */
export function promptsIn(language: string, names: readonly string[]): Int16Array {
  const folder = path.join(import.meta.dirname, '..', '..', 'src', 'drivers', 'prompts', language)
  return Int16Array.from(
    names.flatMap((name) => {
      const sound = readWav(readFileSync(path.join(folder, `${name}.wav`)), 60)
      if ('problem' in sound) throw new Error(`${name}: ${sound.problem}`)
      return Array.from(sound.samples, (sample) => sample * 32_767)
    }),
  )
}

function randomFrom(seed: number): () => number {
  let state = seed * 7_919 + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
