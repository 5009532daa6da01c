import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject } from 'vitest'
import type { LegId, RoomId, VoiceDriver, VoiceEvent } from '../../src/domain/voice.ts'
import { prepareCallSounds } from '../../src/drivers/call-sounds.ts'
import { createLineNodes, type LineNodesDriver } from '../../src/drivers/line-nodes/driver.ts'
import { openLocalNode } from '../../src/drivers/line-nodes/open.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { type DriverWorld, describeDriver, type FarPlan } from '../contract/voice-driver.ts'
import { type BrowserPeer, browserPeer } from '../kit/browser-peer.ts'
import { type Carrier, type CarrierCall, openCarrier } from '../kit/carrier.ts'
import { lineTo } from '../kit/line.ts'
import { freePort } from '../kit/postgres.ts'

// The driver of real lines: a line node with its SIP stack and media program, against a carrier and browsers on loopback. One of
// each serves all tests; only a driver that has been drained is replaced.

interface Rig {
  driver: LineNodesDriver
  carrier: Carrier
  events: VoiceEvent[]
  isSpent: boolean
  close(): Promise<void>
}

/** Three seconds of the suite are one of the clock on the wall. */
const scale = 3
const number = '+14155550150'
let shared: Promise<Rig> | undefined

afterAll(async () => (await shared)?.close())

describeDriver('of real lines', async (): Promise<DriverWorld> => {
  if ((await shared)?.isSpent) {
    await (await shared)?.close()
    shared = undefined
  }
  shared ??= openRig()
  const rig = await shared
  const { carrier, driver: real } = rig
  const from = rig.events.length
  const rooms = new Set<RoomId>()
  const dialled = new Set<LegId>()
  const peers = new Set<BrowserPeer>()
  const timers = new Set<NodeJS.Timeout>()
  const events = () => rig.events.slice(from)

  const driver: VoiceDriver = {
    ...real,
    async drain() {
      rig.isSpent = true
      await real.drain()
    },
    async createRoom() {
      const room = await real.createRoom()
      rooms.add(room)
      return room
    },
  }

  /** All signalling and media in transit has arrived. */
  async function settle(): Promise<void> {
    await carrier.settle()
    await real.stats()
  }

  function later(seconds: number, run: () => unknown): void {
    timers.add(setTimeout(run, (seconds * 1_000) / scale))
  }

  function follow(call: CarrierCall, { press, hangUpAfter }: FarPlan): void {
    if (hangUpAfter !== undefined) later(hangUpAfter, call.hangUp)
    if (!press) return
    later(press.after, async () => {
      await call.answered
      for (const digit of press.digits) await call.sound.press(digit)
    })
  }

  return {
    driver,
    get events() {
      return events()
    },
    scale,
    async incoming(plan = {}) {
      const known = rig.events.length
      const arrival = () => rig.events.slice(known).find((event) => event.kind === 'leg.incoming')
      const call = await carrier.call(number)
      await expect.poll(arrival, { interval: 5 }).toBeDefined()
      follow(call, plan)
      const event = arrival()
      return event?.kind === 'leg.incoming' ? event.leg : ''
    },
    async dial(picksUp = 'after_a_second', timeoutSeconds = 30) {
      carrier.callees.picksUp = picksUp === 'after_a_second' ? { afterMs: 1_000 / scale } : picksUp
      const timeoutMs = (timeoutSeconds * 1_000) / scale
      const leg = await driver.dial({ trunkIds: ['1'], to: '+14155550123', from: number, timeoutMs })
      dialled.add(leg)
      return leg
    },
    async attach() {
      const peer = await browserPeer('agent')
      peers.add(peer)
      const { leg, sdpAnswer } = await driver.attachBrowser({ sdpOffer: peer.offer })
      await peer.accept(sdpAnswer ?? '')
      return leg
    },
    async pass(seconds, until) {
      if (until) await expect.poll(until, { interval: 10 }).toBe(true)
      else await sleep((seconds * 1_000) / scale)
      await settle()
    },
    async close() {
      for (const timer of timers) clearTimeout(timer)
      for (const leg of [...dialled, ...livingIn(events())]) await driver.hangup(leg)
      for (const room of rooms) if (!rig.isSpent) await driver.closeRoom(room)
      for (const peer of peers) await peer.close()
      await settle()
      await expect.poll(real.stats).toMatchObject({ legs: 0, rooms: 0 })
    },
  }
})

function livingIn(events: readonly VoiceEvent[]): Set<LegId> {
  const living = new Set<LegId>()
  for (const event of events) {
    if (!('leg' in event)) continue
    if (event.kind === 'leg.ended') living.delete(event.leg)
    else living.add(event.leg)
  }
  return living
}

async function openRig(): Promise<Rig> {
  const dataDir = path.join(inject('runFolder'), 'conformance')
  await mkdir(dataDir, { recursive: true })
  const [sipPort, firstPort, browserPort] = [await freePort(), await freePort(), await freePort()]
  // The far ends of the suite are in a hurry: nothing is made ready while they wait.
  await prepareCallSounds(path.join(dataDir, 'sounds'), 'en')
  const clock = systemClock()
  const settings = {
    dataDir,
    shared: false,
    sip: { bind: '127.0.0.1', port: sipPort, tlsPort: sipPort, publicIp: null, refusesEmergency: true },
    rtp: { from: firstPort, to: firstPort + 39, browserPort, publicIp: null, maxCalls: 20, timeoutMs: 0 },
    tls: null,
    trunkHosts: { isRestricted: false, loopback: true, allowRanges: [], ownNames: [], ownPorts: [] },
  }
  const options = {
    clock,
    log: createLog('silent'),
    session: `1:${randomUUID()}`,
    routeCall: async () => undefined,
    soundOf: async () => undefined,
  }
  const node = openLocalNode({ id: 'node', index: 1, settings, logLevel: 'warn' }, options)
  const driver = createLineNodes({ clock, local: [node], salvage: node.salvage })
  const events: VoiceEvent[] = []
  driver.on((event) => events.push(event))
  const carrier = await openCarrier(() => sipPort)
  await driver.start()
  driver.setTrunks([lineTo(carrier.port, { id: '1' })])
  await expect.poll(() => events.some((event) => event.kind === 'trunk.state' && event.up)).toBe(true)
  return {
    driver,
    carrier,
    events,
    isSpent: false,
    async close() {
      await driver.close()
      await carrier.close()
      await rm(dataDir, { recursive: true })
    },
  }
}
