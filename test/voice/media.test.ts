import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { cleanup } from 'node-datachannel'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { createMediaProcess, type MediaEvent, type MediaProcess } from '../../src/drivers/media-process.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { encode } from '../../src/media/g711.ts'
import { readSidecar, sidesOf } from '../../src/media/raw-recording.ts'
import type { FarEnd } from '../../src/voice-node/protocol.ts'
import { type BrowserPeer, browserPeer } from '../kit/browser-peer.ts'
import { freePort } from '../kit/postgres.ts'
import { payloadTypes, type RtpPeer, rtpPeer } from '../kit/rtp-peer.ts'
import { decibelsAbove, hasTreble, loudest, quietest, standsOut, toneGenerator, type Voice } from '../kit/tones.ts'

// The real process, real packets, real time: each participant sends its own tone, and a filter shows who receives it.

const folder = path.join(inject('runFolder'), 'voice')
const recordings = path.join(folder, 'recordings')
const open: { close(): unknown }[] = []
const legs = new Set<string>()
const facts: MediaEvent[] = []
let waiting: { isIt: (fact: MediaEvent) => boolean; resolve: (fact: MediaEvent) => void }[] = []
let media: MediaProcess
let last = 0
const id = (kind: string) => `${kind}-${++last}`
const newLeg = () => {
  const leg = id('leg')
  legs.add(leg)
  return leg
}

type Kind = MediaEvent['kind']
type MediaEventOf<K extends Kind> = Extract<MediaEvent, { kind: K }>

/** An event that has been emitted or will be. */
function nextEvent<K extends Kind>(
  kind: K,
  matches: (fact: MediaEventOf<K>) => boolean = () => true,
): Promise<MediaEventOf<K>> {
  const isIt = (fact: MediaEvent): fact is MediaEventOf<K> => fact.kind === kind && matches(fact as MediaEventOf<K>)
  const known = facts.find(isIt)
  if (known) return Promise.resolve(known)
  return new Promise((resolve) => waiting.push({ isIt, resolve: (fact) => resolve(fact as MediaEventOf<K>) }))
}

async function startMedia(browserTransport: 'native' | 'pure'): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const [first, browserPort] = [await freePort(), await freePort()]
  media = createMediaProcess({
    clock: systemClock(),
    log: createLog('silent'),
    options: {
      bindAddress: '127.0.0.1',
      publicAddress: null,
      trunkPorts: [first, first + 200],
      browserPort,
      recordingsFolder: recordings,
      maxLegs: 20,
      lagAlarmMs: Number.MAX_SAFE_INTEGER,
      rtpTimeoutMs: 0,
      browserTransport,
    },
  })
  media.on((fact) => {
    facts.push(fact)
    waiting = waiting.filter(({ isIt, resolve }) => {
      if (!isIt(fact)) return true
      resolve(fact)
      return false
    })
  })
  await media.start()
}

afterEach(async () => {
  for (const leg of legs) await media.request('close', { leg })
  legs.clear()
  for (const one of open.splice(0)) await one.close()
})

afterAll(() => cleanup())

interface Caller extends RtpPeer {
  leg: string
  trunkPort: number
}

const farEnd = (port: number): FarEnd => ({
  address: '127.0.0.1',
  port,
  codec: 'PCMU',
  payloadType: 0,
  telephoneEvent: 101,
  direction: 'sendrecv',
  isPrivate: true,
})

async function caller(
  voice: Voice,
  ways: Parameters<typeof rtpPeer>[1] = {},
  more: Partial<FarEnd> = {},
): Promise<Caller> {
  const leg = newLeg()
  const peer = await rtpPeer(voice, ways)
  open.push(peer)
  const { port } = await media.request('openTrunk', { leg })
  const codec = ways.codec ?? 'PCMU'
  const keys = ways.keys && { ours: ways.keys.receive.toString('base64'), theirs: ways.keys.send.toString('base64') }
  const format = { codec, payloadType: payloadTypes[codec] }
  const far: FarEnd = { ...farEnd(peer.port), ...format, ...(keys && { keys }), ...more }
  await media.request('connect', { leg, far })
  peer.sendTone(port)
  await nextEvent('leg.connected', (fact) => fact.leg === leg)
  return { ...peer, leg, trunkPort: port }
}

async function agent(
  voice: Voice,
  ways: Parameters<typeof browserPeer>[1] = {},
  isWideband = false,
): Promise<BrowserPeer & { leg: string }> {
  const leg = newLeg()
  const peer = await browserPeer(voice, ways)
  const { answer } = await media.request('attachBrowser', { leg, offer: peer.offer, isWideband })
  const person = Object.assign(peer, { leg })
  open.push(person)
  await peer.accept(answer)
  await nextEvent('leg.connected', (fact) => fact.leg === leg)
  return person
}

async function roomOf(...legs: { leg: string }[]): Promise<string> {
  const room = id('room')
  await media.request('createRoom', { room })
  for (const { leg } of legs) await media.request('join', { room, leg, options: {} })
  return room
}

/** A file of µ-law with the tone of that voice. */
function soundFile(voice: Voice, seconds: number): string {
  const nextFrame = toneGenerator(voice)
  const file = path.join(folder, `${voice}-${seconds}.ulaw`)
  writeFileSync(file, Buffer.concat(Array.from({ length: seconds * 50 }, () => encode('PCMU', nextFrame()))))
  return file
}

const play = async (leg: string, file: string, how: { loop?: boolean; bargeInOn?: string } = {}) => {
  const playId = id('play')
  const { loop = false, bargeInOn = '' } = how
  await media.request('play', { leg, playId, files: [file], loop, bargeInOn })
  return playId
}

describe.each(['native', 'pure'] as const)('the media program, with the %s way to browsers', (browserTransport) => {
  beforeAll(() => startMedia(browserTransport))
  afterAll(async () => {
    await media.stop()
    facts.length = 0
  })

  test('prompt, hold music, conversation, hold and a paused recording reach the right participants', async () => {
    const customer = await caller('caller')
    const prompt = await play(customer.leg, soundFile('prompt', 2))
    await customer.received.onlyTone('prompt')
    expect(await nextEvent('play.ended', ({ playId }) => playId === prompt)).toMatchObject({ cause: 'done' })

    await play(customer.leg, soundFile('music', 2), { loop: true })
    const [person] = await Promise.all([agent('agent'), customer.received.onlyTone('music')])

    await media.request('stopPlay', { leg: customer.leg })
    const room = await roomOf(customer, person)
    const recId = id('rec')
    await media.request('record', { recId, target: { room }, options: { channels: 2 } })
    await Promise.all([customer.received.onlyTone('agent'), person.received.onlyTone('caller')])

    await media.request('pauseRecord', { recId })
    await Promise.all([customer.received.onlyTone('agent'), person.received.onlyTone('caller')])
    await media.request('resumeRecord', { recId })

    await media.request('mute', { leg: customer.leg, muted: true })
    await play(customer.leg, soundFile('music', 2), { loop: true })
    await Promise.all([customer.received.onlyTone('music'), person.received.silence()])

    await media.request('stopPlay', { leg: customer.leg })
    await media.request('mute', { leg: customer.leg, muted: false })
    await Promise.all([customer.received.onlyTone('agent'), person.received.onlyTone('caller')])

    await media.request('closeRoom', { room })
    const { file, seconds } = await nextEvent('record.ended', (fact) => fact.recId === recId)
    const raw = readFileSync(file)
    const { channels, pauses } = readSidecar(readFileSync(path.join(recordings, `${recId}.json`), 'utf8'))
    expect([channels, pauses.length, raw.length / 16_000]).toEqual([2, 1, seconds])
    const [inside = new Int16Array(), outside = new Int16Array()] = sidesOf(raw, 2)
    const spoken = (pauses[0]?.offsetMs ?? 0) * 8
    const untilPause = (samples: Int16Array) => samples.subarray(0, spoken)
    expect(standsOut('agent', untilPause(inside))).toBeGreaterThan(20)
    expect(standsOut('caller', untilPause(outside))).toBeGreaterThan(20)
    expect(decibelsAbove('agent', 'music', inside)).toBeGreaterThan(20)
    expect(decibelsAbove('caller', 'music', outside)).toBeGreaterThan(20)
    // Audio of the pause is missing: the file is shorter than the conversation.
    const [pause] = pauses
    expect((pause?.until ?? 0) - (pause?.from ?? 0)).toBeGreaterThan(300)
  })

  test('a listener is inaudible, a whisper reaches one participant and no recording, a barge-in reaches all', async () => {
    const [customer, person, chief] = [await caller('caller'), await agent('agent'), await agent('supervisor')]
    const room = await roomOf(customer, person)
    const recId = id('rec')

    await media.request('join', { room, leg: chief.leg, options: { listenOnly: true } })
    const both = (samples: Int16Array) =>
      decibelsAbove('agent', 'supervisor', samples) > 20 && decibelsAbove('caller', 'supervisor', samples) > 20
    await Promise.all([
      customer.received.onlyTone('agent'),
      person.received.onlyTone('caller'),
      chief.received.until(both),
    ])

    await media.request('record', { recId, target: { room }, options: { channels: 2 } })
    await media.request('join', { room, leg: chief.leg, options: { whisperTo: [person.leg] } })
    await Promise.all([
      customer.received.onlyTone('agent'),
      person.received.until(
        (samples) =>
          decibelsAbove('caller', 'agent', samples) > 20 && decibelsAbove('supervisor', 'agent', samples) > 20,
      ),
    ])
    await media.request('stopRecord', { recId })
    const { file } = await nextEvent('record.ended', (fact) => fact.recId === recId)
    const [inside = new Int16Array()] = sidesOf(readFileSync(file), 2)
    expect(standsOut('agent', inside)).toBeGreaterThan(20)

    await media.request('join', { room, leg: chief.leg, options: {} })
    await customer.received.until(
      (samples) =>
        decibelsAbove('agent', 'caller', samples) > 20 && decibelsAbove('supervisor', 'caller', samples) > 20,
    )
  })

  test('digits are reported once, in both directions, and one of them ends the prompt', async () => {
    const [customer, person] = [await caller('caller'), await agent('agent')]
    const menu = await play(customer.leg, soundFile('prompt', 20), { bargeInOn: '79' })

    await customer.press('3')
    await customer.press('7')
    person.press('5')
    expect(await nextEvent('play.ended', ({ playId }) => playId === menu)).toMatchObject({ cause: 'dtmf' })
    await nextEvent('leg.dtmf', ({ leg }) => leg === person.leg)
    await media.request('sendDigits', { leg: customer.leg, digits: '12#' })
    await expect.poll(() => customer.digits.join(''), { interval: 20 }).toBe('12#')

    const digitsOf = (leg: string) =>
      facts.flatMap((fact) => (fact.kind === 'leg.dtmf' && fact.leg === leg ? [fact.digit] : []))
    expect([digitsOf(customer.leg), digitsOf(person.leg)]).toEqual([['3', '7'], ['5']])
  })

  test('a browser that offers Opus first gets it, both ways, with its keys and in the recording', async () => {
    const [customer, person] = [await caller('caller'), await agent('agent', { opus: 'first' })]
    const room = await roomOf(customer, person)
    const recId = id('rec')
    await media.request('record', { recId, target: { room }, options: { channels: 2 } })

    await Promise.all([customer.received.onlyTone('agent'), person.received.onlyTone('caller')])
    person.press('5')
    await nextEvent('leg.dtmf', ({ leg, digit }) => leg === person.leg && digit === '5')

    await media.request('stopRecord', { recId })
    const { file } = await nextEvent('record.ended', (fact) => fact.recId === recId)
    const [inside = new Int16Array(), outside = new Int16Array()] = sidesOf(readFileSync(file), 2)
    expect(person.codec).toBe('opus')
    expect(standsOut('agent', inside)).toBeGreaterThan(20)
    expect(standsOut('caller', outside)).toBeGreaterThan(20)
  })

  test('wideband legs hear each other in wideband, beside a narrowband one, and all are recorded', async () => {
    const [customer, person] = [await caller('caller', { codec: 'G722' }), await agent('agent', { opus: 'last' }, true)]
    const room = await roomOf(customer, person)
    const hears = (treble: Voice) => (samples: Int16Array) => hasTreble(treble, samples)

    await Promise.all([customer.received.onlyTone('agent'), person.received.onlyTone('caller')])
    await Promise.all([customer.wide.until(hears('agent')), person.wide.until(hears('caller'))])

    const guest = await caller('supervisor')
    await media.request('join', { room, leg: guest.leg, options: {} })
    const recId = id('rec')
    await media.request('record', { recId, target: { room }, options: { channels: 2 } })
    const both = (one: Voice, other: Voice, not: Voice) => (samples: Int16Array) =>
      decibelsAbove(one, not, samples) > 20 && decibelsAbove(other, not, samples) > 20
    await Promise.all([
      customer.wide.until(hears('agent')),
      customer.received.until(both('agent', 'supervisor', 'caller')),
      person.wide.until(hears('caller')),
      person.received.until(both('caller', 'supervisor', 'agent')),
      guest.received.until(both('caller', 'agent', 'supervisor')),
    ])
    await play(customer.leg, soundFile('music', 2), { loop: true })
    await customer.received.onlyTone('music')

    await media.request('stopRecord', { recId })
    const { file } = await nextEvent('record.ended', (fact) => fact.recId === recId)
    const [inside = new Int16Array(), outside = new Int16Array()] = sidesOf(readFileSync(file), 2)
    expect(person.codec).toBe('opus')
    expect(standsOut('agent', inside)).toBeGreaterThan(20)
    expect(decibelsAbove('caller', 'agent', outside)).toBeGreaterThan(20)
    expect(decibelsAbove('supervisor', 'agent', outside)).toBeGreaterThan(20)
  })

  test.each([
    ['G722', 'opus'],
    ['G722', 'G722'],
    ['opus', 'opus'],
    ['opus', 'PCMA'],
  ] as const)('trunks with %s and %s exchange audio and digits, and may change the codec', async (one, two) => {
    const [left, right] = [await caller('caller', { codec: one }), await caller('supervisor', { codec: two })]
    await roomOf(left, right)

    await Promise.all([left.received.onlyTone('supervisor'), right.received.onlyTone('caller')])
    if (two !== 'PCMA') await right.wide.until((samples) => hasTreble('caller', samples))
    await media.request('sendDigits', { leg: left.leg, digits: '12#' })
    await expect.poll(() => left.digits.join(''), { interval: 20 }).toBe('12#')

    const changed = await rtpPeer('caller', { codec: 'PCMU' })
    open.push(changed)
    left.stopSending()
    const far: FarEnd = { ...farEnd(changed.port), codec: 'PCMU', payloadType: 0 }
    await media.request('connect', { leg: left.leg, far })
    changed.sendTone(left.trunkPort)
    await Promise.all([changed.received.onlyTone('supervisor'), right.received.onlyTone('caller')])
  })

  test('a loss of 10 % is concealed', async () => {
    const [customer, person] = [await caller('caller'), await agent('agent', { opus: 'first', loseEvery: 10 })]
    await roomOf(customer, person)

    // Each stretch has one or two losses, and a hole would be silence.
    await customer.received.until((samples) => standsOut('agent', samples) > 20 && quietest(samples) > 1_000)
    // Browsers add redundancy to Opus as far as losses are reported to them: a tenth of 256, measured over a second or two.
    await expect
      .poll(() => person.reports.some(({ fractionLost }) => fractionLost > 10 && fractionLost < 60))
      .toBe(true)
  })

  test('RTCP reports go both ways between the server and a browser', async () => {
    const [customer, person] = [await caller('caller'), await agent('agent')]
    await roomOf(customer, person)
    await person.received.onlyTone('caller')

    person.report(25)
    const { sent } = await nextEvent('leg.quality', (fact) => fact.leg === person.leg && fact.sent !== null)

    expect(sent?.lossPct).toBe(25)
    await expect.poll(() => person.reports.length).toBeGreaterThan(0)
  })

  test('packets of a foreign source are dropped, before and after the first packet of the far end', async () => {
    const [customer, person] = [await caller('caller'), await agent('agent')]
    await roomOf(customer, person)
    const stranger = await rtpPeer('supervisor')
    open.push(stranger)

    const { foreign } = await media.request('stats', {})
    stranger.sendTone(customer.trunkPort)

    await Promise.all([person.received.onlyTone('caller'), customer.received.onlyTone('agent')])
    expect((await media.request('stats', {})).foreign).toBeGreaterThan(foreign)
    expect(stranger.received.length).toBe(0)
  })

  test('other codecs, other packet lengths and encryption sound the same', async () => {
    const keys = { send: Buffer.alloc(30, 7), receive: Buffer.alloc(30, 9) }
    const [left, right] = [
      await caller('caller', { codec: 'PCMA', ptimeMs: 30 }),
      await caller('supervisor', { ptimeMs: 10, keys }),
    ]
    await roomOf(left, right)

    await Promise.all([left.received.onlyTone('supervisor'), right.received.onlyTone('caller')])
  })

  test('a voicemail begins after the beep, and ends at its maximum length or after silence', async () => {
    const [talker, brief] = [await caller('caller'), await caller('agent')]
    const [long, short] = [id('rec'), id('rec')]

    await media.request('record', { recId: long, target: talker, options: { channels: 1, beep: true, maxSec: 1 } })
    await media.request('record', { recId: short, target: brief, options: { channels: 1, silenceStopSec: 0.5 } })
    await expect.poll(() => existsSync(path.join(recordings, `${short}.ulaw.part`))).toBe(true)
    await talker.received.next()
    brief.stopSending()

    const cut = await nextEvent('record.ended', (fact) => fact.recId === long)
    const [speech = new Int16Array()] = sidesOf(readFileSync(cut.file), 1)
    expect([cut.seconds, standsOut('caller', speech) > 20]).toEqual([1, true])
    const left = await nextEvent('record.ended', (fact) => fact.recId === short)
    const [message = new Int16Array()] = sidesOf(readFileSync(left.file), 1)
    // A fifth of a second stays after the last word.
    expect([loudest(message.subarray(-800)), loudest(message.subarray(-3_200, -1_600)) > 1_000]).toEqual([0, true])
    expect(message.length / 8_000).toBe(left.seconds)
  })

  test('a browser that disconnects does not affect the other participants', async () => {
    const [customer, person, other] = [await caller('caller'), await agent('agent'), await agent('supervisor')]
    await roomOf(customer, person, other)

    await person.close()
    open.splice(open.indexOf(person), 1)

    await customer.received.onlyTone('supervisor')
  })

  test('legs above the limit and unusable addresses are refused', async () => {
    const taken = Array.from({ length: 20 }, () => ({ leg: newLeg() }))
    for (const { leg } of taken) await media.request('openTrunk', { leg })

    await expect(media.request('openTrunk', { leg: newLeg() })).rejects.toThrow('has its 20 legs')
    const urgent = { leg: newLeg() }
    await media.request('openTrunk', { ...urgent, isUrgent: true })
    const far = { codec: 'PCMU', payloadType: 0, telephoneEvent: null, direction: 'sendrecv' } as const
    for (const [address, port] of [
      ['192.168.1.1', 20_000],
      ['127.0.0.1', 20_000],
      ['1.1.1.1', 0],
      ['1.1.1.1', 80],
      [null, 20_000],
    ] as const) {
      const asked = media.request('connect', { leg: urgent.leg, far: { ...far, address, port } })
      await expect(asked).rejects.toThrow('cannot be used')
    }
    for (const { leg } of [...taken, urgent]) await media.request('close', { leg })
    await expect(media.request('mute', { leg: urgent.leg, muted: true })).rejects.toMatchObject({ name: 'LegGone' })
    expect((await media.request('stats', {})).legs).toBe(0)
  })

  test('after a kill the recording can be played, the parent is notified, and the process is restarted', async () => {
    const [customer, person] = [await caller('caller'), await agent('agent')]
    const room = await roomOf(customer, person)
    const recId = id('rec')
    await media.request('record', { recId, target: { room }, options: { channels: 2 } })
    await Promise.all([customer.received.onlyTone('agent'), person.received.onlyTone('caller')])
    await expect.poll(() => readFileSync(path.join(recordings, `${recId}.ulaw.part`)).length).toBeGreaterThan(8_000)

    const pid = media.pid ?? 0
    process.kill(pid, 'SIGKILL')
    const unanswered = media.request('stats', {}).then(
      () => 'answered',
      (error: Error) => error.name,
    )
    await nextEvent('died')

    expect(['MediaGone', 'answered']).toContain(await unanswered)
    const [inside = new Int16Array(), outside = new Int16Array()] = sidesOf(
      readFileSync(path.join(recordings, `${recId}.ulaw.part`)),
      2,
    )
    expect([standsOut('agent', inside) > 20, standsOut('caller', outside) > 20]).toEqual([true, true])
    expect(readdirSync(recordings)).toContain(`${recId}.json`)
    await expect(media.request('join', { room, leg: customer.leg, options: {} })).rejects.toMatchObject({
      name: 'LegGone',
    })
    expect(media.pid).not.toBe(pid)
    await caller('caller')
  })
})
