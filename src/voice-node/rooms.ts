import type { JoinOptions, LegId, RoomId } from '../domain/voice.ts'
import { samplesPerFrame } from '../media/g711.ts'
import type { Leg } from './leg.ts'
import type { Player } from './player.ts'
import type { Recorder } from './recorder.ts'
import type { Tap } from './tap.ts'
import { Voice } from './voice.ts'

/** A leg in the mixer. */
export interface Seat {
  readonly leg: Leg
  room: Room | null
  muted: boolean
  listenOnly: boolean
  whisperTo: ReadonlySet<LegId> | null
  /** A player replaces the room's audio for this leg alone; a voice is mixed into the room. */
  player: Player | Voice | null
  readonly recorders: Set<Recorder>
  readonly taps: Set<Tap>
  /** 20 ms of the voice, if there is one. */
  readonly voiced: Int16Array
  /** The last 20 ms received from the leg and sent to it. */
  readonly said: Int16Array
  readonly heard: Int16Array
}

export interface Room {
  readonly id: RoomId
  readonly seats: Set<Seat>
  readonly recorders: Set<Recorder>
}

export const newSeat = (leg: Leg): Seat => ({
  leg,
  room: null,
  muted: false,
  listenOnly: false,
  whisperTo: null,
  player: null,
  recorders: new Set(),
  taps: new Set(),
  voiced: new Int16Array(samplesPerFrame),
  said: new Int16Array(samplesPerFrame),
  heard: new Int16Array(samplesPerFrame),
})

export const newRoom = (id: RoomId): Room => ({ id, seats: new Set(), recorders: new Set() })

/** Joining the same room again only changes the options; joining another room moves the participant. */
export function sit(seat: Seat, room: Room, options: JoinOptions): void {
  if (seat.room !== room) rise(seat)
  room.seats.add(seat)
  seat.room = room
  seat.muted = options.muted ?? false
  seat.listenOnly = options.listenOnly ?? false
  seat.whisperTo = options.whisperTo ? new Set(options.whisperTo) : null
}

export function rise(seat: Seat): void {
  seat.room?.seats.delete(seat)
  seat.room = null
}

const isHeardByAll = (seat: Seat) => !seat.muted && !seat.listenOnly && seat.whisperTo === null
const isWhisper = (seat: Seat) => !seat.muted && !seat.listenOnly && seat.whisperTo !== null

// Shared by all rooms, one after the other: a tick allocates nothing.
const internal = new Int32Array(samplesPerFrame)
const external = new Int32Array(samplesPerFrame)
const sum = new Int32Array(samplesPerFrame)
const oneSide = new Int16Array(samplesPerFrame)
const otherSide = new Int16Array(samplesPerFrame)
const nothing = new Int16Array(samplesPerFrame)

/** Mixes 20 ms. `full` is called for a recorder that has had its last frame, `late` for a tap whose reader is too slow. */
export function tick(
  seats: ReadonlyMap<LegId, Seat>,
  rooms: ReadonlyMap<RoomId, Room>,
  full: (recorder: Recorder) => void,
  late: (seat: Seat, tap: Tap) => void = () => {},
): void {
  for (const seat of seats.values()) {
    seat.leg.stream.take(seat.said)
    for (const tap of seat.taps) if (!tap.write(seat.muted ? null : seat.said)) late(seat, tap)
    if (seat.player instanceof Voice) speak(seat, seat.player)
  }
  for (const room of rooms.values()) mix(room, full)
  for (const seat of seats.values()) {
    if (!seat.room) seat.heard.fill(0)
    play(seat)
    seat.leg.stream.send(seat.heard, seat.leg.maySend)
    for (const recorder of seat.recorders) if (recorder.write(seat.said, nothing)) full(recorder)
  }
}

function speak(seat: Seat, voice: Voice): void {
  if (voice.next(seat.voiced)) return
  seat.player = null
  voice.end('done')
}

function play(seat: Seat): void {
  const { player } = seat
  if (player instanceof Voice) {
    if (!seat.room) seat.heard.set(seat.voiced)
    return
  }
  if (!player || player.next(seat.heard)) return
  seat.player = null
  player.end('done')
}

function mix(room: Room, full: (recorder: Recorder) => void): void {
  if (!joinPair(room, full)) mixAll(room, full)
}

/** Fast path: most rooms have one internal and one external participant and need no mixing. False: this one does. */
function joinPair({ seats, recorders }: Room, full: (recorder: Recorder) => void): boolean {
  if (seats.size !== 2) return false
  const [one, other] = seats
  if (!one || !other || one.leg.side === other.leg.side || !isHeardByAll(one) || !isHeardByAll(other)) return false
  if (one.player instanceof Voice || other.player instanceof Voice) return false
  for (const recorder of recorders) if (recorder.options.channels !== 2) return false
  one.heard.set(other.said)
  other.heard.set(one.said)
  const [inside, outside] = one.leg.side === 'internal' ? [one, other] : [other, one]
  for (const recorder of recorders) if (recorder.write(inside.said, outside.said)) full(recorder)
  return true
}

/** Each participant receives the sum of the others. A whisper reaches only its recipients and no recording. */
function mixAll(room: Room, full: (recorder: Recorder) => void): void {
  internal.fill(0)
  external.fill(0)
  let hasWhisper = false
  for (const seat of room.seats) {
    if (isHeardByAll(seat)) add(seat.leg.side === 'internal' ? internal : external, seat.said)
    hasWhisper ||= isWhisper(seat)
    if (seat.player instanceof Voice) {
      add(internal, seat.voiced)
      for (const recorder of room.recorders) recorder.note(seat.player.saying)
    }
  }
  for (const seat of room.seats) {
    for (let i = 0; i < samplesPerFrame; i++) sum[i] = (internal[i] ?? 0) + (external[i] ?? 0)
    if (isHeardByAll(seat)) for (let i = 0; i < samplesPerFrame; i++) sum[i] = (sum[i] ?? 0) - (seat.said[i] ?? 0)
    if (hasWhisper) addWhispers(room, seat)
    saturate(sum, seat.heard)
  }
  for (const recorder of room.recorders) if (write(recorder)) full(recorder)
}

function addWhispers(room: Room, listener: Seat): void {
  for (const seat of room.seats) {
    if (seat !== listener && isWhisper(seat) && seat.whisperTo?.has(listener.leg.id)) add(sum, seat.said)
  }
}

function write(recorder: Recorder): boolean {
  if (recorder.options.channels === 2) {
    saturate(internal, oneSide)
    saturate(external, otherSide)
    return recorder.write(oneSide, otherSide)
  }
  for (let i = 0; i < samplesPerFrame; i++) sum[i] = (internal[i] ?? 0) + (external[i] ?? 0)
  saturate(sum, oneSide)
  return recorder.write(oneSide, nothing)
}

function add(total: Int32Array, samples: Int16Array): void {
  for (let i = 0; i < samplesPerFrame; i++) total[i] = (total[i] ?? 0) + (samples[i] ?? 0)
}

function saturate(from: Int32Array, into: Int16Array): void {
  for (let i = 0; i < samplesPerFrame; i++) {
    const value = from[i] ?? 0
    into[i] = value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value
  }
}
