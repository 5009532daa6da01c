import { readFileSync } from 'node:fs'
import path from 'node:path'
import { readWav } from '../../src/media/wav.ts'
import { RtpStream, type Sending } from '../../src/voice-node/stream.ts'

// A relay that loses and delays packets, in computed time: the same packets with the same seed, on any machine.

export interface Network {
  /** Of the packets. */
  loss: number
  /** Each is late by up to so much, so that they also overtake each other. */
  jitterMs: number
  seed: number
}

const sendings = {
  PCMU: { codec: 'PCMU', payloadType: 0, telephoneEvent: 101 },
  opus: { codec: 'opus', payloadType: 111, telephoneEvent: 110 },
} as const satisfies Record<string, Sending>

const frameSamples = 160
const frameMs = 20
/** How much longer is listened than was spoken. */
const framesAfter = 50

/** What arrives of speech that one stream sends and another receives. */
export function overNetwork(
  codec: keyof typeof sendings,
  speech: Int16Array,
  { loss, jitterMs, seed }: Network,
): Int16Array {
  const random = randomFrom(seed)
  const arriving: { atMs: number; packet: Buffer }[] = []
  let sentMs = 0
  const sender = new RtpStream(
    (packet) => {
      const [isLost, lateMs] = [random() < loss, random() * jitterMs]
      if (!isLost) arriving.push({ atMs: sentMs + lateMs, packet: Buffer.from(packet) })
    },
    () => {},
  )
  sender.agree(sendings[codec])
  const frames = Math.floor(speech.length / frameSamples)
  for (let i = 0; i < frames; i++, sentMs += frameMs) {
    sender.send(speech.slice(i * frameSamples, (i + 1) * frameSamples), true)
  }
  arriving.sort((a, b) => a.atMs - b.atMs)

  const receiver = new RtpStream(
    () => {},
    () => {},
  )
  receiver.agree(sendings[codec])
  const heard = new Int16Array((frames + framesAfter) * frameSamples)
  for (let i = 0; i < frames + framesAfter; i++) {
    while ((arriving[0]?.atMs ?? Number.POSITIVE_INFINITY) <= i * frameMs) {
      const { packet, atMs } = arriving.shift() ?? { packet: Buffer.alloc(0), atMs: 0 }
      receiver.receive(packet, atMs)
    }
    receiver.take(heard.subarray(i * frameSamples, (i + 1) * frameSamples))
  }
  return heard
}

/** Our prompts in that language, one after the other: speech at 8 kHz. */
export function promptsIn(language: string, names: readonly string[]): Int16Array {
  const folder = path.join(import.meta.dirname, '..', '..', 'src', 'drivers', 'prompts', language)
  return Int16Array.from(
    names.flatMap((name) => {
      const sound = readWav(readFileSync(path.join(folder, `${name}.wav`)), 60)
      if ('problem' in sound) throw new Error(`${name}: ${sound.problem}`)
      return Array.from(sound.samples, (sample) => sample * 32_767)
    }),
  )
}

function randomFrom(seed: number): () => number {
  let state = seed * 7_919 + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
