/** Sample rate of calls: more would not be heard. */
const rate = 8_000

/** A WAV file of anything that the browser can decode: mono, at the sample rate of calls. */
export async function wavOf(recording: Blob): Promise<Blob> {
  const context = new AudioContext()
  try {
    const decoded = await context.decodeAudioData(await recording.arrayBuffer())
    const length = Math.max(1, Math.ceil(decoded.duration * rate))
    const offline = new OfflineAudioContext(1, length, rate)
    const source = offline.createBufferSource()
    source.buffer = decoded
    source.connect(offline.destination)
    source.start()
    const rendered = await offline.startRendering()
    return wavFile(rendered.getChannelData(0))
  } finally {
    await context.close()
  }
}

/** 16-bit samples behind the header of a RIFF file. */
function wavFile(samples: Float32Array): Blob {
  const bytes = new DataView(new ArrayBuffer(44 + samples.length * 2))
  const write = (at: number, text: string) => {
    for (let i = 0; i < text.length; i++) bytes.setUint8(at + i, text.charCodeAt(i))
  }
  write(0, 'RIFF')
  bytes.setUint32(4, 36 + samples.length * 2, true)
  write(8, 'WAVEfmt ')
  bytes.setUint32(16, 16, true)
  bytes.setUint16(20, 1, true)
  bytes.setUint16(22, 1, true)
  bytes.setUint32(24, rate, true)
  bytes.setUint32(28, rate * 2, true)
  bytes.setUint16(32, 2, true)
  bytes.setUint16(34, 16, true)
  write(36, 'data')
  bytes.setUint32(40, samples.length * 2, true)
  samples.forEach((value, i) => {
    bytes.setInt16(44 + i * 2, Math.round(Math.max(-1, Math.min(1, value)) * 32_767), true)
  })
  return new Blob([bytes.buffer], { type: 'audio/wav' })
}
