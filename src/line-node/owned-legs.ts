import type { LegId, VoiceEvent } from '../domain/voice.ts'
import type { Adopted, Adoption } from './protocol.ts'

/** Who owns each leg and recording, and the events that its owner has not acknowledged. */
export interface OwnedLegs {
  /** The session that created the leg or the recording; events received so far are sent. */
  own(what: { leg: LegId } | { recId: string }, session: string): void
  /** Keeps the event until it is acknowledged. The owner; undefined while there is none. */
  keep(event: VoiceEvent): string | undefined
  acknowledge(seqs: readonly number[]): void
  /** Moves legs and recordings to a session, with their events that were not acknowledged. */
  adopt(what: Adoption, session: string): Adopted & { events: VoiceEvent[] }
  /** Inbound legs of the session that no call has been created for: it does not own them any more. */
  releasedBy(session: string): IncomingEvent[]
  /** Legs and recordings of the session. */
  ownedBy(session: string): string[]
  forget(leg: LegId): void
  /** Inbound calls without an owner, oldest first. */
  unowned(): IncomingEvent[]
  countOf(session: string): number
  owners(): string[]
  /** Drops what ended before `time` and was never acknowledged although its owner is connected. */
  sweep(time: number, isConnected: (session: string) => boolean): void
}

type IncomingEvent = Extract<VoiceEvent, { kind: 'leg.incoming' }>

interface Entry {
  owner: string | undefined
  /** Not acknowledged, in the order in which they happened. */
  events: VoiceEvent[]
}

const maxEvents = 500

/** Events about a recording carry its id, all others their leg. */
const keyOf = (event: VoiceEvent) =>
  event.kind === 'record.ended' ? event.recId : 'leg' in event ? event.leg : undefined
const isLast = ({ kind }: VoiceEvent) => kind === 'leg.ended' || kind === 'record.ended'

/** Reports that are outdated by the next one. */
const isTransient = ({ kind }: VoiceEvent) => kind === 'leg.quality' || kind === 'leg.connected'

export function createOwnedLegs(send: (session: string, event: VoiceEvent) => void): OwnedLegs {
  const entries = new Map<string, Entry>()
  const keys = new Map<number, string>()

  function entryOf(key: string): Entry {
    const entry = entries.get(key) ?? { owner: undefined, events: [] }
    entries.set(key, entry)
    return entry
  }

  function drop(key: string): void {
    for (const { seq } of entries.get(key)?.events ?? []) keys.delete(seq)
    entries.delete(key)
  }

  function keep(event: VoiceEvent): string | undefined {
    const key = keyOf(event)
    if (key === undefined) return undefined
    const known = entries.get(key)
    if (isTransient(event)) return known?.owner
    const entry = known ?? entryOf(key)
    entry.events.push(event)
    keys.set(event.seq, key)
    if (entry.events.length > maxEvents) dropOldest(entry)
    return entry.owner
  }

  /** The state of a leg is kept; keys pressed and playback that ended long ago are not. */
  function dropOldest({ events }: Entry): void {
    const index = events.findIndex(({ kind }) => kind === 'leg.dtmf' || kind === 'play.ended')
    const [dropped] = events.splice(Math.max(0, index), 1)
    if (dropped) keys.delete(dropped.seq)
  }

  function acknowledge(seq: number): void {
    const key = keys.get(seq)
    const entry = key === undefined ? undefined : entries.get(key)
    if (key === undefined || !entry) return
    keys.delete(seq)
    const acknowledged = entry.events.find((event) => event.seq === seq)
    entry.events = entry.events.filter((event) => event.seq !== seq)
    if (acknowledged && isLast(acknowledged)) drop(key)
  }

  return {
    own(what, session) {
      const entry = entryOf('leg' in what ? what.leg : what.recId)
      entry.owner = session
      for (const event of entry.events) send(session, event)
    },
    keep,
    acknowledge(seqs) {
      for (const seq of seqs) acknowledge(seq)
    },
    adopt({ legs, recordings }, session) {
      const events: VoiceEvent[] = []
      const taken = (key: string) => {
        const entry = entries.get(key)
        if (!entry) return false
        entry.owner = session
        events.push(...entry.events)
        return true
      }
      const adopted = { legs: legs.filter(taken), recordings: recordings.filter(taken) }
      return { ...adopted, events: events.toSorted((a, b) => a.seq - b.seq) }
    },
    releasedBy(session) {
      const waiting = [...entries.values()].filter(({ owner, events }) => owner === session && isWaiting(events))
      for (const entry of waiting) entry.owner = undefined
      return waiting.flatMap(({ events }) => incomingOf(events))
    },
    ownedBy: (session) => [...entries].filter(([, { owner }]) => owner === session).map(([key]) => key),
    forget: drop,
    unowned: () =>
      [...entries.values()]
        .filter(({ owner, events }) => owner === undefined && isWaiting(events))
        .flatMap(({ events }) => incomingOf(events)),
    sweep(time, isConnected) {
      for (const [key, { owner, events }] of [...entries]) {
        const hasEnded = events.some((event) => isLast(event) && event.at < time)
        if (hasEnded && (owner === undefined || isConnected(owner))) drop(key)
      }
    },
    owners: () => [...new Set([...entries.values()].flatMap(({ owner }) => owner ?? []))],
    countOf: (session) => [...entries.values()].filter(({ owner }) => owner === session).length,
  }
}

const incomingOf = (events: readonly VoiceEvent[]) => events.filter((event) => event.kind === 'leg.incoming')

/** Announced, and neither accepted by a call nor ended. */
const isWaiting = (events: readonly VoiceEvent[]) =>
  events.some(({ kind }) => kind === 'leg.incoming') && !events.some(({ kind }) => kind === 'leg.ended')
