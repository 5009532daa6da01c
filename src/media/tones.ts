/** A steady tone as samples from -1 to 1; null is silence. */
export function tone(hz: number | null, length: number, sampleRate: number): Float32Array {
  const samples = new Float32Array(length)
  if (hz === null) return samples
  for (let i = 0; i < length; i++) samples[i] = loudness * Math.sin((2 * Math.PI * hz * i) / sampleRate)
  return samples
}

const loudness = 0.25
