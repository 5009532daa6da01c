import type { JoinOptions, RoomId } from '../../domain/voice.ts'
import { newSimulatedRoom, type SimulatedLeg, type SimulatedRoom } from './legs.ts'
import { toneFor } from './sounds.ts'
import type { Switchboard } from './switchboard.ts'

// Rooms, and which legs are in them.

export function openRoom({ rooms, newId }: Switchboard, id = newId('room')): SimulatedRoom {
  const room = newSimulatedRoom(id)
  rooms.set(room.id, room)
  return room
}

/** Throws for a room that is closed. */
export function livingRoom({ rooms }: Switchboard, id: RoomId): SimulatedRoom {
  const room = rooms.get(id)
  if (!room) throw new Error(`Room ${id} is closed`)
  return room
}

export function enterRoom(
  board: Switchboard,
  room: SimulatedRoom,
  leg: SimulatedLeg,
  { muted = false, listenOnly = false, whisperTo = [] }: JoinOptions,
): void {
  if (leg.room !== room) {
    exitRoom(board, leg)
    const tones = [...room.members].map(({ tone }) => tone)
    leg.tone = toneFor(leg.side, leg.tone, tones)
    leg.room = room
    room.members.add(leg)
  }
  if (!leg.playing?.said) leg.spokenTo = null
  leg.muted = muted
  leg.manner = listenOnly ? 'listener' : whisperTo.length > 0 ? 'whisperer' : 'participant'
  board.changed(leg)
}

export function exitRoom({ changedIn, notice }: Switchboard, leg: SimulatedLeg): void {
  const { room } = leg
  if (!room) return
  room.members.delete(leg)
  leg.room = null
  leg.muted = false
  leg.manner = 'participant'
  changedIn(room)
  notice(leg)
}

export function closeRoom(board: Switchboard, room: SimulatedRoom): void {
  board.recorder.stopAllOf(room)
  for (const leg of room.members) exitRoom(board, leg)
  board.rooms.delete(room.id)
}
