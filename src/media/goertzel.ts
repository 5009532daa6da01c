/** Amplitude of one frequency in the samples (Goertzel's algorithm). */
export function strengthOf(hz: number, samples: ArrayLike<number>, sampleRate: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / sampleRate)
  let last = 0
  let beforeLast = 0
  for (let i = 0; i < samples.length; i++) {
    const next = (samples[i] ?? 0) + coefficient * last - beforeLast
    beforeLast = last
    last = next
  }
  const power = last * last + beforeLast * beforeLast - coefficient * last * beforeLast
  return samples.length === 0 ? 0 : (2 * Math.sqrt(Math.max(0, power))) / samples.length
}
