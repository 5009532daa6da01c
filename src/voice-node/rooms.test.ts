import { describe, expect, test } from 'vitest'
import { encode } from '../media/g711.ts'
import { DigitReader, DigitWriter } from './digits.ts'
import type { MediaLeg } from './leg.ts'
import { Player } from './player.ts'
import { ReportExchange } from './report-exchange.ts'
import { join, newParticipant, newRoom, type Participant, tick } from './rooms.ts'
import { writeRtpHeader } from './rtp.ts'
import { RtpStream } from './stream.ts'

const values: Record<string, number> = { caller: 1_000, agent: 4_000, chief: 8_000 }

/** Each participant sends one constant sample value; the mix is a sum. */
function party(
  id: keyof typeof values & string,
  side: MediaLeg['side'],
  digits: string[] = [],
): Participant & { sent: Buffer[] } {
  const sent: Buffer[] = []
  const stream = new RtpStream(
    (packet) => sent.push(Buffer.from(packet)),
    (digit) => digits.push(digit),
  )
  stream.agree({ codec: 'PCMU', payloadType: 0, telephoneEvent: 101 })
  return {
    ...newParticipant({
      id,
      side,
      stream,
      maySend: true,
      foreign: 0,
      invalid: 0,
      reports: new ReportExchange(stream, ''),
      report() {},
      close() {},
    }),
    sent,
  }
}

function speak(participants: readonly Participant[], from: number, count: number): void {
  for (let n = from; n < from + count; n++) {
    for (const { leg } of participants) {
      const packet = Buffer.concat([Buffer.alloc(12), encode('PCMU', new Int16Array(160).fill(values[leg.id] ?? 0))])
      writeRtpHeader(packet, 0, false, n, n * 160, 1)
      leg.stream.receive(packet, n * 20)
    }
  }
}

function meeting() {
  const [caller, agent, chief] = [party('caller', 'external'), party('agent', 'internal'), party('chief', 'internal')]
  const room = newRoom('r')
  const participants = new Map([caller, agent, chief].map((participant) => [participant.leg.id, participant]))
  for (const participant of [caller, agent]) join(participant, room, {})
  let n = 0
  const hears = () => {
    for (let i = 0; i < 3; i++, n++) {
      speak([...participants.values()], n === 0 ? 0 : n + 2, n === 0 ? 3 : 1)
      tick(participants, new Map([[room.id, room]]), () => {})
    }
    // µ-law is exact to a few percent.
    return [caller, agent, chief].map(({ outbound }) => Math.round((outbound[0] ?? 0) / 500) / 2)
  }
  return { caller, agent, chief, room, hears }
}

describe('a room', () => {
  test('each participant receives the others and not itself', () => {
    const { chief, room, hears } = meeting()
    expect(hears()).toEqual([4, 1, 0])

    join(chief, room, {})
    expect(hears()).toEqual([12, 9, 5])
  })

  test('muted, listening and whispering participants reach only the intended participants', () => {
    const { caller, agent, chief, room, hears } = meeting()
    join(chief, room, { listenOnly: true })
    expect(hears()).toEqual([4, 1, 5])

    join(chief, room, { whisperTo: [agent.leg.id] })
    expect(hears()).toEqual([4, 9, 5])

    caller.muted = true
    expect(hears()).toEqual([4, 8, 4])
    expect(room.participants.size).toBe(3)
  })

  test('a player replaces the room for one leg, reports its end, and reaches no other leg', () => {
    const { caller, hears } = meeting()
    const ends: string[] = []
    const sound = encode('PCMU', new Int16Array(400).fill(16_000))
    caller.player = new Player([sound], { ended: (cause) => ends.push(cause) })

    expect(hears()).toEqual([16, 1, 0])
    expect(ends).toEqual([])
    expect(hears()).toEqual([4, 1, 0])
    expect(ends).toEqual(['done'])
  })

  test('a sum that is too loud is cut, not turned over', () => {
    const { caller, agent, room } = meeting()
    agent.inbound.fill(30_000)
    const loud = party('chief', 'internal')
    join(loud, room, {})
    for (const participant of [agent, loud]) participant.leg.stream.take = (into) => void into.fill(30_000)
    tick(
      new Map([caller, agent, loud].map((participant) => [participant.leg.id, participant])),
      new Map([['r', room]]),
      () => {},
    )

    expect(caller.outbound[0]).toBe(32_767)
  })
})

test('a player of several sounds leaves no gap, and one that loops never ends, unless it has no length', () => {
  const part = (value: number, length: number) => encode('PCMU', new Int16Array(length).fill(value))
  const frame = new Int16Array(160)
  const player = new Player([part(16_000, 100), part(-16_000, 60)], { loop: true, ended() {} })

  for (let i = 0; i < 10; i++)
    expect([player.next(frame), (frame[0] ?? 0) > 0, (frame[100] ?? 0) < 0]).toEqual([true, true, true])
  expect(new Player([Buffer.alloc(0)], { loop: true, ended() {} }).next(frame)).toBe(false)
})

describe('digits', () => {
  const event = (code: number, isEnd: boolean) => Buffer.from([code, isEnd ? 0x80 : 0, 0, 160])
  function reader() {
    const reported: string[] = []
    const digits = new DigitReader((digit) => reported.push(digit))
    return {
      reported,
      digits,
      read: (at: number, code: number, end = false) => digits.read(at, event(code, end), 0, 4),
    }
  }

  test('a digit is reported once, however many end packets arrive', () => {
    const { reported, read } = reader()
    for (const end of [false, false, true, true, true]) read(160, 5, end)
    for (const end of [false, true]) read(1_600, 5, end)

    expect(reported).toEqual(['5', '5'])
  })

  test('a digit without an end packet is reported at the next digit or after a timeout', () => {
    const { reported, digits, read } = reader()
    read(160, 1)
    read(1_600, 11)
    expect(reported).toEqual(['1'])
    read(160, 1, true)
    for (let i = 0; i < 20; i++) digits.tick()
    digits.read(5_000, Buffer.from([99, 0x80, 0, 0]), 0, 4)
    digits.read(6_000, Buffer.from([1]), 0, 1)

    expect(reported).toEqual(['1', '#'])
  })

  test('what we send can be read, with the sound going on between two', () => {
    const { reported, digits } = reader()
    const writer = new DigitWriter()
    writer.send('1,x9')
    let [at, pauses] = [0, 0]
    for (let step = writer.next(); step; step = writer.next()) {
      if (step === 'pause') pauses++
      const { code, isFirst, isEnd } = writer.event
      if (isFirst) at += 1_000
      if (step === 'event') digits.read(at, event(code, isEnd), 0, 4)
    }

    expect([reported, pauses]).toEqual([['1', '9'], 33])
  })

  test('a far end without events is sent the tones of the key', () => {
    const participant = party('caller', 'external')
    participant.leg.stream.agree({ codec: 'PCMU', payloadType: 0, telephoneEvent: null })
    participant.leg.stream.sendDigits('5')
    for (let i = 0; i < 8; i++) participant.leg.stream.send(new Int16Array(160), true)

    expect(participant.sent.every((packet) => packet.length === 172)).toBe(true)
    expect(participant.sent[2]?.subarray(12).some((code) => code !== 0xff && code !== 0x7f)).toBe(true)
  })
})

test('numbers run on while nothing may be sent, and the first packet after a gap is marked', () => {
  const { leg, sent } = party('caller', 'external')
  for (const maySend of [true, true, false, false, true, true]) leg.stream.send(new Int16Array(160), maySend)
  const [first, second, third, fourth] = sent

  expect(sent.map((packet) => (packet[1] ?? 0) >> 7)).toEqual([1, 0, 1, 0])
  expect((third?.readUInt32BE(4) ?? 0) - (second?.readUInt32BE(4) ?? 0)).toBe(480)
  expect((fourth?.readUInt16BE(2) ?? 0) - (first?.readUInt16BE(2) ?? 0)).toBe(3)
})
