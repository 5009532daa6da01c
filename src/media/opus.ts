import { createRequire } from 'node:module'

// Opus at the rate of our rooms. On the wire it counts time at 48 kHz, whatever it carries.

const rate = 8_000
/** A timestamp of the wire has moved by this much when one sample of ours has passed. */
export const opusClockFactor = 6
/** Of what we send: as much as G.711. Where redundancy is added, more bits than this make speech worse, not better. */
const bitsPerSecond = 64_000
/**
 * Of what browsers send. From about this rate on libopus codes speech without loss as it codes music (CELT), which changes it less
 * than G.711 does; below, it keeps to its model of speech (SILK).
 */
const browserBitsPerSecond = 72_000
/**
 * RFC 7587 §6.1, what we ask of browsers: sound as wide as our rooms, so that all bits are spent on what is heard, and the
 * redundancy. Browsers add it as far as our RTCP reports losses.
 */
export const opusParameters = `minptime=10;useinbandfec=1;maxplaybackrate=${rate};maxaveragebitrate=${browserBitsPerSecond}`
/** Of 10: half the work of the most. */
const complexity = 5
/** Until the browser has reported for the first time: the user has chosen Opus because of a weak network. */
const lossBeforeReports = 10
/** Browsers report every few seconds. Losses come in bursts, so the redundancy stays for as many reports without any. */
const reportsKept = 3

const load = createRequire(import.meta.url)
let builds: Pick<typeof import('@evan/opus'), 'Encoder'> | null | undefined

/** Whether calls can have it here. The build in WebAssembly takes twice as long, so it is left to files. */
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
  /** How much of it the far end has lost, as RTCP reports. */
  reportLoss(percent: number): void
}

/** Each remembers what it has encoded: one for each leg. Undefined: there is none here. */
export function opusEncoder(): OpusEncoder | undefined {
  const build = loaded()
  if (!build) return undefined
  // Not `voip`: that takes the lowest sounds away.
  const encoder = new build.Encoder({ channels: 1, sample_rate: rate, application: 'audio' })
  encoder.bitrate = bitsPerSecond
  encoder.complexity = complexity
  encoder.inband_fec = true
  let reported: number[] = []
  expectLoss(lossBeforeReports)

  /** Only the model of speech (SILK) has redundancy; without losses the transform (CELT) changes speech less. */
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
