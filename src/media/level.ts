const wanted = 10 ** (-16 / 20)
const highestPeak = 0.95
const maxGain = 10
/** Below this level a section is a pause and does not count for the loudness. */
const pauseBelow = 10 ** (-45 / 20)
const stretch = 160

/** Normalizes speech to about -16 dBFS, without clipping and without amplifying faint noise. */
export function normalise(samples: Float32Array): Float32Array {
  const { loudness, peak } = measure(samples)
  if (loudness === 0) return samples
  const gain = Math.min(wanted / loudness, highestPeak / peak, maxGain)
  return samples.map((sample) => sample * gain)
}

/** The RMS level of the sections that are no pause, and the peak. */
export function measure(samples: Float32Array): { loudness: number; peak: number } {
  let total = 0
  let counted = 0
  let peak = 0
  for (let at = 0; at < samples.length; at += stretch) {
    const end = Math.min(at + stretch, samples.length)
    let power = 0
    for (let i = at; i < end; i++) {
      const sample = samples[i] ?? 0
      power += sample * sample
      peak = Math.max(peak, Math.abs(sample))
    }
    if (Math.sqrt(power / (end - at)) < pauseBelow) continue
    total += power
    counted += end - at
  }
  return { loudness: counted === 0 ? 0 : Math.sqrt(total / counted), peak }
}

export function toInt16(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_767))))
}
