import { randomUUID } from 'node:crypto'
import { inboundCall } from '../domain/call/new-call.ts'
import type { VoiceDriver, VoiceEvent } from '../domain/voice.ts'
import { numberByDigits } from '../features/accounts/numbers/store.ts'
import { isBlockedCaller } from '../features/calls/blocked-callers/store.ts'
import { usableTrunk } from '../features/trunks/trunks/store.ts'
import type { Services, SimulatedCaller } from '../services.ts'
import type { CallStart } from './active-call.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import type { Engine } from './engine.ts'
import type { LineSelection, Lines } from './line-selection.ts'
import type { MediaShare } from './media-share.ts'
import { numberFacts } from './routing-data.ts'
import { createSimulatedArrivals } from './simulated-arrivals.ts'
import type { TollGuard } from './toll-guard.ts'
import { speechFor } from './voice-agent-capabilities.ts'

/** Calls that arrive on the lines of this process. */
export interface InboundCalls {
  /** Handles the events of a driver. */
  listen(driver: VoiceDriver): void
  /** A simulated caller; undefined when the call is rejected. */
  simulate(caller: SimulatedCaller): Promise<number | undefined>
}

interface Options {
  services: Services
  lines: Lines
  selection: LineSelection
  share: MediaShare
  engine: Engine
  guard: Pick<TollGuard, 'onVoiceEvent'>
  tasks: BackgroundTasks
  /** A call placed from a device. */
  placedByDevice(driver: VoiceDriver, incoming: IncomingLeg): Promise<void>
  /** A device asks for a transfer. */
  referred(driver: VoiceDriver, event: ReferredLeg): Promise<void>
}

export type ReferredLeg = Extract<VoiceEvent, { kind: 'leg.referred' }>
export type IncomingLeg = Extract<VoiceEvent, { kind: 'leg.incoming' }>
type Rejection = 'unknown' | 'unavailable' | 'overloaded' | 'declined'
type Started = Parameters<CallStart['started']>[0]

export function createInboundCalls(options: Options): InboundCalls {
  const { services, lines, selection, share, engine, guard, tasks, placedByDevice, referred } = options
  const { db } = services
  const arrivals = createSimulatedArrivals()

  async function arrive(driver: VoiceDriver, incoming: IncomingLeg): Promise<void> {
    let isOpened = false
    try {
      isOpened = await openCall(driver, incoming)
    } finally {
      if (!isOpened) engine.forget(incoming.leg)
    }
  }

  /** False: the call was rejected. */
  async function openCall(driver: VoiceDriver, incoming: IncomingLeg): Promise<boolean> {
    const { leg, trunkId, from, to, at } = incoming
    const reject = async (why: Rejection) => {
      arrivals.arrived(leg, undefined)
      await driver.reject(leg, why)
      return false
    }
    const dialled = await numberByDigits(db, to)
    const number = dialled && (await numberFacts(db, dialled.companyId, dialled.id))
    // A trunk carries calls for its own company, or for those it is assigned to.
    const isOurs = driver !== lines.real || (dialled && (await usableTrunk(db, dialled.companyId, Number(trunkId))))
    if (!dialled || !number || !isOurs) return reject('unknown')
    const { companyId } = dialled
    if (await isBlockedCaller(db, companyId, from, at)) return reject('declined')
    if ((await selection.clockRefusal(driver)) !== undefined) return reject('unavailable')
    const line = selection.lineOf(driver)
    if (driver === lines.real && share.refusal(companyId) !== undefined) return reject('overloaded')
    const speech = await speechFor(services.ai, companyId, line, number)
    const begin = { key: randomUUID(), companyId, callId: null, at, line, speech }
    const state = inboundCall(begin, number, { leg, from, ...(incoming.callerId && { callerId: incoming.callerId }) })
    const started = (result: Started) => {
      driver.acknowledge?.(incoming.seq)
      arrivals.arrived(leg, result.ok ? (result.callId ?? undefined) : undefined)
    }
    if (engine.isStopping()) return driver.acknowledge ? false : reject('unavailable')
    engine.open(state, driver, { started, leg })
    return true
  }

  /** The media process rejected a caller: the company of the number waits for capacity. */
  async function reportRefused(to: string): Promise<void> {
    const dialled = await numberByDigits(db, to)
    if (dialled) share.refused(dialled.companyId)
  }

  return {
    listen(driver) {
      driver.on((event) => {
        guard.onVoiceEvent(event)
        if (event.kind === 'call.refused') {
          return tasks.run(reportRefused(event.to), 'call.refusal_not_reported', 'could not report a refused call')
        }
        if (event.kind === 'leg.referred') {
          driver.acknowledge?.(event.seq)
          return tasks.run(referred(driver, event), 'device.transfer_failed', 'could not transfer a call of a device')
        }
        if (event.kind !== 'leg.incoming') {
          if (engine.onVoiceEvent(event) === 'dropped') driver.acknowledge?.(event.seq)
          return
        }
        // Its call was restored.
        if (engine.hasLeg(event.leg)) return driver.acknowledge?.(event.seq)
        if (event.deviceId !== undefined) {
          return tasks.run(placedByDevice(driver, event), 'device.call_failed', 'could not start a call of a device')
        }
        tasks.run(arrive(driver, event), 'call.incoming_failed', 'could not accept an incoming call')
      })
    },
    async simulate(caller) {
      if (!lines.simulated) return undefined
      // The event of the leg follows when call() has returned.
      return arrivals.callOf(lines.simulated.call(caller))
    },
  }
}
