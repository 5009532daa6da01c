import { type FileHandle, open } from 'node:fs/promises'
import { samplesPerFrame } from './g711.ts'
import { mp3Writer, sampleRate } from './mp3.ts'
import { sidesOf } from './raw-recording.ts'
import { resample } from './resample.ts'

const rawRate = 8_000
const framesAtOnce = 100
/** Longer than the filter, so that chunks join seamlessly. */
const marginFrames = 1

/**
 * Encodes a raw recording as MP3 in chunks of two seconds: memory use and the time for which the thread is blocked do not
 * grow with its length.
 */
export async function mp3OfRawFile(name: string, channels: 1 | 2): Promise<Buffer> {
  const file = await open(name, 'r')
  try {
    const bytesPerFrame = samplesPerFrame * channels
    const frames = Math.floor((await file.stat()).size / bytesPerFrame)
    const encoder = await mp3Writer(channels)
    const parts: Buffer[] = []
    for (let at = 0; at < frames; at += framesAtOnce) {
      const from = Math.max(0, at - marginFrames)
      const until = Math.min(frames, at + framesAtOnce + marginFrames)
      const raw = await read(file, from * bytesPerFrame, (until - from) * bytesPerFrame)
      const count = Math.min(framesAtOnce, frames - at)
      parts.push(encoder.write(sidesOf(raw, channels).map((side) => piece(side, at - from, count))))
      await breathe()
    }
    parts.push(encoder.end())
    return Buffer.concat(parts)
  } finally {
    await file.close()
  }
}

function piece(side: Int16Array, skipFrames: number, frames: number): Float32Array {
  const all = resample(
    Float32Array.from(side, (sample) => sample / 32_768),
    rawRate,
    sampleRate,
  )
  const perFrame = (samplesPerFrame * sampleRate) / rawRate
  return all.subarray(skipFrames * perFrame, (skipFrames + frames) * perFrame)
}

async function read(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await file.read(bytes, 0, length, at)
  return bytes.subarray(0, bytesRead)
}

const breathe = () => new Promise<void>((resolve) => setImmediate(resolve))
