import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import type { FarEnd } from './protocol.ts'
import { compactNtp, readReports, writeReport } from './rtcp.ts'
import { writeRtpHeader } from './rtp.ts'
import { type PortPair, RtpTrunkLeg, TrunkPorts } from './trunk-leg.ts'

// Real sockets on loopback: 127.0.0.1 is ours, the other addresses are the far end and strangers.

const carrier = '127.0.0.2'
const proxy = '127.0.0.3'
const stranger = '127.0.0.4'

const offered: FarEnd = {
  address: carrier,
  port: 40_000,
  codec: 'PCMU',
  payloadType: 0,
  telephoneEvent: 101,
  direction: 'sendrecv',
  isPrivate: true,
}

async function openLeg(far: Partial<FarEnd>) {
  const sockets = await new TrunkPorts([30_000, 60_000], '127.0.0.1').open()
  const foreign: string[] = []
  let now = 0
  let connected = 0
  const times = { steadyNow: () => now, machineNow: () => 1_800_000_000_000 + now }
  const leg = new RtpTrunkLeg('leg', sockets, times, {
    connected: () => connected++,
    digit() {},
    foreign: (address) => foreign.push(address),
  })
  onTestFinished(() => leg.close())
  leg.connect({ ...offered, ...far })
  return {
    leg,
    foreign,
    connected: () => connected,
    pass(ms: number) {
      now += ms
    },
    /** Resolves when our socket has read it. */
    async sends(from: Socket, packet = rtp()) {
      const read = once(sockets.rtp, 'message')
      from.send(packet, leg.port, '127.0.0.1')
      await read
    },
    async reports(from: Socket, report: Buffer) {
      const read = once(sockets.rtcp, 'message')
      from.send(report, leg.port + 1, '127.0.0.1')
      await read
    },
    /** Sends one packet to the far end. */
    speaks() {
      expect(leg.maySend).toBe(true)
      leg.stream.send(new Int16Array(160), true)
    },
  }
}

async function peerAt(address: string): Promise<Socket & { received: number }> {
  const socket = Object.assign(createSocket('udp4'), { received: 0 })
  socket.on('message', () => socket.received++)
  await new Promise<void>((resolve) => socket.bind(0, address, resolve))
  onTestFinished(() => void socket.close())
  return socket
}

let sequence = 0

function rtp(payloadType = 0): Buffer {
  const packet = Buffer.alloc(172)
  sequence++
  writeRtpHeader(packet, payloadType, false, sequence, sequence * 160, 7)
  return packet
}

const received = (socket: Socket) => once(socket, 'message')

test('behind NAT, a stranger who sends first is not latched: the far end is, at any port of its signalling address', async () => {
  const { leg, foreign, connected, sends, speaks } = await openLeg({ address: carrier, signallingAddress: proxy })
  const [attacker, farEnd] = [await peerAt(stranger), await peerAt(proxy)]

  for (let i = 0; i < 20; i++) await sends(attacker)
  expect([leg.foreign, connected(), new Set(foreign)]).toEqual([20, 0, new Set([stranger])])
  await sends(farEnd)
  const arrived = received(farEnd)
  for (let i = 0; i < 20; i++) {
    await sends(attacker)
    speaks()
  }
  await arrived

  expect([connected(), leg.foreign, attacker.received]).toEqual([1, 40, 0])
})

test('without an address in the SDP that can be used, only the signalling address is latched', async () => {
  const { connected, sends, leg } = await openLeg({ address: '10.1.2.3', isPrivate: false, signallingAddress: proxy })
  const [attacker, named] = [await peerAt(stranger), await peerAt(carrier)]

  await sends(attacker)
  await sends(named)
  expect([connected(), leg.maySend]).toEqual([0, false])
  await sends(await peerAt(proxy))

  expect([connected(), leg.maySend]).toEqual([1, true])
})

test('not behind NAT, the address that signals is no source of sound', async () => {
  const { connected, sends, leg } = await openLeg({})

  await sends(await peerAt(proxy))
  expect([connected(), leg.foreign]).toEqual([0, 1])
  await sends(await peerAt(carrier))

  expect(connected()).toBe(1)
})

test('a latched leg moves to another port of the far end after silence, and to a stranger never', async () => {
  const { leg, sends, speaks, pass } = await openLeg({})
  const [farEnd, remapped, attacker] = [await peerAt(carrier), await peerAt(carrier), await peerAt(stranger)]
  await sends(farEnd)

  pass(100)
  await sends(remapped)
  expect(leg.foreign).toBe(1)
  const before = received(farEnd)
  speaks()
  await before

  pass(1_000)
  await sends(attacker)
  await sends(remapped)
  const after = received(remapped)
  speaks()
  await after

  expect([leg.foreign, attacker.received]).toEqual([2, 0])
})

test('packets that are no RTP of a negotiated payload type are dropped and do not latch', async () => {
  const { leg, connected, sends } = await openLeg({})
  const farEnd = await peerAt(carrier)

  for (const packet of [rtp(8), rtp(13), rtp(96), Buffer.from('not RTP'), Buffer.alloc(172)])
    await sends(farEnd, packet)
  expect([leg.invalid, connected()]).toEqual([5, 0])
  await sends(farEnd, rtp(101))

  expect(connected()).toBe(1)
})

test('after an offer of ours the far end may send each codec that we offered', async () => {
  const { leg, connected, sends } = await openLeg({
    alsoReceives: [
      { codec: 'PCMU', payloadType: 0 },
      { codec: 'PCMA', payloadType: 8 },
    ],
  })

  await sends(await peerAt(carrier), rtp(8))

  expect([connected(), leg.invalid]).toEqual([1, 0])
})

test('ports are allocated at random in pairs, and each of the range is found', async () => {
  const few = new TrunkPorts([28_000, 28_019], '127.0.0.1')
  const pairs = await Promise.all(Array.from({ length: 10 }, () => few.open()))
  onTestFinished(() => pairs.forEach(close))
  const order = pairs.map(({ rtp: socket }) => socket.address().port)

  expect([...order].sort()).toEqual(Array.from({ length: 10 }, (_, i) => 28_000 + 2 * i))
  expect(pairs.map(({ rtcp }) => rtcp.address().port)).toEqual(order.map((port) => port + 1))
  await expect(few.open()).rejects.toThrow('every RTP port is in use')
  const many = new TrunkPorts([30_000, 59_999], '127.0.0.1')
  const opened = [await many.open(), await many.open(), await many.open(), await many.open()]
  onTestFinished(() => opened.forEach(close))
  const ports = opened.map(({ rtp: socket }) => socket.address().port)
  expect(ports.slice(1).every((port, i) => Math.abs(port - (ports[i] ?? 0)) <= 4)).toBe(false)
})

test('the port of an ended call is not the port of the next ones, while others are free', async () => {
  const ports = new TrunkPorts([28_100, 28_139], '127.0.0.1')
  const order: number[] = []
  for (let i = 0; i < 60; i++) {
    const pair = await ports.open()
    order.push(pair.rtp.address().port)
    await Promise.all([pair.rtp, pair.rtcp].map((socket) => new Promise<void>((done) => socket.close(() => done()))))
  }

  expect(order.every((port, i) => !order.slice(Math.max(0, i - 10), i).includes(port))).toBe(true)
})

const close = ({ rtp: socket, rtcp }: PortPair) => {
  socket.close()
  rtcp.close()
}

test('reports go both ways: how its sound arrives here, and ours there', async () => {
  const { leg, sends, reports, speaks, pass } = await openLeg({})
  const [farEnd, control] = [await peerAt(carrier), await peerAt(carrier)]
  await sends(farEnd)
  sequence += 3
  await sends(farEnd)
  speaks()
  const about = { ssrc: leg.stream.ssrc, fractionLost: 64, lost: 9, highestSequence: 5, jitter: 160 }
  const theirs = { at: 1_800_000_000_000, timestamp: 1, packets: 5, octets: 800 }
  await reports(control, writeReport(7, theirs, { ...about, lastReport: 0, delay: 0 }, 'far'))
  expect(leg.reports.far(1_800_000_000_000)).toEqual({ lossPct: 25, jitterMs: 20, roundTripMs: null })

  leg.report()
  pass(10_000)
  const [got] = await Promise.all([received(control), leg.report()])
  const ours = readReports(got[0])

  expect(ours?.blocks).toMatchObject([{ ssrc: 7, lost: 3, fractionLost: 153, delay: 10 * 65_536 }])
  expect(ours?.blocks[0]?.lastReport).toBe(compactNtp(theirs.at))
  pass(150)
  const answer = { ...about, lastReport: ours?.sender?.ntp ?? 0, delay: 65_536 / 20 }
  await reports(control, writeReport(7, theirs, { ...answer }, 'far'))
  expect(leg.reports.far(1_800_000_010_150)?.roundTripMs).toBeCloseTo(100, 0)
  // One that reports no more is not known to receive anything.
  expect(leg.reports.far(1_800_000_040_000)).toBeNull()
})

test.each([
  ['on the RTP port, if the far end offered that', { rtcpMux: true }, 'rtp'],
  ['on the port that the SDP names', {}, 'control'],
] as const)('reports are sent %s', async (_, far, at) => {
  const [farEnd, control] = [await peerAt(carrier), await peerAt(carrier)]
  const { leg, sends, pass } = await openLeg({
    port: farEnd.address().port,
    rtcpPort: control.address().port,
    ...far,
  })
  await sends(farEnd)

  leg.report()
  pass(10_000)
  const [got] = await Promise.all([received(at === 'rtp' ? farEnd : control), leg.report()])

  expect(readReports(got[0])?.blocks).toMatchObject([{ ssrc: 7 }])
  expect(got[1].port).toBe(at === 'rtp' ? leg.port : leg.port + 1)
})

test('a report of a stranger is dropped, and none goes to a stranger', async () => {
  const { leg, foreign, sends, reports, pass } = await openLeg({})
  const attacker = await peerAt(stranger)
  await sends(await peerAt(carrier))

  await reports(attacker, writeReport(7, null, null, 'stranger'))
  leg.report()
  pass(10_000)
  leg.report()

  expect([foreign, attacker.received]).toEqual([[stranger], 0])
})

test('silence counts from the answer, not on hold, and RTP, RTCP and comfort noise are signs of life', async () => {
  const { leg, sends, reports, pass } = await openLeg({})
  const farEnd = await peerAt(carrier)
  const silent = (isOnHold = false) => leg.silentMs(isOnHold)
  pass(60_000)
  expect(silent()).toBe(0)

  leg.watch()
  pass(20_000)
  expect(silent()).toBe(20_000)
  await sends(farEnd)
  pass(20_000)
  expect(silent()).toBe(20_000)
  await sends(farEnd, rtp(13))
  pass(10_000)
  expect(silent()).toBe(10_000)
  await reports(farEnd, writeReport(7, null, null, 'far'))
  pass(5_000)
  expect(silent()).toBe(5_000)
  pass(60_000)
  expect(silent(true)).toBe(0)
  pass(3_000)
  expect(silent()).toBe(3_000)
  leg.connect({ ...offered, direction: 'recvonly' })
  pass(60_000)
  expect(silent()).toBe(0)
})
