import type { LegId, VoiceEvent } from '../domain/voice.ts'
import type { EmbeddedDriver } from '../drivers/embedded.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { createOwnedLegs, type OwnedLegs } from './owned-legs.ts'
import { maxWaitMs, type Session, type Sessions } from './sessions.ts'

/** Sends the events of the driver to the engine processes they are for. */
export interface EventDistribution {
  owned: OwnedLegs
  onEvent(event: VoiceEvent): void
  sendTo(session: string, event: VoiceEvent): void
  /** The engine process is leaving or gone: inbound legs that it has created no call for are offered to others. */
  release(session: string): void
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

  /**
   * Assigns an inbound call to the engine process with the fewest legs. A process that is ending gets it only if no other
   * connects within four seconds; without any it is refused.
   */
  function offer(leg: LegId): void {
    if (!assign(leg, sessions.accepting())) waitForEngine(leg)
  }

  /** False: there is no process. */
  function assign(leg: LegId, among: readonly Session[]): boolean {
    const [least] = among.toSorted((a, b) => owned.countOf(a.id) - owned.countOf(b.id))
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
      if (!owned.unowned().some((event) => event.leg === leg) || assign(leg, sessions.all())) return
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
    release(session) {
      for (const { leg } of owned.releasedBy(session)) offer(leg)
    },
    onEvent(event) {
      if (isForAll(event)) {
        remember(event)
        for (const { id } of sessions.all()) sendTo(id, event)
        return
      }
      const owner = owned.keep(event)
      if (owner !== undefined) sendTo(owner, event)
      else if (event.kind === 'leg.incoming') offer(event.leg)
    },
    catchUp(session) {
      for (const state of states.values()) sendTo(session, state)
      for (const event of owned.unowned()) assign(event.leg, sessions.accepting())
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
