import { readFileSync } from 'node:fs'
import { Encoder } from '@evan/opus'
import { checksum } from '../../src/media/ogg.ts'
import { tones } from '../../src/media/pcm.ts'

// Ogg files as uploaded by customers.

/** One second of 440 Hz at 22,050 Hz: `sox -n -r 22050 -c 1 -C 0 vorbis-tone.ogg synth 1 sine 440 gain -12`. */
export const vorbisTone = (): Buffer => readFileSync(new URL('vorbis-tone.ogg', import.meta.url))

interface PageParts {
  packets: readonly Buffer[]
  position: number
  sequence: number
  flags?: number
  serial?: number
}

/** A page of complete packets. */
export function oggPage({ packets, position, sequence, flags = 0, serial = 77 }: PageParts): Buffer {
  const table = Buffer.from(
    packets.flatMap(({ length }) => [...Array<number>(Math.floor(length / 255)).fill(255), length % 255]),
  )
  const head = Buffer.alloc(27)
  head.write('OggS')
  head.writeUInt8(flags, 5)
  head.writeBigInt64LE(BigInt(position), 6)
  head.writeUInt32LE(serial, 14)
  head.writeUInt32LE(sequence, 18)
  head.writeUInt8(table.length, 26)
  return sealed(Buffer.concat([head, table, ...packets]))
}

/** With its checksum. */
export function sealed(page: Buffer): Buffer {
  page.writeUInt32LE(checksum(page, 0, page.length), 22)
  return page
}

const preSkip = 312

export function opusHead({ channels = 1, family = 0 } = {}): Buffer {
  const head = Buffer.alloc(19)
  head.write('OpusHead')
  head.set([1, channels], 8)
  head.writeUInt16LE(preSkip, 10)
  head.writeUInt32LE(48_000, 12)
  head.writeUInt8(family, 18)
  return head
}

/** A tone in Opus, 48 kHz, packets of 20 ms, ten per page. */
export function opusFile(frequency: number, ms: number, channels: 1 | 2 = 1): Buffer {
  const rate = 48_000
  const encoder = new Encoder({ channels, sample_rate: rate, application: 'audio' })
  const mono = tones([{ frequency, ms: ms + 20 }], rate)
  const samples = channels === 1 ? mono : Int16Array.from({ length: mono.length * 2 }, (_, i) => mono[i >> 1] ?? 0)
  const packets: Buffer[] = []
  const perPacket = 960 * channels
  for (let at = 0; at + perPacket <= samples.length; at += perPacket) {
    packets.push(Buffer.from(encoder.encode(samples.slice(at, at + perPacket))))
  }
  const comments = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)])
  const pages = [
    oggPage({ packets: [opusHead({ channels })], position: 0, sequence: 0, flags: 2 }),
    oggPage({ packets: [comments], position: 0, sequence: 1 }),
  ]
  for (let at = 0; at < packets.length; at += 10) {
    const some = packets.slice(at, at + 10)
    const isLast = at + 10 >= packets.length
    const position = isLast ? preSkip + ms * 48 : (at + some.length) * 960
    pages.push(oggPage({ packets: some, position, sequence: pages.length, flags: isLast ? 4 : 0 }))
  }
  return Buffer.concat(pages)
}
