import { describe, expect, test } from 'vitest'
import type { AudioCodec } from '../media/codecs.ts'
import { encode } from '../media/g711.ts'
import { G722Decoder, G722Encoder } from '../media/g722.ts'
import { strengthOf } from '../media/goertzel.ts'
import { hasOpus, opusEncoder } from '../media/opus.ts'
import type { MediaLeg } from './leg.ts'
import { Player } from './player.ts'
import { ReportExchange } from './report-exchange.ts'
import { join, newParticipant, newRoom, tick } from './rooms.ts'
import { writeRtpHeader } from './rtp.ts'
import { RtpStream } from './stream.ts'

const payloadTypes = { PCMU: 0, PCMA: 8, G722: 9, opus: 111 }

/** A leg of G.722 or G.711 that sends a tone; its packets are kept. */
function party(id: string, side: MediaLeg['side'], codec: AudioCodec, hz: number) {
  const sent: Buffer[] = []
  const spoken: Buffer[] = []
  const encoder = new G722Encoder()
  const stream = new RtpStream(
    (packet) => sent.push(Buffer.from(packet)),
    () => {},
  )
  const opus = codec === 'opus' ? opusEncoder(16_000) : undefined
  const ticksPerFrame = codec === 'opus' ? 960 : 160
  const format = { codec, payloadType: payloadTypes[codec], telephoneEvent: 101, isWideband: true, isLowDelay: true }
  stream.agree(format)
  const reports = new ReportExchange(stream, '')
  const leg = { id, side, stream, maySend: true, foreign: 0, invalid: 0, reports, report() {}, close() {} }
  const wave = (rate: number, from: number) => (_: unknown, i: number) =>
    8_000 * Math.sin((2 * Math.PI * hz * (from + i)) / rate)

  function payload(n: number): Buffer {
    if (opus) return Buffer.from(opus.encode(Int16Array.from({ length: 320 }, wave(16_000, n * 320))))
    if (codec !== 'G722') return encode('PCMU', Int16Array.from({ length: 160 }, wave(8_000, n * 160)))
    const codes = Buffer.alloc(160)
    encoder.encodeInto(Int16Array.from({ length: 320 }, wave(16_000, n * 320)), codes, 0)
    return codes
  }

  return {
    participant: newParticipant(leg),
    sent,
    spoken,
    stream,
    speak(n: number, isLost = false) {
      const packet = Buffer.concat([Buffer.alloc(12), payload(n)])
      writeRtpHeader(packet, payloadTypes[codec], false, n, n * ticksPerFrame, 1)
      spoken.push(packet.subarray(12))
      if (!isLost) stream.receive(packet, n * 20)
    },
    /** What a far end decodes of the packets from that one on. */
    heard(from: number): Int16Array {
      const decoder = new G722Decoder()
      const frames = sent.map((packet) => {
        const samples = new Int16Array(320)
        decoder.decode(packet.subarray(12), samples)
        return [...samples]
      })
      return Int16Array.from(frames.slice(from).flat())
    },
  }
}

type Party = ReturnType<typeof party>

function conversation(...parties: Party[]) {
  const room = newRoom('r')
  for (const { participant } of parties) join(participant, room, {})
  const participants = new Map(parties.map(({ participant }) => [participant.leg.id, participant]))
  let n = 0
  return {
    /** `loses`: the packet of the first party in every tick of which that is true. */
    run(ticks: number, loses: (tick: number) => boolean = () => false) {
      for (let i = 0; i < ticks; i++, n++) {
        for (const each of parties) each.speak(n, each === parties[0] && loses(i))
        tick(participants, new Map([[room.id, room]]), () => {})
      }
    },
  }
}

describe('two legs with G.722', () => {
  test.each(['internal', 'external'] as const)('receive each other’s bytes unchanged, if one is %s', (side) => {
    const [one, other] = [party('a', side, 'G722', 6_000), party('b', 'external', 'G722', 700)]
    conversation(one, other).run(20)

    // Two frames are buffered before the first one is played.
    const payloads = other.sent.slice(1).map((packet) => packet.subarray(12))
    expect(Buffer.concat(payloads).equals(Buffer.concat(one.spoken.slice(0, 19)))).toBe(true)
  })

  test('are encoded again while one is muted or hears a player, without losing wideband afterwards', () => {
    const [one, other] = [party('a', 'external', 'G722', 6_000), party('b', 'external', 'G722', 700)]
    const { run } = conversation(one, other)
    run(10)
    other.participant.player = new Player([encode('PCMU', new Int16Array(1_600).fill(0))], { ended() {} })
    run(10)
    const whilePlaying = other.heard(12).subarray(0, 8 * 320)
    run(20)

    expect(strengthOf(6_000, whilePlaying, 16_000)).toBeLessThan(200)
    expect(strengthOf(6_000, other.heard(24), 16_000)).toBeGreaterThan(7_000)

    one.participant.muted = true
    run(20)
    expect(strengthOf(6_000, other.heard(44), 16_000)).toBeLessThan(200)
  })
})

describe.skipIf(!hasOpus())('two legs with Opus', () => {
  const payloads = (packets: readonly Buffer[]) => packets.map((packet) => packet.subarray(12).toString('hex'))
  const isForwarded = ({ spoken }: Party, packet: Buffer) =>
    payloads(spoken.map((payload) => Buffer.concat([Buffer.alloc(12), payload]))).includes(payloads([packet])[0] ?? '')

  test('receive each other’s packets unchanged after half a second, and a loss as a loss', () => {
    const [one, other] = [party('a', 'internal', 'opus', 900), party('b', 'external', 'opus', 700)]
    const { run } = conversation(one, other)
    run(60)
    const before = other.sent.length
    run(20, (tick) => tick === 5)

    const forwarded = other.sent.slice(before)
    expect(isForwarded(one, other.sent[10] ?? Buffer.alloc(12))).toBe(false)
    expect(forwarded.every((packet) => isForwarded(one, packet))).toBe(true)
    expect(forwarded).toHaveLength(19)
    const steps = forwarded.map((packet, i) => packet.readUInt16BE(2) - (forwarded[i - 1] ?? packet).readUInt16BE(2))
    const times = forwarded.map((packet, i) => packet.readUInt32BE(4) - (forwarded[i - 1] ?? packet).readUInt32BE(4))
    expect(steps.filter((step) => step === 2)).toHaveLength(1)
    expect(times.filter((step) => step === 1_920)).toHaveLength(1)
  })

  test('are encoded again for a far end with a lower bit rate, which is kept', () => {
    const [one, other] = [party('a', 'internal', 'opus', 900), party('b', 'external', 'opus', 700)]
    const limited = {
      codec: 'opus',
      payloadType: 111,
      telephoneEvent: 101,
      isWideband: true,
      isLowDelay: true,
    } as const
    other.stream.agree({ ...limited, maxBitsPerSecond: 16_000 })
    conversation(one, other).run(110)

    const bytes = other.sent.slice(60).reduce((sum, packet) => sum + packet.length - 12, 0)
    expect(other.sent.some((packet) => isForwarded(one, packet))).toBe(false)
    expect(bytes * 8).toBeLessThan(17_000)
  })

  test('are encoded again, with redundancy, while the far end reports losses', () => {
    const [one, other] = [party('a', 'internal', 'opus', 900), party('b', 'external', 'opus', 700)]
    const { run } = conversation(one, other)
    run(60)
    other.stream.reportLoss(5)
    const before = other.sent.length
    run(10)

    expect(other.sent.slice(before).some((packet) => isForwarded(one, packet))).toBe(false)

    other.stream.reportLoss(0)
    run(10)
    expect(isForwarded(one, other.sent.at(-1) ?? Buffer.alloc(12))).toBe(true)
  })
})

describe('a room with three legs', () => {
  test('wideband legs hear wideband and narrowband, the narrowband leg hears both in its band', () => {
    const parties = [
      party('a', 'external', 'G722', 6_000),
      party('b', 'internal', 'G722', 700),
      party('c', 'internal', 'PCMU', 1_300),
    ] as const
    const [one, other, narrow] = parties
    conversation(...parties).run(40)

    const [ofOne, ofOther] = [one.heard(5), other.heard(5)]
    const levels = (samples: Int16Array) => [6_000, 700, 1_300].map((hz) => strengthOf(hz, samples, 16_000) > 6_000)
    expect(levels(ofOne)).toEqual([false, true, true])
    expect(levels(ofOther)).toEqual([true, false, true])
    const heard = narrow.participant.outbound
    expect(strengthOf(700, heard, 8_000)).toBeGreaterThan(6_000)
    expect(strengthOf(2_000, heard, 8_000)).toBeLessThan(200)
  })

  test('one wideband leg alone hears the narrowband ones, without a mirror image', () => {
    const parties = [party('a', 'external', 'G722', 700), party('b', 'internal', 'PCMU', 1_300)] as const
    conversation(...parties).run(40)

    const heard = parties[0].heard(5)
    expect(strengthOf(1_300, heard, 16_000)).toBeGreaterThan(7_000)
    expect(strengthOf(6_700, heard, 16_000)).toBeLessThan(200)
  })
})
