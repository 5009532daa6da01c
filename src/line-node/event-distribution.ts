import type { LegId, VoiceEvent } from '../domain/voice.ts'
import type { EmbeddedDriver } from '../drivers/embedded.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { createOwnedLegs, type OwnedLegs } from './owned-legs.ts'
import { maxWaitMs, type Sessions } from './sessions.ts'

/** Sends the events of the driver to the engine processes they are for. */
export interface EventDistribution {
  owned: OwnedLegs
  onEvent(event: VoiceEvent): void
  sendTo(session: string, event: VoiceEvent): void
  /** Assigns an inbound call to the engine process with the fewest legs; false: none is connected. */
  offer(leg: LegId): boolean
  /** To an engine process that has just connected: the state of trunks and registrations, and calls that wait. */
  catchUp(session: string): void
}

interface Options {
  driver: Pick<EmbeddedDriver, 'reject'>
  sessions: Sessions
  clock: Clock
  log: Log
}

export function createEventDistribution({ driver, sessions, clock, log }: Options): EventDistribution {
  const owned = createOwnedLegs(sendTo)
  const states = new Map<string, VoiceEvent>()

  function sendTo(id: string, event: VoiceEvent): void {
    sessions.get(id)?.send({ kind: 'event', event, ageMs: Math.max(0, clock.machineNow() - event.at) })
  }

  function offer(leg: LegId): boolean {
    const [least] = sessions.all().toSorted((a, b) => owned.countOf(a.id) - owned.countOf(b.id))
    if (least) owned.own({ leg }, least.id)
    return least !== undefined
  }

  function remember(event: VoiceEvent): void {
    if (event.kind === 'trunk.state') states.set(`trunk ${event.trunkId}`, event)
    if (event.kind === 'device.registered') states.set(`device ${event.deviceId} ${event.contact.uri}`, event)
    if (event.kind === 'device.gone') states.set(`device ${event.deviceId} ${event.uri}`, event)
  }

  function waitForEngine(leg: LegId): void {
    clock.machineAfter(maxWaitMs, () => {
      if (!owned.unowned().some((event) => event.leg === leg)) return
      log.warn({ event: 'line_node.call_refused', leg }, 'no engine process is connected: INVITE answered with 503')
      owned.forget(leg)
      driver
        .reject(leg, 'overloaded')
        .catch((error) => log.debug({ event: 'line_node.reject_failed', error }, 'call was gone already'))
    })
  }

  return {
    owned,
    sendTo,
    offer,
    onEvent(event) {
      if (isForAll(event)) {
        remember(event)
        for (const { id } of sessions.all()) sendTo(id, event)
        return
      }
      const owner = owned.keep(event)
      if (owner !== undefined) sendTo(owner, event)
      else if (event.kind === 'leg.incoming' && !offer(event.leg)) waitForEngine(event.leg)
    },
    catchUp(session) {
      for (const state of states.values()) sendTo(session, state)
      for (const event of owned.unowned()) offer(event.leg)
    },
  }
}

const kindsForAll = new Set<VoiceEvent['kind']>([
  'trunk.state',
  'call.refused',
  'device.registered',
  'device.gone',
  'node.gone',
])

/** Not about a leg: every engine process receives it. */
const isForAll = ({ kind }: VoiceEvent) => kindsForAll.has(kind)
