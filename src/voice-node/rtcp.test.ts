import { describe, expect, test } from 'vitest'
import { readReports, writeReport } from './rtcp.ts'
import { SrtcpReceiver, SrtcpSender } from './srtp.ts'

const block = {
  ssrc: 0xfeed_beef,
  fractionLost: 255,
  lost: 70_000,
  highestSequence: 0x0001_ffff,
  jitter: 88,
  lastReport: 0xffff_0001,
  delay: 65_536,
}

describe('RTCP', () => {
  test('what is written is read again', () => {
    const report = writeReport(5, { at: 1_800_000_000_500, timestamp: 9, packets: 3, octets: 480 }, block, 'name')

    expect(report.length % 4).toBe(0)
    // 1,800,000,000 s after 1970 are 4,008,988,800 after 1900, of which the low half is kept; half a second is 0x8000.
    expect(readReports(report)).toEqual({
      sender: { ssrc: 5, ntp: (((4_008_988_800 & 0xffff) << 16) | 0x8000) >>> 0 },
      blocks: [block],
    })
    expect(readReports(writeReport(5, null, null, ''))).toEqual({ sender: null, blocks: [] })
  })

  test('what lies about its lengths, or begins with no report, is none', () => {
    const report = writeReport(5, null, block, 'name')
    const changed = (at: number, value: number) => {
      const copy = Buffer.from(report)
      copy[at] = value
      return copy
    }

    expect(readReports(Buffer.alloc(0))).toBeNull()
    for (const bytes of [
      report.subarray(0, 6),
      report.subarray(0, 30),
      changed(0, 0x9f),
      changed(3, 200),
      changed(1, 202),
    ]) {
      expect(readReports(bytes)).toBeNull()
    }
  })
})

describe('SRTCP', () => {
  const key = Buffer.from('e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6', 'hex')
  const plain = Buffer.from(`81c8000bcafebabe${'ab'.repeat(16)}`, 'hex')

  test('is the published test packet for this suite and these keys', () => {
    const wire = '81c8000bcafebabe7128035be487b9bdbef89041f977a5a880000001993e08cd54d6c1230798'

    expect(new SrtcpSender(key).protect(plain).toString('hex')).toBe(wire)
    expect(new SrtcpReceiver(key).unprotect(Buffer.from(wire, 'hex'))).toEqual(plain)
  })

  test('one that is not genuine, or comes again, is dropped', () => {
    const [sender, receiver] = [new SrtcpSender(key), new SrtcpReceiver(key)]
    const [first, second] = [sender.protect(plain), sender.protect(plain)]
    const forged = Buffer.from(first)
    forged[9] = (forged[9] ?? 0) ^ 1

    expect(receiver.unprotect(forged)).toBeUndefined()
    expect(receiver.unprotect(first)).toEqual(plain)
    expect(receiver.unprotect(first)).toBeUndefined()
    expect(receiver.unprotect(second)).toEqual(plain)
    expect(receiver.unprotect(Buffer.alloc(13))).toBeUndefined()
  })
})
