import { createRequire } from 'node:module'

// Opus at the rates of our rooms: 8 kHz, or 16 kHz where both sides are wideband.

export type OpusRate = 8_000 | 16_000
/** RFC 7587 §4.1: at any rate of the audio. */
export const opusClockRate = 48_000
/** Bit rate that we send: as much as G.711. With redundancy, a higher bit rate makes speech worse, not better. */
export const opusBitsPerSecond = 64_000
/**
 * Bit rate of browsers. From about this rate on libopus codes speech without loss like music (CELT), which distorts it less
 * than G.711 does; below, it uses its speech model (SILK).
 */
const browserBitsPerSecond = 72_000
/**
 * RFC 7587 §6.1, requested from the far end: the bandwidth that is played, so that all bits are spent on it, and in-band
 * FEC. Browsers add redundancy according to the loss in our RTCP reports.
 */
export const opusParameters = (rate: OpusRate): string =>
  `minptime=10;useinbandfec=1;maxplaybackrate=${rate};maxaveragebitrate=${browserBitsPerSecond}`
/** Complexity from 0 to 10: half the CPU time of the maximum. */
const complexity = 5
/** Assumed loss until the first report of the browser: users choose Opus on weak networks. */
const lossBeforeReports = 10
/** Loss comes in bursts, so the redundancy stays for this many reports without loss. */
const reportsKept = 3

const load = createRequire(import.meta.url)
let builds: Pick<typeof import('@evan/opus'), 'Encoder'> | null | undefined

/** Whether calls can use Opus on this system. The WebAssembly build takes twice as long and is used for files only. */
export const hasOpus = (): boolean => loaded() !== null

function loaded() {
  if (builds !== undefined) return builds
  try {
    load('@evan/opus/node/index.js')
    builds = load('@evan/opus') as typeof import('@evan/opus')
  } catch {
    // No binary for this system.
    builds = null
  }
  return builds
}

export interface OpusEncoder {
  encode(frame: Int16Array): Uint8Array
  /** Loss at the far end, as reported by RTCP. */
  reportLoss(percent: number): void
}

/** Stateful: one per leg. Undefined if this system has no native encoder. */
export function opusEncoder(rate: OpusRate = 8_000, maxBitsPerSecond = opusBitsPerSecond): OpusEncoder | undefined {
  const build = loaded()
  if (!build) return undefined
  // Not `voip`, which applies a high-pass filter.
  const encoder = new build.Encoder({ channels: 1, sample_rate: rate, application: 'audio' })
  encoder.bitrate = Math.min(opusBitsPerSecond, maxBitsPerSecond)
  encoder.complexity = complexity
  encoder.inband_fec = true
  let reported: number[] = []
  expectLoss(lossBeforeReports)

  /** Only the speech model (SILK) has FEC; without loss the transform (CELT) distorts speech less. */
  function expectLoss(lossPercent: number): void {
    encoder.packet_loss = Math.ceil(lossPercent)
    encoder.signal = lossPercent > 0 ? 'voice' : 'music'
  }

  return {
    encode: (frame) => encoder.encode(frame),
    reportLoss(percent) {
      reported = [...reported.slice(1 - reportsKept), percent]
      expectLoss(Math.max(...reported))
    },
  }
}
