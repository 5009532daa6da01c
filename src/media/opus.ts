import { createRequire } from 'node:module'

// Opus at the rate of our rooms. On the wire it counts time at 48 kHz, whatever it carries.

const rate = 8_000
/** A timestamp of the wire has moved by this much when one sample of ours has passed. */
export const opusClockFactor = 6
/** Of speech at 8 kHz, with the redundancy from which lost packets are recovered: three quarters of G.711. */
const bitsPerSecond = 48_000
/**
 * RFC 7587 §6.1, what we ask of browsers: sound as wide as our rooms, so that all bits are spent on what is heard, and the
 * redundancy. Browsers add it as far as our RTCP reports losses.
 */
export const opusParameters = `minptime=10;useinbandfec=1;maxplaybackrate=${rate};maxaveragebitrate=${bitsPerSecond}`
/** Of 10: half the work of the most. */
const complexity = 5
const expectedLossPercent = 10

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

/** Each remembers what it has encoded: one for each leg. Undefined: there is none here. */
export function opusEncoder(): ((frame: Int16Array) => Uint8Array) | undefined {
  const build = loaded()
  if (!build) return undefined
  const encoder = new build.Encoder({ channels: 1, sample_rate: rate, application: 'voip' })
  encoder.bitrate = bitsPerSecond
  encoder.complexity = complexity
  encoder.signal = 'voice'
  encoder.inband_fec = true
  encoder.packet_loss = expectedLossPercent
  return (frame) => encoder.encode(frame)
}
