import { describe, expect, test } from 'vitest'
import { ReceptionStats } from './reception-stats.ts'
import { emptyHeader, isRtcp, readRtp, writeRtpHeader } from './rtp.ts'
import { SrtpReceiver, SrtpSender, sessionKeys } from './srtp.ts'

function packet(sequence: number, payload: string, ssrc = 7): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(12), Buffer.from(payload)])
  writeRtpHeader(bytes, 0, false, sequence, sequence * 160, ssrc)
  return bytes
}

describe('RTP', () => {
  test('what is written is read again', () => {
    const bytes = Buffer.alloc(172)
    writeRtpHeader(bytes, 101, true, 65_535, 4_294_967_295, 4_000_000_000)
    const header = emptyHeader()

    expect(readRtp(bytes, header)).toBe(true)
    expect(header).toEqual({
      payloadType: 101,
      marker: true,
      sequence: 65_535,
      timestamp: 4_294_967_295,
      ssrc: 4_000_000_000,
      start: 12,
      end: 172,
    })
  })

  test('contributors, extension and padding are no payload', () => {
    const head = packet(1, '')
    head[0] = 0x80 | 0x20 | 0x10 | 2
    const extension = Buffer.from([0xbe, 0xde, 0, 1, 9, 9, 9, 9])
    const bytes = Buffer.concat([head, Buffer.alloc(8), extension, Buffer.from('sound'), Buffer.from([0, 0, 3])])
    const header = emptyHeader()

    expect(readRtp(bytes, header)).toBe(true)
    expect(bytes.toString('utf8', header.start, header.end)).toBe('sound')
  })

  test('what lies about its lengths, another version and RTCP are none', () => {
    const header = emptyHeader()
    const lying = (first: number, ...rest: number[]) => Buffer.from([first, 0, ...Array(10).fill(0), ...rest])

    expect(readRtp(Buffer.alloc(11), header)).toBe(false)
    for (const bytes of [lying(0x8f), lying(0x90), lying(0x90, 0, 0, 0xff, 0xff), lying(0xa0, 200), lying(0x40)]) {
      expect(readRtp(bytes, header)).toBe(false)
    }
    expect([200, 201, 205, 192].map((type) => isRtcp(Buffer.from([0x80, type])))).toEqual([true, true, true, true])
    expect([0, 8, 0x80 | 126, 101].map((type) => isRtcp(Buffer.from([0x80, type])))).toEqual([
      false,
      false,
      false,
      false,
    ])
  })
})

test('loss and jitter are those of RFC 3550', () => {
  const reception = new ReceptionStats()
  // Even packets, one in ten lost, over the end of the sequence numbers.
  for (let i = 0; i < 100; i++) if (i % 10 !== 5) reception.note(1, (65_500 + i) & 0xffff, i * 160, i * 20)
  expect(reception.lossPct).toBeCloseTo(10, 5)
  expect(reception.jitterMs).toBeCloseTo(0, 5)

  for (let i = 100; i < 300; i++) reception.note(1, (65_500 + i) & 0xffff, i * 160, i * 20 + (i % 2) * 8)
  expect(reception.jitterMs).toBeGreaterThan(6)
  expect(reception.jitterMs).toBeLessThan(9)
})

describe('SRTP', () => {
  test('the keys are derived as in RFC 3711, appendix B.3', () => {
    const master = Buffer.from('E1F97A0D3E018BE0D64FA32C06DE41390EC675AD498AFEEBB6960B3AABE6', 'hex')
    const { cipher, salt, auth } = sessionKeys(master)

    expect([cipher, salt, auth].map((bytes) => bytes.toString('hex').toUpperCase())).toEqual([
      'C61E7A93744F39EE10734AFE3FF7A087',
      '30CBBC08863D8C85D49DB34A9AE1',
      'CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4',
    ])
  })

  test('what is protected is read once, also over the end of the sequence numbers', () => {
    const master = Buffer.alloc(30, 3)
    const [sender, receiver] = [new SrtpSender(master), new SrtpReceiver(master)]
    for (let i = 0; i < 200; i++) {
      const plain = packet((65_400 + i) & 0xffff, `frame ${i}`)
      const hidden = sender.protect(plain)

      expect(hidden.includes('frame')).toBe(false)
      expect(receiver.unprotect(hidden)?.equals(plain)).toBe(true)
      expect(receiver.unprotect(hidden)).toBeUndefined()
    }
  })

  test('one that was overtaken is read, one that was changed or has another key is not', () => {
    const master = Buffer.alloc(30, 3)
    const [sender, receiver] = [new SrtpSender(master), new SrtpReceiver(master)]
    const [first, second, third] = [1, 2, 3].map((sequence) => sender.protect(packet(sequence, 'x')))
    if (!first || !second || !third) throw new Error('nothing sent')
    const changed = Buffer.from(third)
    changed[13] = (changed[13] ?? 0) ^ 1

    expect(receiver.unprotect(second)).toBeDefined()
    expect(receiver.unprotect(first)).toBeDefined()
    expect(receiver.unprotect(changed)).toBeUndefined()
    expect(receiver.unprotect(Buffer.alloc(5))).toBeUndefined()
    expect(receiver.unprotect(third)).toBeDefined()
    expect(new SrtpReceiver(Buffer.alloc(30, 4)).unprotect(third)).toBeUndefined()
  })
})
