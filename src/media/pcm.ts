// media/ is audio processing: samples in, samples out; no sockets, no files.

export interface Tone {
  /** Hertz; 0 is silence. */
  frequency: number
  ms: number
}

const loudness = 0.25
const fadeMs = 12

/** Signed 16-bit samples; each tone fades in and out to avoid clicks. */
export function tones(sequence: readonly Tone[], sampleRate: number): Int16Array {
  const lengths = sequence.map(({ ms }) => Math.round((ms * sampleRate) / 1_000))
  const samples = new Int16Array(lengths.reduce((sum, n) => sum + n, 0))
  const fade = Math.round((fadeMs * sampleRate) / 1_000)
  let at = 0
  for (const [index, { frequency }] of sequence.entries()) {
    const length = lengths[index] ?? 0
    for (let i = 0; i < length; i++) {
      const edge = Math.min(1, i / fade, (length - i) / fade)
      samples[at + i] = Math.round(32_767 * loudness * edge * Math.sin((2 * Math.PI * frequency * i) / sampleRate))
    }
    at += length
  }
  return samples
}
