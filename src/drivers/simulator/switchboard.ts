import type { EndReason, JoinOptions, LegId, RoomId } from '../../domain/voice.ts'
import type { Cancel, Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { legGone } from '../leg-gone.ts'
import { createEventQueue } from './event-queue.ts'
import {
  hasOtherParticipant,
  newLeg,
  newSimulatedRoom,
  type SimulatedLeg,
  type SimulatedRoom,
  type SpokenUtterance,
} from './legs.ts'
import type { SimulatedPhone } from './people.ts'
import { createPlayer } from './player.ts'
import { createRecorder } from './recorder.ts'
import type { CallCondition } from './script.ts'
import { type Side, toneFor } from './sounds.ts'
import { countedTimers } from './timers.ts'

export type Switchboard = ReturnType<typeof createSwitchboard>

/** All legs and rooms, and the operations on them. */
export function createSwitchboard(clock: Clock, log: Log, folder: string, newId: (kind: string) => string) {
  const timers = countedTimers(clock)
  const { emit, on } = createEventQueue(clock, log)
  const recorder = createRecorder({ clock, log, timers, emit, folder })
  const legs = new Map<LegId, SimulatedLeg>()
  const rooms = new Map<RoomId, SimulatedRoom>()
  const player = createPlayer(
    timers,
    () => clock.now(),
    emit,
    ({ id }) => changed(legs.get(id)),
  )
  const endListeners: ((leg: SimulatedLeg) => void)[] = []

  function living(id: LegId): SimulatedLeg {
    const leg = legs.get(id)
    if (!leg) throw legGone(id)
    return leg
  }

  function roomOf(id: RoomId): SimulatedRoom {
    const room = rooms.get(id)
    if (!room) throw new Error(`Room ${id} is closed`)
    return room
  }

  function openLeg(side: Side, number: string | null, phase: SimulatedLeg['phase']): SimulatedLeg {
    const leg = newLeg(newId('leg'), side, number, phase)
    legs.set(leg.id, leg)
    return leg
  }

  function openRoom(): SimulatedRoom {
    const room = newSimulatedRoom(newId('room'))
    rooms.set(room.id, room)
    return room
  }

  /** Notifies the recordings of the leg, the other participants and the simulated person. */
  function changed(leg: SimulatedLeg | undefined): void {
    if (leg?.room) changedIn(leg.room)
    else if (leg) notice(leg)
  }

  function changedIn(room: SimulatedRoom): void {
    recorder.voicesChanged(room)
    for (const member of [...room.members]) notice(member)
  }

  function notice(leg: SimulatedLeg): void {
    recorder.voicesChanged(leg)
    leg.person?.()
  }

  function after(leg: SimulatedLeg, ms: number, run: () => void): Cancel {
    const forget = () => {
      cancel()
      leg.waits.delete(forget)
    }
    const cancel = timers.after(ms, () => {
      leg.waits.delete(forget)
      run()
    })
    leg.waits.add(forget)
    return forget
  }

  function openDialog(leg: SimulatedLeg): void {
    if (leg.dialog !== null) return
    leg.dialog = newId('dialog')
    emit({ kind: 'leg.dialog', leg: leg.id, dialog: leg.dialog })
  }

  function connect(leg: SimulatedLeg): void {
    openDialog(leg)
    leg.phase = 'up'
    emit({ kind: 'leg.answered', leg: leg.id })
    emit({ kind: 'leg.connected', leg: leg.id })
    changed(leg)
  }

  function enter(
    room: SimulatedRoom,
    leg: SimulatedLeg,
    { muted = false, listenOnly = false, whisperTo = [] }: JoinOptions,
  ): void {
    if (leg.room !== room) {
      exit(leg)
      const tones = [...room.members].map(({ tone }) => tone)
      leg.tone = toneFor(leg.side, leg.tone, tones)
      leg.room = room
      room.members.add(leg)
    }
    if (!leg.playing?.said) leg.spokenTo = null
    leg.muted = muted
    leg.manner = listenOnly ? 'listener' : whisperTo.length > 0 ? 'whisperer' : 'participant'
    changed(leg)
  }

  function exit(leg: SimulatedLeg): void {
    const { room } = leg
    if (!room) return
    room.members.delete(leg)
    leg.room = null
    leg.muted = false
    leg.manner = 'participant'
    changedIn(room)
    notice(leg)
  }

  function closeRoom(room: SimulatedRoom): void {
    recorder.stopAllOf(room)
    for (const leg of room.members) exit(leg)
    rooms.delete(room.id)
  }

  function end(leg: SimulatedLeg, reason: EndReason, code?: number): void {
    if (!legs.delete(leg.id)) return
    for (const giveUp of leg.waits) giveUp()
    leg.person = null
    player.silence(leg)
    fallSilent(leg)
    recorder.stopAllOf(leg)
    exit(leg)
    emit({ kind: 'leg.ended', leg: leg.id, reason, ...(code !== undefined && { code }) })
    for (const listener of endListeners) listener(leg)
  }

  function press(leg: SimulatedLeg, digit: string): void {
    if (leg.spokenTo) leg.spokenTo.answered = true
    if (leg.playing?.bargeInOn.includes(digit)) player.stop(leg, 'dtmf')
    emit({ kind: 'leg.dtmf', leg: leg.id, digit })
  }

  function speak(leg: SimulatedLeg, text: string | null): void {
    const speech: SpokenUtterance = { text, startedAt: clock.now(), endedAt: null }
    leg.speech = speech
    if (leg.spokenTo && text !== null) {
      leg.spokenTo.answered = true
      emit({ kind: 'leg.speaks', leg: leg.id })
    }
    if (text !== null) leg.lines.push(speech)
    changed(leg)
  }

  function fallSilent(leg: SimulatedLeg): void {
    if (!leg.speech) return
    leg.speech.endedAt = clock.now()
    const { text, startedAt } = leg.speech
    leg.speech = null
    const isHeard = text !== null && !leg.muted && leg.manner === 'participant' && legs.has(leg.id)
    if (isHeard) emit({ kind: 'leg.spoke', leg: leg.id, text, startedAt })
    if (leg.spokenTo && text !== null && legs.has(leg.id)) {
      leg.spokenTo.answered = true
      emit({ kind: 'leg.said', leg: leg.id, text })
    }
    changed(leg)
  }

  /** The far end of a leg, for the simulated person. */
  function phoneOf(leg: SimulatedLeg): SimulatedPhone {
    const signs: Record<CallCondition, () => boolean> = {
      answered: () => leg.phase === 'up',
      company: () => hasOtherParticipant(leg) || leg.spokenTo !== null,
      reply: () => !leg.spokenTo?.answered,
      turn: () => !leg.spokenTo || (!leg.spokenTo.answered && !leg.playing),
      callback_offer: () => leg.callbackWasOffered,
      recording: () => [...leg.recordings].some(({ take }) => take !== null),
    }
    return {
      is: (sign) => signs[sign](),
      after: (ms, run) => after(leg, ms, run),
      press: (digit) => press(leg, digit),
      speak: (text) => speak(leg, text),
      fallSilent: () => fallSilent(leg),
      hangUp: () => end(leg, leg.phase === 'up' ? 'hangup' : 'cancelled'),
    }
  }

  return {
    emit,
    on,
    player,
    recorder,
    legs,
    rooms,
    pending: timers.pending,
    living,
    roomOf,
    openLeg,
    openRoom,
    changed,
    after,
    openDialog,
    connect,
    enter,
    exit,
    closeRoom,
    end,
    phoneOf,
    whenEnded: (listener: (leg: SimulatedLeg) => void) => void endListeners.push(listener),
  }
}
