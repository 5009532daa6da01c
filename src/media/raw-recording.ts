import { decode, samplesPerFrame } from './g711.ts'

/** The sidecar file of a raw recording. Times are of the wall clock, in ms. */
export interface Sidecar {
  channels: 1 | 2
  startedAt: number
  /** `offsetMs` is the position of the pause in the recording. */
  pauses: { offsetMs: number; from: number; until: number | null }[]
  /** Lines of AI voice agents, as far as they were played; on the internal side. */
  lines?: { speaker: string; text: string; startMs: number; endMs: number; at: number }[]
}

/** The channels of a raw recording: stereo is interleaved by frame. An incomplete last frame is left out. */
export function sidesOf(raw: Uint8Array, channels: 1 | 2): Int16Array[] {
  if (channels === 1) return [decode('PCMU', raw)]
  const frames = Math.floor(raw.length / (2 * samplesPerFrame))
  const all = decode('PCMU', raw.subarray(0, frames * 2 * samplesPerFrame))
  return [0, 1].map((side) => {
    const samples = new Int16Array(frames * samplesPerFrame)
    for (let frame = 0; frame < frames; frame++) {
      const from = (2 * frame + side) * samplesPerFrame
      samples.set(all.subarray(from, from + samplesPerFrame), frame * samplesPerFrame)
    }
    return samples
  })
}

/** Throws if the text is not a sidecar. */
export function readSidecar(text: string): Sidecar {
  const value: unknown = JSON.parse(text)
  if (!isSidecar(value)) throw new Error('not the sidecar of a recording')
  return value
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const isSidecar = (value: unknown): value is Sidecar =>
  isRecord(value) &&
  (value.channels === 1 || value.channels === 2) &&
  typeof value.startedAt === 'number' &&
  Array.isArray(value.pauses) &&
  value.pauses.every((pause) => isRecord(pause) && typeof pause.offsetMs === 'number') &&
  (value.lines === undefined || (Array.isArray(value.lines) && value.lines.every(isLine)))

const isLine = (line: unknown) =>
  isRecord(line) &&
  typeof line.speaker === 'string' &&
  typeof line.text === 'string' &&
  typeof line.startMs === 'number' &&
  typeof line.endMs === 'number' &&
  typeof line.at === 'number'
