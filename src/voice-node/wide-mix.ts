import { Upsampler, wideSamplesPerFrame } from '../media/wideband.ts'
import { add, isAudible, isWhisper, saturate } from './mixing.ts'
import type { Participant, Room } from './rooms.ts'
import type { Forwarded } from './stream.ts'
import { SpeechVoice } from './voice.ts'

// Wideband audio of rooms. Every room is mixed at 8 kHz, for its narrowband legs and its recordings; a room with two or more
// wideband legs is mixed at 16 kHz as well, for these legs only.

/** Audio of one participant at 16 kHz. */
export interface WideAudio {
  readonly inbound: Int16Array
  readonly outbound: Int16Array
  readonly voiced: Int16Array
  /** Whether `outbound` is the mix of this tick; otherwise the narrowband audio is sent, at 16 kHz. */
  isMixed: boolean
  /** What is sent unchanged, instead of being encoded again. */
  forwarded: Forwarded | null
  readonly fromInbound: Upsampler
  readonly fromOutbound: Upsampler
  readonly fromVoiced: Upsampler
}

export const newWideAudio = (): WideAudio => ({
  inbound: new Int16Array(wideSamplesPerFrame),
  outbound: new Int16Array(wideSamplesPerFrame),
  voiced: new Int16Array(wideSamplesPerFrame),
  isMixed: false,
  forwarded: null,
  fromInbound: new Upsampler(),
  fromOutbound: new Upsampler(),
  fromVoiced: new Upsampler(),
})

/** A single wideband leg has no wideband peer: the narrowband mix loses nothing. */
export function isWideRoom({ participants }: Room): boolean {
  let wide = 0
  for (const { leg } of participants) if (leg.stream.isWide) wide++
  return wide >= 2
}

// Shared by all rooms, one after the other: a tick allocates nothing.
const total = new Int32Array(wideSamplesPerFrame)
const sum = new Int32Array(wideSamplesPerFrame)

/** For a room in which `isWideRoom`. */
export function mixWide(room: Room): void {
  const [one, other] = room.participants
  if (one && other && isConversation(room)) {
    deliver(one, other)
    deliver(other, one)
  } else mixAllWide(room)
}

/** Two participants that receive each other's audio need no mixing and, with the same codec, no transcoding. */
function isConversation({ participants }: Room): boolean {
  if (participants.size !== 2) return false
  for (const participant of participants) {
    if (!isAudible(participant) || participant.player instanceof SpeechVoice) return false
  }
  return true
}

function deliver(from: Participant, to: Participant): void {
  to.wide.outbound.set(from.wide.inbound)
  to.wide.isMixed = true
  to.wide.forwarded = from.leg.stream.forwardableTo(to.leg.stream)
}

/** Each wideband participant receives the sum of the others. */
function mixAllWide({ participants }: Room): void {
  total.fill(0)
  let hasWhisper = false
  for (const participant of participants) {
    const { wide, leg } = participant
    if (!leg.stream.isWide) wide.fromInbound.run(participant.inbound, wide.inbound)
    if (isAudible(participant)) add(total, wide.inbound)
    hasWhisper ||= isWhisper(participant)
    if (!(participant.player instanceof SpeechVoice)) continue
    wide.fromVoiced.run(participant.voiced, wide.voiced)
    add(total, wide.voiced)
  }
  for (const participant of participants) {
    const { wide, leg } = participant
    if (!leg.stream.isWide) continue
    sum.set(total)
    if (isAudible(participant)) subtract(sum, wide.inbound)
    if (hasWhisper) addWideWhispers(participants, participant)
    saturate(sum, wide.outbound)
    wide.isMixed = true
  }
}

function addWideWhispers(participants: ReadonlySet<Participant>, listener: Participant): void {
  for (const participant of participants) {
    if (participant !== listener && isWhisper(participant) && participant.whisperTo?.has(listener.leg.id))
      add(sum, participant.wide.inbound)
  }
}

function subtract(from: Int32Array, samples: Int16Array): void {
  for (let i = 0; i < samples.length; i++) from[i] = (from[i] ?? 0) - (samples[i] ?? 0)
}

/** Sends 20 ms to a wideband leg. */
export function sendWide({ leg, outbound, wide }: Participant): void {
  if (!wide.isMixed) wide.fromOutbound.run(outbound, wide.outbound)
  leg.stream.send(wide.outbound, leg.maySend, wide.isMixed ? wide.forwarded : null)
}
