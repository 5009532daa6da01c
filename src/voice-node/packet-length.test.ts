import { expect, test } from 'vitest'
import { decode } from '../media/g711.ts'
import { emptyHeader, readRtp } from './rtp.ts'
import { RtpStream } from './stream.ts'

function sendingStream(ptimeMs: number, codec: 'PCMU' | 'PCMA' = 'PCMU') {
  const packets: { timestamp: number; marker: boolean; type: number; payload: Buffer }[] = []
  const stream = new RtpStream(
    (packet) => {
      const header = emptyHeader()
      expect(readRtp(packet, header)).toBe(true)
      const { timestamp, marker, payloadType: type, start, end } = header
      packets.push({ timestamp, marker, type, payload: Buffer.from(packet.subarray(start, end)) })
    },
    () => {},
  )
  stream.agree({ codec, payloadType: codec === 'PCMU' ? 0 : 8, telephoneEvent: 101, ptimeMs })
  return { stream, packets }
}

/** Frame n holds the value n · 100. */
const frameOf = (n: number) => new Int16Array(160).fill(n * 100)

test.each([10, 20, 30, 40, 60])('packets of %d ms follow each other without gap, and hold every frame', (ptimeMs) => {
  const { stream, packets } = sendingStream(ptimeMs)

  for (let n = 1; n <= 12; n++) stream.send(frameOf(n), true)

  expect(new Set(packets.map(({ payload }) => payload.length))).toEqual(new Set([8 * ptimeMs]))
  expect(packets).toHaveLength(240 / ptimeMs)
  const first = packets[0]?.timestamp ?? 0
  expect(packets.map(({ timestamp }) => (timestamp - first) >>> 0)).toEqual(
    packets.map((_, index) => index * 8 * ptimeMs),
  )
  expect(packets.map(({ marker }) => marker)).toEqual(packets.map((_, index) => index === 0))
  const all = decode('PCMU', Buffer.concat(packets.map(({ payload }) => payload)))
  for (let n = 1; n <= 12; n++) expect((all[n * 160 - 80] ?? 0) / (n * 100)).toBeCloseTo(1, 1)
})

test('before a digit the rest of the audio is sent in a shorter packet', () => {
  const { stream, packets } = sendingStream(60)
  stream.send(frameOf(1), true)
  stream.sendDigits('5')

  for (let n = 2; n <= 20; n++) stream.send(frameOf(n), true)

  const [audio, digit] = packets
  expect([audio?.payload.length, digit?.type]).toEqual([160, 101])
  expect(digit?.timestamp).toBe(((audio?.timestamp ?? 0) + 160) >>> 0)
})
