import type { SipDevice, VoiceEvent } from '../../domain/voice.ts'
import type { LegsAndRecordings, LineNodeStatus, TrunkDriver } from '../../engine/trunk-manager.ts'
import type { Clock } from '../../lib/clock.ts'
import type { PortState } from '../../line-node/protocol.ts'
import { hasOpus } from '../../media/opus.ts'
import type { LineNodeDriver } from '../line-node/driver.ts'
import { type EventNumbers, eventNumbersOf } from './event-numbers.ts'
import { createLegCommands } from './leg-commands.ts'
import { createPlacement } from './placement.ts'
import { createRoomCommands } from './rooms.ts'
import { combinedStats } from './stats.ts'
import { createNodeTrunks } from './trunks.ts'

/** Real calls on all line nodes of the installation. */
export interface LineNodesDriver extends TrunkDriver {
  portProblem(): PortState | undefined
  trunksApplied(): Promise<void>
  /** A node on another host was announced. */
  addNode(node: LineNodeDriver): Promise<void>
  /** It has not been announced for a while. */
  removeNode(id: string): Promise<void>
  nodes(): LineNodeStatus[]
  close(): Promise<void>
}

interface Options {
  clock: Clock
  /** Those of this machine. */
  local: readonly LineNodeDriver[]
  /** Recordings of nodes that are gone. */
  salvage: TrunkDriver['salvage']
}

interface Member {
  driver: LineNodeDriver
  numbers: EventNumbers
}

export function createLineNodes({ clock, local, salvage }: Options): LineNodesDriver {
  const members: Member[] = []
  const listeners: ((event: VoiceEvent) => void)[] = []
  const lostListeners: (() => void)[] = []
  const nodes = () => members.map(({ driver }) => driver)
  const all = <T>(run: (driver: LineNodeDriver) => T | Promise<T>) => Promise.all(nodes().map(run))
  const placement = createPlacement({ nodes })
  const trunks = createNodeTrunks(nodes)
  let devices: readonly SipDevice[] = []

  function include(driver: LineNodeDriver): void {
    const member = { driver, numbers: eventNumbersOf(driver.id) }
    members.push(member)
    driver.on((event) => onEvent(event, member))
    driver.onProcessLost?.(() => {
      for (const listener of lostListeners) listener()
    })
  }

  function onEvent(event: VoiceEvent, { driver, numbers }: Member): void {
    placement.onEvent(event, driver)
    const shown = event.kind === 'trunk.state' ? trunks.stateFrom(event, driver.id) : event
    if (shown) for (const listener of listeners) listener({ ...shown, seq: numbers.outer(shown.seq) })
  }

  async function adopt(what: LegsAndRecordings): Promise<LegsAndRecordings | undefined> {
    const adopted = (await all(async (driver) => ({ driver, found: await driver.adopt?.(what) }))).flatMap(
      ({ driver, found }) => (found ? [{ driver, ...found }] : []),
    )
    if (adopted.length === 0) return undefined
    for (const { driver, legs, recordings } of adopted) {
      for (const leg of legs) placement.place({ leg }, driver)
      for (const recId of recordings) placement.place({ recId }, driver)
    }
    return { legs: adopted.flatMap(({ legs }) => legs), recordings: adopted.flatMap(({ recordings }) => recordings) }
  }

  for (const driver of local) include(driver)

  return {
    ...createLegCommands({ placement, holderOf: trunks.holderOf }),
    ...createRoomCommands({ clock, placement, nodes }),
    start: async () => void (await all((driver) => driver.start())),
    drain: async () => void (await all((driver) => driver.drain())),
    capabilities: () => ({
      ...{ needsOffer: true, opus: hasOpus(), perLegPlayback: true, recordingPause: true, inbandDtmf: true, tap: true },
      maxLegs: nodes().reduce((sum, driver) => sum + (driver.load()?.maxLegs || driver.capabilities().maxLegs), 0),
    }),
    areTogether: (a, b) => placement.ofLeg(a) === placement.ofLeg(b),
    stats: async () => combinedStats(await all((driver) => driver.stats())),
    acknowledge(seq) {
      for (const { driver, numbers } of members) {
        const own = numbers.inner(seq)
        if (own !== undefined) driver.acknowledge?.(own)
      }
    },
    on: (listener) => void listeners.push(listener),
    setTrunks(lines, registrations) {
      trunks.set(lines, registrations)
      for (const driver of nodes()) driver.setTrunks(trunks.linesFor(driver.id))
    },
    setDevices(wanted) {
      devices = wanted
      for (const driver of nodes()) driver.setDevices(wanted)
    },
    hasRoom: async () => (await all((driver) => driver.hasRoom().catch(() => false))).includes(true),
    salvage,
    adopt,
    forgetProcess: async (owner) => void (await all((driver) => driver.forgetProcess?.(owner))),
    lostProcesses: () => [...new Set(nodes().flatMap((driver) => driver.lostProcesses?.() ?? []))],
    onProcessLost: (listener) => void lostListeners.push(listener),
    trunksApplied: async () => void (await all((driver) => driver.trunksApplied())),
    handOver: async () => void (await all((driver) => driver.handOver?.())),
    portProblem: () => nodes().flatMap((driver) => driver.portProblem() ?? [])[0],
    async addNode(driver) {
      if (members.some((member) => member.driver.id === driver.id)) return
      include(driver)
      await driver.start()
      driver.setTrunks(trunks.linesFor(driver.id))
      driver.setDevices(devices)
    },
    async removeNode(id) {
      const index = members.findIndex(({ driver }) => driver.id === id)
      members[index]?.driver.lose()
      const [removed] = index < 0 ? [] : members.splice(index, 1)
      trunks.forgetNode(id)
      await removed?.driver.close()
    },
    nodes: () => nodes().map(statusOf),
    close: async () => void (await all((driver) => driver.close())),
  }
}

function statusOf(driver: LineNodeDriver): LineNodeStatus {
  const { id, isRemote } = driver
  const load = driver.load()
  return {
    id,
    isRemote,
    isConnected: load !== undefined,
    // One of this machine is started when it is needed.
    isUsable: load ? !load.isDraining : !isRemote,
    isDraining: load?.isDraining ?? false,
    legs: load?.legs ?? 0,
    maxLegs: load?.maxLegs ?? 0,
    release: load?.release ?? null,
  }
}
