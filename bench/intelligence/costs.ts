import { gapMs, packed } from '../../src/domain/speech/packing.ts'
import { padded } from '../../src/domain/speech/talk.ts'
import { findModels } from '../../src/intelligence/models.ts'
import { speechSegmentsOf } from '../../src/intelligence/segments.ts'
import { createSpeechHandlers } from '../../src/speech-node/handlers.ts'
import { errorRate, type Spoken } from '../intelligence.ts'
import { milliseconds, print, type Row } from '../kit.ts'

/** In this process, so that what it costs is exactly what the process has used. */
export async function costs({ modelsDir, placed, sides }: Spoken): Promise<Row[]> {
  const models = createSpeechHandlers({ modelsDir })
  const found = await findModels(modelsDir)
  const [left, right] = sides
  const warmUp = left.subarray(0, 16_000)
  await models.detectSpeech({ stream: 0, samples: warmUp })
  await models.moonshine({ samples: warmUp, rate: 8_000 })
  await models.embed({ texts: ['warm'] })
  const rows: Row[] = []

  let stream = 0
  const vad = await cpuSeconds(async () => {
    for (const side of sides) {
      const of = ++stream
      await speechSegmentsOf(side, (samples) => models.detectSpeech({ stream: of, samples }))
    }
  })
  rows.push(share('finding who speaks when, CPU per second of sound', vad, 2 * seconds(left), 0.02))

  const sounds = placed.map(({ samples }) => samples)
  const spokenSeconds = sounds.reduce((sum, samples) => sum + seconds(samples), 0)
  const texts: string[] = []
  const quick = await cpuSeconds(async () => {
    for (const samples of sounds) texts.push((await models.moonshine({ samples, rate: 8_000 })).text)
  })
  rows.push(share('Moonshine, CPU per second of speech', quick, spokenSeconds, 0.12))
  print(`Moonshine: ${percent(errorRate(placed, texts))} of the words wrong`)

  const [size] = found.whispers
  if (size) {
    await models.whisper({ samples: warmUp, rate: 8_000, language: 'en', size })
    const transcripts: string[] = []
    const segments = padded(
      placed.filter(({ side }) => side === 'external'),
      200,
      seconds(right) * 1_000,
    )
    const packs = packed(segments, 28_000)
    const whole = packs.reduce((sum, pack) => sum + pack.ms / 1_000, 0)
    const slow = await cpuSeconds(async () => {
      for (const { pieces, ms } of packs) {
        const sound = new Int16Array(Math.ceil((ms + gapMs) * 8))
        for (const { segment, atMs } of pieces) {
          sound.set(right.subarray(segment.startMs * 8, segment.endMs * 8), Math.round(atMs * 8))
        }
        transcripts.push((await models.whisper({ samples: sound, rate: 8_000, language: 'en', size })).text)
      }
    })
    rows.push(share(`Whisper ${size}, packed, CPU per second of sound`, slow, whole, 0.45))
    const theirs = placed.filter(({ side }) => side === 'external')
    print(`Whisper ${size}: ${percent(errorRate(theirs, transcripts))} of the words wrong`)
  } else rows.push({ row: 'Whisper, packed', figure: 'skipped: `hookswitch models fetch base` brings it' })

  const rounds = 20
  const alike = await cpuSeconds(async () => {
    for (let i = 0; i < rounds; i++) await models.embed({ texts: placed.map(({ text }) => text) })
  })
  rows.push({ row: 'MiniLM, CPU per utterance', figure: milliseconds((alike * 1_000) / (rounds * placed.length)) })
  return rows
}

const seconds = (samples: Int16Array) => samples.length / 8_000
const percent = (value: number) => `${(100 * value).toFixed(1)} %`

async function cpuSeconds(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

const share = (row: string, cpu: number, of: number, atMost: number): Row => ({
  row,
  figure: (cpu / of).toFixed(3),
  aim: { atMost, of: cpu / of },
})
