import { MPEGDecoder } from 'mpg123-decoder'
import { describe, expect, test } from 'vitest'
import { strengthOf } from './goertzel.ts'
import { bytesPerFrame, durationOfMp3, encodeMp3, sampleRate } from './mp3.ts'
import { mp3OfScriptedRecording, parseScriptedRecording, type ScriptedRecording } from './scripted-recording.ts'
import { tone } from './tones.ts'

// An independent decoder decodes what we encode.

async function decode(mp3: Buffer) {
  const decoder = new MPEGDecoder()
  await decoder.ready
  const { channelData, samplesDecoded, sampleRate: rate, errors } = decoder.decode(mp3)
  decoder.free()
  expect({ rate, errors }).toEqual({ rate: sampleRate, errors: [] })
  const [left = new Float32Array(), right = left] = channelData
  return { left, right, ms: (samplesDecoded * 1_000) / sampleRate }
}

const decibels = (ratio: number) => 20 * Math.log10(ratio + 1e-9)
const between = (samples: Float32Array, fromMs: number, untilMs: number) =>
  samples.subarray((fromMs * sampleRate) / 1_000, (untilMs * sampleRate) / 1_000)
const loudest = (samples: Float32Array) => samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0)

/** How far the tone stands above the others in that stretch, in dB. */
function above(hz: number, others: number[], samples: Float32Array): number {
  const own = strengthOf(hz, samples, sampleRate)
  return Math.min(...others.map((other) => decibels(own / (strengthOf(other, samples, sampleRate) + 1e-9))))
}

const conversation: ScriptedRecording = {
  channels: 2,
  parts: [
    { ms: 1_500, left: 440, right: null },
    { ms: 1_230, left: null, right: null },
    { ms: 2_345, left: null, right: 620 },
    { ms: 1_111, left: 440, right: 620 },
    { ms: 900, left: 880, right: null },
  ],
}
const pitches = [440, 620, 880]
// The encoder starts each part with a little silence of its own, and the last bit of a part rings on.
const lead = 80
const ring = 40

describe('the mp3 of a scripted recording', () => {
  test('every part has the tones of its sides, and only those', async () => {
    const { left, right } = await decode(await mp3OfScriptedRecording(conversation))

    let start = 0
    for (const part of conversation.parts) {
      const stretch = [start + lead, start + part.ms] as const
      for (const [samples, hz] of [
        [between(left, ...stretch), part.left],
        [between(right, ...stretch), part.right],
      ] as const) {
        const others = pitches.filter((pitch) => pitch !== hz)
        if (hz === null) expect(decibels(loudest(samples))).toBeLessThan(-40)
        else expect(above(hz, others, samples)).toBeGreaterThan(20)
      }
      start += part.ms
    }
  })

  test('silence is silent', async () => {
    const { left, right } = await decode(await mp3OfScriptedRecording(conversation))

    expect(loudest(between(left, 1_500 + lead + ring, 2_700))).toBeLessThan(0.001)
    expect(loudest(between(right, lead, 2_700))).toBeLessThan(0.001)
  })

  test('the duration matches the scripted recording, for our parser and for the decoder', async () => {
    const mp3 = await mp3OfScriptedRecording(conversation)
    const wanted = conversation.parts.reduce((sum, { ms }) => sum + ms, 0)

    expect(Math.abs(durationOfMp3(mp3) - wanted)).toBeLessThanOrEqual(36)
    expect(Math.abs((await decode(mp3)).ms - wanted)).toBeLessThanOrEqual(72)
  })

  test('one channel has both sides together', async () => {
    const { left } = await decode(
      await mp3OfScriptedRecording({ channels: 1, parts: [{ ms: 7_000, left: 440, right: 620 }] }),
    )

    for (const hz of [440, 620]) expect(above(hz, [880, 520], left)).toBeGreaterThan(20)
  })

  test('many short parts add up to no error, and an hour is as true as a second', async () => {
    const short = Array.from({ length: 1_000 }, () => ({ ms: 50, left: 440, right: null }))
    const hour = { ms: 3_600_000, left: null, right: 620 }

    const mp3 = await mp3OfScriptedRecording({ channels: 2, parts: [...short, hour] })

    expect(Math.abs(durationOfMp3(mp3) - 3_650_000)).toBeLessThanOrEqual(36)
    expect(mp3.length).toBe((durationOfMp3(mp3) / 36) * bytesPerFrame(2))
  })

  test('what has no length is still a file that can be played', async () => {
    for (const parts of [[], [{ ms: 3, left: 440, right: null }]]) {
      const mp3 = await mp3OfScriptedRecording({ channels: 1, parts })

      expect([mp3.length, durationOfMp3(mp3)]).toEqual([bytesPerFrame(1), 36])
    }
  })
})

describe('encoding', () => {
  test('two encodings at the same time do not disturb each other', async () => {
    const seconds = (n: number) => n * sampleRate
    const [low, high] = await Promise.all([
      encodeMp3([tone(440, seconds(2), sampleRate)]),
      encodeMp3([tone(880, seconds(2), sampleRate), tone(620, seconds(2), sampleRate)]),
    ])

    expect(above(440, [620, 880], (await decode(low)).left)).toBeGreaterThan(20)
    expect(above(880, [440, 620], (await decode(high)).left)).toBeGreaterThan(20)
    expect(above(620, [440, 880], (await decode(high)).right)).toBeGreaterThan(20)
  })

  test('the duration of something else is not guessed', () => {
    for (const bytes of [Buffer.from('ID3 and more'), Buffer.from([0xff, 0xf3]), Buffer.from('fff34fc4', 'hex')]) {
      expect(() => durationOfMp3(bytes)).toThrow('no MPEG-2 layer III frame')
    }
  })
})

test('a scripted recording is parsed only if it is valid', () => {
  expect(parseScriptedRecording(JSON.stringify(conversation))).toEqual(conversation)
  const part = { ms: 1, left: 440, right: null }
  const wrong = [
    'null',
    '{}',
    '{"channels":3,"parts":[]}',
    '{"channels":1,"parts":{}}',
    ...[{ ms: -1 }, { ms: '1' }, { left: undefined }, { right: 9_000 }, { left: 0 }].map((change) =>
      JSON.stringify({ channels: 1, parts: [{ ...part, ...change }] }),
    ),
  ]
  for (const text of wrong) expect(() => parseScriptedRecording(text), text).toThrow('not a scripted recording')
  expect(() => parseScriptedRecording('{')).toThrow()
})
