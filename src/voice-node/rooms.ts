import type { JoinOptions, LegId, RoomId } from '../domain/voice.ts'
import { samplesPerFrame } from '../media/g711.ts'
import type { MediaLeg } from './leg.ts'
import { add, isAudible, isWhisper, saturate } from './mixing.ts'
import type { Player } from './player.ts'
import type { Recorder } from './recorder.ts'
import type { Tap } from './tap.ts'
import { SpeechVoice } from './voice.ts'
import { isWideRoom, mixWide, newWideAudio, sendWide, type WideAudio } from './wide-mix.ts'

/** A leg in the mixer. */
export interface Participant {
  readonly leg: MediaLeg
  room: Room | null
  muted: boolean
  listenOnly: boolean
  whisperTo: ReadonlySet<LegId> | null
  /** A player replaces the room's audio for this leg alone; a voice is mixed into the room. */
  player: Player | SpeechVoice | null
  readonly recorders: Set<Recorder>
  readonly taps: Set<Tap>
  /** 20 ms of the voice, if there is one. */
  readonly voiced: Int16Array
  /** The last 20 ms received from the leg and sent to it, at 8 kHz. */
  readonly inbound: Int16Array
  readonly outbound: Int16Array
  /** The same at 16 kHz, where both sides are wideband. */
  readonly wide: WideAudio
}

export interface Room {
  readonly id: RoomId
  readonly participants: Set<Participant>
  readonly recorders: Set<Recorder>
}

export const newParticipant = (leg: MediaLeg): Participant => ({
  leg,
  room: null,
  muted: false,
  listenOnly: false,
  whisperTo: null,
  player: null,
  recorders: new Set(),
  taps: new Set(),
  voiced: new Int16Array(samplesPerFrame),
  inbound: new Int16Array(samplesPerFrame),
  outbound: new Int16Array(samplesPerFrame),
  wide: newWideAudio(),
})

export const newRoom = (id: RoomId): Room => ({ id, participants: new Set(), recorders: new Set() })

/** Joining the same room again only changes the options; joining another room moves the participant. */
export function join(participant: Participant, room: Room, options: JoinOptions): void {
  if (participant.room !== room) leave(participant)
  room.participants.add(participant)
  participant.room = room
  participant.muted = options.muted ?? false
  participant.listenOnly = options.listenOnly ?? false
  participant.whisperTo = options.whisperTo ? new Set(options.whisperTo) : null
}

export function leave(participant: Participant): void {
  participant.room?.participants.delete(participant)
  participant.room = null
}

// Shared by all rooms, one after the other: a tick allocates nothing.
const internal = new Int32Array(samplesPerFrame)
const external = new Int32Array(samplesPerFrame)
const sum = new Int32Array(samplesPerFrame)
const oneSide = new Int16Array(samplesPerFrame)
const otherSide = new Int16Array(samplesPerFrame)
const nothing = new Int16Array(samplesPerFrame)

/** Mixes 20 ms. `full` is called for a recorder that has had its last frame, `late` for a tap whose reader is too slow. */
export function tick(
  participants: ReadonlyMap<LegId, Participant>,
  rooms: ReadonlyMap<RoomId, Room>,
  full: (recorder: Recorder) => void,
  late: (participant: Participant, tap: Tap) => void = () => {},
): void {
  for (const participant of participants.values()) {
    participant.leg.stream.take(participant.inbound, participant.wide.inbound)
    participant.wide.isMixed = false
    participant.wide.forwarded = null
    for (const tap of participant.taps)
      if (!tap.write(participant.muted ? null : participant.inbound)) late(participant, tap)
    if (participant.player instanceof SpeechVoice) speak(participant, participant.player)
  }
  for (const room of rooms.values()) mix(room, full)
  for (const participant of participants.values()) {
    if (!participant.room) participant.outbound.fill(0)
    play(participant)
    if (participant.leg.stream.isWide) sendWide(participant)
    else participant.leg.stream.send(participant.outbound, participant.leg.maySend)
    for (const recorder of participant.recorders) if (recorder.write(participant.inbound, nothing)) full(recorder)
  }
}

function speak(participant: Participant, voice: SpeechVoice): void {
  if (voice.next(participant.voiced)) return
  participant.player = null
  voice.end(voice.ending)
}

function play(participant: Participant): void {
  const { player } = participant
  if (player instanceof SpeechVoice) {
    if (!participant.room) participant.outbound.set(participant.voiced)
    return
  }
  if (!player) return
  // What is played has 8 kHz.
  participant.wide.isMixed = false
  if (player.next(participant.outbound)) return
  participant.player = null
  player.end('done')
}

function mix(room: Room, full: (recorder: Recorder) => void): void {
  if (!joinPair(room, full)) mixAll(room, full)
  if (isWideRoom(room)) mixWide(room)
}

/** Fast path: most rooms have one internal and one external participant and need no mixing. False: this one does. */
function joinPair({ participants, recorders }: Room, full: (recorder: Recorder) => void): boolean {
  if (participants.size !== 2) return false
  const [one, other] = participants
  if (!one || !other || one.leg.side === other.leg.side || !isAudible(one) || !isAudible(other)) return false
  if (one.player instanceof SpeechVoice || other.player instanceof SpeechVoice) return false
  for (const recorder of recorders) if (recorder.options.channels !== 2) return false
  one.outbound.set(other.inbound)
  other.outbound.set(one.inbound)
  const [inside, outside] = one.leg.side === 'internal' ? [one, other] : [other, one]
  for (const recorder of recorders) if (recorder.write(inside.inbound, outside.inbound)) full(recorder)
  return true
}

/** Each participant receives the sum of the others. A whisper reaches only its recipients and no recording. */
function mixAll(room: Room, full: (recorder: Recorder) => void): void {
  internal.fill(0)
  external.fill(0)
  let hasWhisper = false
  for (const participant of room.participants) {
    if (isAudible(participant)) add(participant.leg.side === 'internal' ? internal : external, participant.inbound)
    hasWhisper ||= isWhisper(participant)
    if (participant.player instanceof SpeechVoice) {
      add(internal, participant.voiced)
      for (const recorder of room.recorders) recorder.note(participant.player.saying)
    }
  }
  for (const participant of room.participants) {
    for (let i = 0; i < samplesPerFrame; i++) sum[i] = (internal[i] ?? 0) + (external[i] ?? 0)
    if (isAudible(participant))
      for (let i = 0; i < samplesPerFrame; i++) sum[i] = (sum[i] ?? 0) - (participant.inbound[i] ?? 0)
    if (hasWhisper) addWhispers(room, participant)
    saturate(sum, participant.outbound)
  }
  for (const recorder of room.recorders) if (write(recorder)) full(recorder)
}

function addWhispers(room: Room, listener: Participant): void {
  for (const participant of room.participants) {
    if (participant !== listener && isWhisper(participant) && participant.whisperTo?.has(listener.leg.id))
      add(sum, participant.inbound)
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
