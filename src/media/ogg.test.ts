import { describe, expect, test } from 'vitest'
import { oggPage, opusFile, opusHead, sealed, vorbisTone } from '../../test/kit/ogg.ts'
import { decode } from './g711.ts'
import { strengthOf } from './goertzel.ts'
import { checksum, readOgg } from './ogg.ts'
import { toUlaw8k } from './to-ulaw.ts'

const decibels = (ratio: number) => 20 * Math.log10(ratio)

async function decoded(bytes: Buffer): Promise<Int16Array> {
  const sound = await toUlaw8k(bytes)
  if ('problem' in sound) throw new Error(sound.problem)
  return decode('PCMU', sound.ulaw)
}

const clarity = (hz: number, samples: Int16Array) =>
  Math.min(
    ...[350, 620, 880, 1_000]
      .filter((other) => other !== hz)
      .map((other) => decibels(strengthOf(hz, samples, 8_000) / strengthOf(other, samples, 8_000))),
  )

const pagesOf = (file: Buffer): Buffer[] => {
  const starts: number[] = []
  for (let at = file.indexOf('OggS'); at >= 0; at = file.indexOf('OggS', at + 1)) starts.push(at)
  return starts.map((start, i) => file.subarray(start, starts[i + 1] ?? file.length))
}

describe('Ogg files', () => {
  test('Vorbis and Opus, of one channel or two, become µ-law of the same length and tone', async () => {
    const [vorbis, opus, stereo] = [
      await decoded(vorbisTone()),
      await decoded(opusFile(440, 1_000)),
      await decoded(opusFile(440, 1_000, 2)),
    ]

    expect([vorbis.length, opus.length, stereo.length]).toEqual([8_000, 8_000, 8_000])
    for (const samples of [vorbis, opus, stereo]) expect(clarity(440, samples)).toBeGreaterThan(25)
  })

  test('a checksum is the one other programs write', () => {
    for (const page of pagesOf(vorbisTone())) expect(checksum(page, 0, page.length)).toBe(page.readUInt32LE(22))
  })

  test('packets that reach over pages are put together, and another stream between them is left out', () => {
    const long = Buffer.alloc(600, 1)
    const page = (packet: Buffer, sequence: number, flags: number, more: object = {}) =>
      oggPage({ packets: [packet], position: 0, sequence, flags, ...more })
    // A table that ends with 255 goes on in the next page.
    const first = page(long.subarray(0, 510), 0, 2)
    const started = sealed(Buffer.concat([first.subarray(0, 26), Buffer.from([2, 255, 255]), first.subarray(30)]))
    const stranger = page(Buffer.from('other'), 0, 2, { serial: 78 })

    const stream = readOgg(Buffer.concat([started, stranger, page(long.subarray(510), 1, 1)]))

    expect(stream).toEqual({ packets: [long], end: 0 })
  })

  test('a damaged page is a short gap; a file that was cut off plays as far as it goes', async () => {
    const file = opusFile(620, 2_000)
    const pages = pagesOf(file)
    const spoilt = Buffer.from(file)
    const at = pages.slice(0, 5).reduce((sum, { length }) => sum + length, 60)
    spoilt.writeUInt8(spoilt.readUInt8(at) ^ 0x55, at)

    const gap = await decoded(spoilt)
    const short = await decoded(file.subarray(0, Math.floor(file.length / 2)))

    // A page has 200 ms; where the sound ends is given only by a page with the right position.
    expect(gap.length).toBeGreaterThanOrEqual(16_000 - 1_600)
    expect(gap.length).toBeLessThan(16_000 - 1_400)
    expect(short.length).toBeGreaterThan(4_800)
    expect(short.length).toBeLessThan(9_600)
    for (const samples of [gap, short]) expect(clarity(620, samples)).toBeGreaterThan(20)
  })

  test('what is broken, empty or something else is said, and never thrown', async () => {
    const one = (packet: Buffer) => oggPage({ packets: [packet], position: 0, sequence: 0, flags: 6 })
    const vorbis = Buffer.concat(pagesOf(vorbisTone()).slice(0, 1))
    const hours = oggPage({
      packets: Array<Buffer>(255).fill(Buffer.from([0x19])),
      position: 9_000_000_000,
      sequence: 2,
    })
    const bomb = [opusHead(), Buffer.from('OpusTags')].map((packet, sequence) =>
      oggPage({ packets: [packet], position: 0, sequence, flags: sequence === 0 ? 2 : 0 }),
    )
    const many = Array.from({ length: 400 }, (_, i) => {
      const page = Buffer.from(hours)
      page.writeUInt32LE(i + 2, 18)
      return sealed(page)
    })
    const cases: [Buffer, string][] = [
      [Buffer.from('OggS0000'), 'no audio'],
      [Buffer.from('OggS'.repeat(50_000)), 'damaged'],
      [Buffer.concat([Buffer.from('OggS'), Buffer.alloc(200_000)]), 'damaged'],
      [oggPage({ packets: [], position: 0, sequence: 0, flags: 6 }), 'no audio'],
      [one(Buffer.from('Speex   1.2')), 'neither Opus nor Vorbis'],
      [one(opusHead()), 'no audio'],
      [one(opusHead({ channels: 6, family: 1 })), '6 channels'],
      [one(Buffer.from('OpusHead')), 'no valid header'],
      [vorbis, 'no valid header'],
      [one(Buffer.from('\u0001vorbis')), 'no valid header'],
      [Buffer.concat([...bomb, ...many]), 'longer than 600'],
    ]
    for (const [bytes, words] of cases)
      expect(await toUlaw8k(bytes), words).toMatchObject({ problem: expect.stringContaining(words) })
  })

  test('random bytes in pages that are sealed again do no harm', async () => {
    for (const file of [opusFile(440, 200), vorbisTone()]) {
      const pages = pagesOf(file)
      for (let seed = 1; seed < 80; seed++) {
        const broken = pages.map((page) => Buffer.from(page))
        for (let i = 0; i < 4; i++) {
          const page = broken[(seed * 31 + i) % broken.length] ?? Buffer.alloc(30)
          page[27 + ((seed * 7_919 + i * 104_729) % (page.length - 27))] = (seed * 31 + i * 17) & 0xff
          if (i < 3) sealed(page)
        }
        const result = await toUlaw8k(Buffer.concat(broken))
        if ('problem' in result) expect(result.problem).not.toBe('')
        else expect(result.seconds).toBeLessThan(600)
      }
    }
  })
})
