import { type Attention, frameSeconds } from './whisper-attention.ts'

/** Frames whose median is taken: a single frame does not move a word. */
const medianFrames = 7

/**
 * The second at which each token begins. Tokens and sound are aligned by dynamic time warping, so that the frames from each
 * token to the next have the highest attention in total.
 */
export function startsOf(attentions: readonly Attention[]): number[] {
  const weights = weightsOf(attentions)
  const frames = weights[0]?.length ?? 0
  if (frames === 0) return []
  return firstFrames(weights, frames).map((frame) => frame * frameSeconds)
}

/** One row per token: the mean of all heads, after each frame was normalized over the tokens and smoothed. */
function weightsOf(attentions: readonly Attention[]): Float32Array[] {
  const [first = []] = attentions
  const frames = first[0]?.length ?? 0
  const sums = attentions.map(() => new Float32Array(frames))
  for (const head of first.keys()) {
    const rows = attentions.map((attention) => attention[head] ?? new Float32Array(frames))
    const normalized = normalizedRows(rows, frames)
    for (const [token, row] of normalized.entries())
      addMedians(row, sums[token] ?? new Float32Array(frames), first.length)
  }
  return sums
}

function normalizedRows(rows: readonly Float32Array[], frames: number): Float32Array[] {
  const normalized = rows.map(() => new Float32Array(frames))
  for (let frame = 0; frame < frames; frame++) {
    let sum = 0
    let squares = 0
    for (const row of rows) {
      const value = row[frame] ?? 0
      sum += value
      squares += value * value
    }
    const mean = sum / rows.length
    const deviation = Math.sqrt(Math.max(squares / rows.length - mean * mean, 1e-20))
    for (const [token, row] of rows.entries()) {
      const into = normalized[token]
      if (into) into[frame] = ((row[frame] ?? 0) - mean) / deviation
    }
  }
  return normalized
}

function addMedians(row: Float32Array, into: Float32Array, heads: number): void {
  const half = (medianFrames - 1) / 2
  const last = row.length - 1
  const window = new Float32Array(medianFrames)
  for (let frame = 0; frame <= last; frame++) {
    for (let k = 0; k < medianFrames; k++) {
      // Beyond its ends the row is mirrored.
      const at = Math.abs(frame + k - half)
      const value = row[at > last ? Math.max(0, 2 * last - at) : at] ?? 0
      let place = k
      while (place > 0 && (window[place - 1] ?? 0) > value) {
        window[place] = window[place - 1] ?? 0
        place--
      }
      window[place] = value
    }
    into[frame] = (into[frame] ?? 0) + (window[half] ?? 0) / heads
  }
}

const [fromBoth, fromToken, fromFrame] = [0, 1, 2]

/** The first frame of each token on the path with the highest weight; both only advance. */
function firstFrames(weights: readonly Float32Array[], frames: number): number[] {
  const steps = weights.map(() => new Uint8Array(frames))
  let before = new Float64Array(frames).fill(-Infinity)
  for (const [token, row] of weights.entries()) {
    const best = new Float64Array(frames)
    const step = steps[token] ?? new Uint8Array(frames)
    for (let frame = 0; frame < frames; frame++) {
      const both = token === 0 && frame === 0 ? 0 : frame > 0 ? (before[frame - 1] ?? 0) : -Infinity
      const sameFrame = before[frame] ?? -Infinity
      const sameToken = frame > 0 ? (best[frame - 1] ?? 0) : -Infinity
      const value = Math.max(both, sameFrame, sameToken)
      step[frame] = value === both ? fromBoth : value === sameFrame ? fromToken : fromFrame
      best[frame] = value + (row[frame] ?? 0)
    }
    before = best
  }
  const found = new Array<number>(weights.length).fill(0)
  let frame = frames - 1
  for (let token = weights.length - 1; token >= 0; ) {
    found[token] = frame
    const step = steps[token]?.[frame]
    if (step !== fromToken) frame--
    if (step !== fromFrame) token--
    if (frame < 0) frame = 0
  }
  return found
}
