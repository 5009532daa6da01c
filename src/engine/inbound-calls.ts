import { randomUUID } from 'node:crypto'
import { inboundCall } from '../domain/call/new-call.ts'
import type { LegId, VoiceDriver, VoiceEvent } from '../domain/voice.ts'
import { numberByDigits } from '../features/accounts/numbers/store.ts'
import { usableTrunk } from '../features/trunks/trunks/store.ts'
import type { Services, SimulatedCaller } from '../services.ts'
import type { CallStart } from './active-call.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import type { Engine } from './engine.ts'
import type { LineSelection, Lines } from './line-selection.ts'
import type { MediaShare } from './media-share.ts'
import { numberFacts } from './routing-data.ts'
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
}

type Incoming = Extract<VoiceEvent, { kind: 'leg.incoming' }>
type Rejection = 'unknown' | 'unavailable' | 'overloaded'
type Started = Parameters<CallStart['started']>[0]

export function createInboundCalls(options: Options): InboundCalls {
  const { services, lines, selection, share, engine, guard, tasks } = options
  const { db } = services
  const arrivals = createArrivals()

  async function arrive(driver: VoiceDriver, incoming: Incoming): Promise<void> {
    const { leg, trunkId, from, to, at } = incoming
    const { resolve } = arrivals.of(leg)
    const reject = (why: Rejection) => {
      resolve(undefined)
      return driver.reject(leg, why).finally(() => engine.forget(leg))
    }
    const dialled = await numberByDigits(db, to)
    const number = dialled && (await numberFacts(db, dialled.companyId, dialled.id))
    // A trunk carries calls for its own company, or for those it is assigned to.
    const isOurs = driver !== lines.real || (dialled && (await usableTrunk(db, dialled.companyId, Number(trunkId))))
    if (!dialled || !number || !isOurs) return reject('unknown')
    if ((await selection.clockRefusal(driver)) !== undefined) return reject('unavailable')
    const { companyId } = dialled
    const line = selection.lineOf(driver)
    if (driver === lines.real && share.refusal(companyId) !== undefined) return reject('overloaded')
    const speech = await speechFor(services.ai, companyId, line, number)
    const begin = { key: randomUUID(), companyId, callId: null, at, line, speech }
    const state = inboundCall(begin, number, { leg, from })
    const started = (result: Started) => resolve(result.ok ? (result.callId ?? undefined) : undefined)
    if (engine.isStopping()) return reject('unavailable')
    engine.open(state, driver, { started, leg })
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
        if (event.kind !== 'leg.incoming') return engine.onVoiceEvent(event)
        tasks.run(arrive(driver, event), 'call.incoming_failed', 'could not accept an incoming call')
      })
    },
    async simulate(caller) {
      if (!lines.simulated) return undefined
      const leg = lines.simulated.call(caller)
      const id = await arrivals.of(leg).promise
      arrivals.forget(leg)
      return id
    },
  }
}

interface Arrival {
  promise: Promise<number | undefined>
  resolve(callId: number | undefined): void
}

/** The call that an incoming leg becomes. */
function createArrivals() {
  const arrivals = new Map<LegId, Arrival>()
  return {
    of(leg: LegId): Arrival {
      const known = arrivals.get(leg)
      if (known) return known
      let resolve: Arrival['resolve'] = () => {}
      const promise = new Promise<number | undefined>((done) => {
        resolve = done
      })
      const made = { promise, resolve }
      arrivals.set(leg, made)
      return made
    },
    forget: (leg: LegId) => void arrivals.delete(leg),
  }
}
