import { readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import type { VoiceEvent } from '../../src/domain/voice.ts'
import { prepareCallSounds } from '../../src/drivers/call-sounds.ts'
import { createEmbeddedDriver, type SipCalls, type SipEvent } from '../../src/drivers/embedded.ts'
import { createMediaProcess } from '../../src/drivers/media-process.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { keyTones } from '../../src/media/call-sounds.ts'
import { readSidecar, sidesOf } from '../../src/media/raw-recording.ts'
import { readSdp, writeOffer } from '../../src/media/sdp.ts'
import { freePort } from '../kit/postgres.ts'
import { rtpPeer } from '../kit/rtp-peer.ts'
import { loudest, ReceivedAudio, standsOut, toneGenerator } from '../kit/tones.ts'

// The driver with the real media process and a scripted SIP stack.

function scriptedSip() {
  const requests: string[] = []
  const answers = new Map<string, string>()
  const listeners: ((fact: SipEvent) => void)[] = []
  const sip: SipCalls = {
    start: async () => {},
    drain: async () => {},
    dial: async (call, _trunkId, { sdpOffer }) => void answers.set(call, sdpOffer),
    dialDevice: async (call, _target, { sdpOffer }) => void answers.set(call, sdpOffer),
    ringing: async (call) => void requests.push(`ringing ${call}`),
    answer: async (call, sdpAnswer) => void answers.set(call, sdpAnswer),
    end: async (call, why) => void requests.push(`end ${call} ${why}`),
    refuseTransfer: async () => {},
    endDialog: async () => {},
    setTrunks() {},
    setDevices() {},
    close: async () => {},
    prefersWideband: () => false,
    trunk: async () => ({
      isPrivate: true,
      behindNat: false,
      encrypted: false,
      families: [4],
      mediaAddress: '127.0.0.1',
      codecs: ['PCMU', 'PCMA', 'G722'],
    }),
    signallingAddress: () => '127.0.0.1',
    on: (listener) => void listeners.push(listener),
  }
  const emit = (fact: SipEvent) => {
    for (const listener of listeners) listener(fact)
  }
  return { sip, requests, answers, emit }
}

async function openDriver() {
  const folder = await mkdtemp(path.join(inject('runFolder'), 'embedded-'))
  const [first, browserPort] = [await freePort(), await freePort()]
  const [clock, log] = [systemClock(), createLog('silent')]
  const media = createMediaProcess({
    clock,
    log,
    options: {
      bindAddress: '127.0.0.1',
      publicAddress: null,
      trunkPorts: [first, first + 40],
      browserPort,
      recordingsFolder: folder,
      maxLegs: 4,
      lagAlarmMs: Number.MAX_SAFE_INTEGER,
      rtpTimeoutMs: 0,
    },
  })
  const scripted = scriptedSip()
  const driver = createEmbeddedDriver({
    clock,
    log,
    media,
    sip: scripted.sip,
    prepareSounds: () => prepareCallSounds(path.join(folder, 'sounds'), 'en'),
    soundOf: async () => undefined,
    maxLegs: 4,
    recordingsFolder: folder,
  })
  const events: VoiceEvent[] = []
  // Quality is reported periodically.
  driver.on((event) => void (event.kind === 'leg.quality' || events.push(event)))
  const kinds = () => events.map(({ kind }) => kind)
  await driver.start()
  onTestFinished(() => media.stop())
  return { ...scripted, media, driver, events, kinds }
}

test('a call is answered, plays a prompt, is held by the caller, and is lost with the media process', async () => {
  const { driver, media, events, kinds, requests, answers, emit } = await openDriver()
  const peer = await rtpPeer('caller')
  const sdpOffer = writeOffer({ address: '127.0.0.1', port: peer.port, sessionId: 1, version: 1 })

  emit({ kind: 'leg.incoming', leg: 'c1', trunkId: 't', from: '+14155550100', to: '+14155550101', sdpOffer })
  // The program is started at the first need.
  await expect.poll(kinds).toContain('leg.incoming')
  await driver.ringing('c1')
  await driver.answer('c1')
  const answer = readSdp(answers.get('c1') ?? '')
  if ('problem' in answer) throw new Error(answer.problem)
  peer.sendTone(answer.port)
  await expect.poll(kinds).toContain('leg.connected')
  await driver.play('c1', ['fr/position', '12'], { loop: true })
  await peer.received.until((samples) => loudest(samples) > 3_000)
  emit({
    kind: 'sdp.offer',
    leg: 'c1',
    sdpOffer: sdpOffer.replace('sendrecv', 'sendonly'),
    hold: true,
    direction: 'recvonly',
    reply: (sdp) => void answers.set('hold', sdp ?? ''),
  })
  await expect.poll(() => answers.get('hold')).toContain('a=recvonly')
  process.kill(media.pid ?? 0, 'SIGKILL')
  await expect.poll(kinds).toContain('leg.ended')

  expect(events.filter(({ kind }) => kind === 'leg.ended')).toMatchObject([{ leg: 'c1', reason: 'lost' }])
  expect(events.filter(({ kind }) => kind === 'leg.remoteHold')).toMatchObject([{ leg: 'c1', held: true }])
  expect(requests).toEqual(['ringing c1', 'end c1 hangup'])
  await expect(driver.play('c1', 'beep')).rejects.toMatchObject({ name: 'LegGone' })
  peer.close()
})

test('synthesized speech is streamed and recorded with the caller, and a tap receives audio of the caller', async () => {
  const { driver, events, kinds, answers, emit } = await openDriver()
  const peer = await rtpPeer('caller')
  onTestFinished(() => peer.close())
  const sdpOffer = writeOffer({ address: '127.0.0.1', port: peer.port, sessionId: 1, version: 1 })
  emit({ kind: 'leg.incoming', leg: 'c1', trunkId: 't', from: '+14155550100', to: '+14155550101', sdpOffer })
  await expect.poll(kinds).toContain('leg.incoming')
  await driver.answer('c1')
  const answer = readSdp(answers.get('c1') ?? '')
  if ('problem' in answer) throw new Error(answer.problem)
  peer.sendTone(answer.port)
  await expect.poll(kinds).toContain('leg.connected')
  const room = await driver.createRoom()
  await driver.join(room, 'c1')
  const { recId } = await driver.record({ room }, { channels: 2 })
  const received = new ReceivedAudio()
  const ends: string[] = []
  const tap = await driver.openTap?.('c1', {
    onSamples: (samples) => received.push(samples),
    onEnd: (why) => ends.push(why),
  })

  const playback = await driver.speak?.('c1', { speaker: 'a1' })
  const nextFrame = toneGenerator('agent')
  const second = Int16Array.from(Array.from({ length: 50 }, () => [...nextFrame()]).flat())
  expect(await playback?.write(second, 'Hello there.')).toBe(true)
  for (let i = 0; i < 20; i++) await playback?.write(second, i === 0 ? 'How can I help you?' : undefined)
  await peer.received.onlyTone('agent')
  await received.onlyTone('caller')
  // The first sentence takes a second; each stretch is half a second later.
  for (let i = 0; i < 3; i++) await peer.received.next()
  await driver.stopPlay('c1')
  await peer.received.silence()
  expect(await playback?.write(second)).toBe(false)
  await driver.closeTap?.(tap?.tapId ?? '')
  await driver.stopRecord(recId)
  await expect.poll(kinds).toContain('record.ended')

  const stopped = events.find((event) => event.kind === 'play.ended')
  expect(stopped).toMatchObject({ cause: 'stopped', said: expect.stringMatching(/^Hello there\./) })
  const ended = events.find((event) => event.kind === 'record.ended')
  const file = ended?.kind === 'record.ended' ? ended.file : ''
  const { lines = [] } = readSidecar(readFileSync(file.replace('.ulaw', '.json'), 'utf8'))
  expect(lines[0]).toMatchObject({ speaker: 'a1', text: 'Hello there.' })
  const [ours = new Int16Array(), theirs = new Int16Array()] = sidesOf(readFileSync(file), 2)
  const from = ((lines[0]?.startMs ?? 0) / 1_000 + 0.2) * 8_000
  expect(standsOut('agent', ours.subarray(from, from + 4_000))).toBeGreaterThan(20)
  expect(standsOut('caller', theirs.subarray(from, from + 4_000))).toBeGreaterThan(20)
  expect(ends).toEqual([])
})

test('an offer begins with the bandwidth of the parties that are on the call', async () => {
  const { driver, kinds, answers, emit } = await openDriver()
  const offers = { narrow: ['PCMU'], wide: ['G722'] } as const
  for (const [leg, codecs] of Object.entries(offers)) {
    const sdpOffer = writeOffer({ address: '127.0.0.1', port: 40_000, sessionId: 1, version: 1, codecs })
    emit({ kind: 'leg.incoming', leg, trunkId: 't', from: '+14155550100', to: '+14155550101', sdpOffer })
  }
  await expect.poll(() => kinds().filter((kind) => kind === 'leg.incoming')).toHaveLength(2)
  const offered = async (peers?: string[]) => {
    const options = { trunkIds: ['t'], to: '+14155550102', from: '+14155550101', timeoutMs: 60_000 }
    const leg = await driver.dial({ ...options, ...(peers && { peers }) })
    await driver.hangup(leg)
    return /m=audio \d+ RTP\/AVP (.*)\r/.exec(answers.get(leg) ?? '')?.[1]
  }

  expect(await offered()).toBe('0 8 9 101')
  expect(await offered(['narrow'])).toBe('0 8 9 101')
  expect(await offered(['wide'])).toBe('9 0 8 101')
  expect(await offered(['narrow', 'wide'])).toBe('9 0 8 101')
  for (const leg of Object.keys(offers)) await driver.hangup(leg)
})

test('in-band DTMF is detected where no telephone-events were offered, and counts once', async () => {
  const { driver, events, kinds, answers, emit } = await openDriver()
  const peer = await rtpPeer('caller')
  const offer = writeOffer({ address: '127.0.0.1', port: peer.port, sessionId: 1, version: 1 })
  const sdpOffer = offer.replace(' 101', '').replace(/a=(rtpmap|fmtp):101.*\r\n/g, '')
  const digits = () => events.flatMap((event) => (event.kind === 'leg.dtmf' ? [event.digit] : []))
  const pressed = (key: string) => {
    const [low, high] = keyTones[key] ?? [0, 0]
    const wave = (hz: number, i: number) => 5_000 * Math.sin((2 * Math.PI * hz * i) / 8_000)
    return Int16Array.from({ length: 1_600 }, (_, i) => (i < 800 ? wave(low, i) + wave(high, i) : 0))
  }

  emit({ kind: 'leg.incoming', leg: 'c1', trunkId: 't', from: '+14155550100', to: '+14155550101', sdpOffer })
  await expect.poll(kinds).toContain('leg.incoming')
  await driver.answer('c1')
  const answer = readSdp(answers.get('c1') ?? '')
  if ('problem' in answer) throw new Error(answer.problem)
  expect(answer.telephoneEvents[8000]).toBeNull()
  const { playId } = await driver.play('c1', ['fr/position', '12'], { loop: true, bargeInOn: '7' })
  await peer.speak(answer.port, new Int16Array(8_000))
  await peer.speak(answer.port, Int16Array.from([...pressed('4'), ...pressed('#'), ...pressed('7')]))
  await expect.poll(kinds).toContain('play.ended')
  // The same key by INFO, as some far ends send it as well.
  emit({ kind: 'leg.dtmf', leg: 'c1', digit: '7' })
  emit({ kind: 'leg.dtmf', leg: 'c1', digit: '7' })

  expect(digits()).toEqual(['4', '#', '7', '7'])
  expect(events.find(({ kind }) => kind === 'play.ended')).toMatchObject({ playId, cause: 'dtmf' })
  await driver.hangup('c1')
  peer.close()
})

test('at the limit of legs an emergency call is still placed', async () => {
  const { driver, kinds, requests, answers, emit } = await openDriver()
  const sdpOffer = writeOffer({ address: '127.0.0.1', port: 40_000, sessionId: 1, version: 1 })
  const invite = { trunkId: 't', from: '+14155550100', to: '+14155550101', sdpOffer }
  // Four legs are two calls: both must still be answerable.
  for (const leg of ['c1', 'c2']) {
    emit({ kind: 'leg.incoming', leg, ...invite })
    await expect.poll(() => kinds().length).toBe(leg === 'c1' ? 1 : 2)
  }
  emit({ kind: 'leg.incoming', leg: 'c3', ...invite })
  await expect.poll(() => requests).toEqual(['end c3 overloaded'])

  // A number for tests, and signalling that only writes down: what makes it urgent is decided elsewhere.
  const request = { trunkIds: ['t'], to: '+14155550112', from: '+14155550101', timeoutMs: 30_000 }
  const legs = [await driver.dial(request), await driver.dial(request)]
  await expect(driver.dial(request)).rejects.toMatchObject({ name: 'Busy' })
  expect(await driver.hasRoom()).toBe(false)
  const urgent = await driver.dial({ ...request, urgent: true })

  expect(answers.has(urgent)).toBe(true)
  for (const leg of [...legs, urgent, 'c1', 'c2']) await driver.hangup(leg)
  expect(await driver.hasRoom()).toBe(true)
})

test('a call cancelled at once is not reported, and early media does not count as connected', async () => {
  const { driver, events, kinds, answers, emit } = await openDriver()
  const peer = await rtpPeer('caller')
  const sdp = writeOffer({ address: '127.0.0.1', port: peer.port, sessionId: 1, version: 1 })
  emit({ kind: 'leg.incoming', leg: 'c1', trunkId: 't', from: '+14155550100', to: '+14155550101', sdpOffer: sdp })
  emit({ kind: 'leg.dialog', leg: 'c1', dialog: 'd' })
  emit({ kind: 'leg.ended', leg: 'c1', reason: 'cancelled', code: 487 })

  const leg = await driver.dial({ trunkIds: ['t'], to: '+14155550100', from: '+14155550101', timeoutMs: 30_000 })
  emit({ kind: 'leg.progress', leg, code: 183, sdpAnswer: sdp })
  const offer = readSdp(answers.get(leg) ?? '')
  if ('problem' in offer) throw new Error(offer.problem)
  peer.sendTone(offer.port)
  await peer.received.next()
  const before = kinds()
  emit({ kind: 'leg.answered', leg })
  await expect.poll(kinds).toContain('leg.connected')

  expect(before).toEqual(['leg.progress'])
  expect(events.map((event) => 'leg' in event && event.leg)).toEqual([leg, leg, leg])
  expect(kinds()).toEqual(['leg.progress', 'leg.answered', 'leg.connected'])
  expect(await driver.stats()).toMatchObject({ legs: 1 })
  await driver.hangup(leg)
  peer.close()
})

test('a driver that closes refuses a call it has not announced, and one that drains serves it', async () => {
  const [closing, draining] = [await openDriver(), await openDriver()]
  const incoming = { kind: 'leg.incoming', leg: 'c1', trunkId: 't', from: '+14155550100', to: '+14155550101' } as const
  const sdpOffer = writeOffer({ address: '127.0.0.1', port: await freePort(), sessionId: 1, version: 1 })

  closing.emit({ ...incoming, sdpOffer })
  await closing.driver.close()
  draining.emit({ ...incoming, sdpOffer })
  const drained = draining.driver.drain()
  await expect.poll(draining.kinds).toEqual(['leg.incoming'])
  await draining.driver.answer('c1')
  draining.emit({ kind: 'leg.ended', leg: 'c1', reason: 'hangup' })
  await drained

  expect(closing.requests).toEqual(['end c1 overloaded'])
  expect(closing.kinds()).toEqual([])
  expect(draining.kinds()).toEqual(['leg.incoming', 'leg.answered', 'leg.ended'])
  expect(draining.requests).toEqual([])
})
