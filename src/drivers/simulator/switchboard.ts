import type { LegId, RoomId } from '../../domain/voice.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { createRecentSet, type RecentSet } from '../../lib/recent-set.ts'
import { createEventQueue, type EventQueue } from './event-queue.ts'
import type { SimulatedLeg, SimulatedRoom } from './legs.ts'
import { createPlayer, type SimulatedPlayer } from './player.ts'
import { createRecorder, type SimulatedRecorder } from './recorder.ts'
import { type CountedTimers, countedTimers } from './timers.ts'

/** What the parts of the simulated network share: all legs and rooms, and how their events and audio are produced. */
export interface Switchboard extends EventQueue {
  clock: Clock
  timers: CountedTimers
  player: SimulatedPlayer
  recorder: SimulatedRecorder
  legs: Map<LegId, SimulatedLeg>
  rooms: Map<RoomId, SimulatedRoom>
  newId(kind: string): string
  /** Ids of dialled legs and of recordings, also of those that have ended. */
  usedIds: RecentSet<string>
  /** Notifies the recordings of the leg, the other participants and the simulated person. */
  changed(leg: SimulatedLeg): void
  changedIn(room: SimulatedRoom): void
  /** Notifies the recordings of the leg and its simulated person only. */
  notice(leg: SimulatedLeg): void
  endListeners: ((leg: SimulatedLeg) => void)[]
}

const maxRemembered = 10_000

export function createSwitchboard(
  clock: Clock,
  log: Log,
  folder: string,
  newId: (kind: string) => string,
): Switchboard {
  const timers = countedTimers(clock)
  const { emit, on } = createEventQueue(clock, log)
  const recorder = createRecorder({ clock, log, timers, emit, folder })
  const legs = new Map<LegId, SimulatedLeg>()
  const player = createPlayer(
    timers,
    () => clock.now(),
    emit,
    ({ id }, cause) => {
      const leg = legs.get(id)
      // An agent that was not interrupted has had the last word.
      if (leg?.spokenTo && cause === 'done' && leg.speech === null) leg.spokenTo.answered = false
      if (leg) changed(leg)
    },
  )

  function changed(leg: SimulatedLeg): void {
    if (leg.room) changedIn(leg.room)
    else notice(leg)
  }

  function changedIn(room: SimulatedRoom): void {
    recorder.voicesChanged(room)
    for (const member of [...room.members]) notice(member)
  }

  function notice(leg: SimulatedLeg): void {
    recorder.voicesChanged(leg)
    leg.person?.()
  }

  return {
    clock,
    timers,
    emit,
    on,
    player,
    recorder,
    legs,
    rooms: new Map(),
    newId,
    usedIds: createRecentSet(maxRemembered),
    changed,
    changedIn,
    notice,
    endListeners: [],
  }
}
