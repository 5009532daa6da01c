/** A steady tone as samples from -1 to 1; null is silence. */
export function tone(hz: number | null, length: number, sampleRate: number): Float32Array {
  const samples = new Float32Array(length)
  if (hz === null) return samples
  for (let i = 0; i < length; i++) samples[i] = loudness * Math.sin((2 * Math.PI * hz * i) / sampleRate)
  return samples
}

const loudness = 0.25

/** How strong one frequency is in the samples: the amplitude of that tone alone (Goertzel's algorithm). */
export function strengthOf(hz: number, samples: Float32Array, sampleRate: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / sampleRate)
  let last = 0
  let beforeLast = 0
  for (const sample of samples) {
    const next = sample + coefficient * last - beforeLast
    beforeLast = last
    last = next
  }
  const power = last * last + beforeLast * beforeLast - coefficient * last * beforeLast
  return samples.length === 0 ? 0 : (2 * Math.sqrt(Math.max(0, power))) / samples.length
}
