import type { LegId, RoomId } from '../../domain/voice.ts'
import type { Cancel } from '../../lib/clock.ts'
import type { SimulatedPerson } from './people.ts'
import type { PlaybackTarget } from './player.ts'
import type { RecordingSource } from './recorder.ts'
import { type Side, toneFor, voiceTone } from './sounds.ts'
import type { AudibleVoice, SimulatedUtterance } from './take.ts'

export interface SimulatedLeg extends PlaybackTarget, RecordingSource {
  readonly id: LegId
  readonly side: Side
  /** The Number on the call; null for a browser. */
  readonly number: string | null
  /** Phone number of the far end; null for a browser. */
  phone: string | null
  /** Pending timers of this leg, cancelled when it ends. */
  readonly waits: Set<Cancel>
  phase: 'incoming' | 'dialling' | 'up'
  dialog: string | null
  room: SimulatedRoom | null
  muted: boolean
  /** Listeners and whisperers are never recorded. */
  manner: 'participant' | 'listener' | 'whisperer'
  tone: number
  speech: SpokenUtterance | null
  lines: SpokenUtterance[]
  /** Its lines are synthesized as speech. */
  synthesized: boolean
  /** Talks continuously while another participant listens, instead of speaking scripted lines. */
  talksSteadily: boolean
  /** Its script contains the lines of the agent on the call. */
  scriptsAgent: boolean
  callbackWasOffered: boolean
  /** Set while an AI voice agent speaks on the leg; `answered`: its last utterance got a reply. */
  spokenTo: { answered: boolean } | null
  lastPlayId: string | null
  receivedDigits: string
  person: SimulatedPerson | null
}

export interface SimulatedRoom extends RecordingSource {
  readonly id: RoomId
  readonly members: Set<SimulatedLeg>
}

export interface SpokenUtterance extends SimulatedUtterance {
  startedAt: number
  endedAt: number | null
}

export function newLeg(id: LegId, side: Side, number: string | null, phase: SimulatedLeg['phase']): SimulatedLeg {
  const leg: SimulatedLeg = {
    id,
    side,
    number,
    phone: null,
    phase,
    waits: new Set(),
    dialog: null,
    room: null,
    muted: false,
    manner: 'participant',
    tone: toneFor(side, null, []),
    speech: null,
    lines: [],
    synthesized: false,
    talksSteadily: true,
    scriptsAgent: false,
    callbackWasOffered: false,
    spokenTo: null,
    lastPlayId: null,
    receivedDigits: '',
    person: null,
    playing: null,
    recordings: new Set(),
    voices: () => voicesOf([leg]),
  }
  return leg
}

export function newSimulatedRoom(id: RoomId): SimulatedRoom {
  const members = new Set<SimulatedLeg>()
  return { id, members, recordings: new Set(), voices: () => voicesOf([...members]) }
}

/** The agent that a caller talks to; of several, the first to have joined. */
export const agentWith = (leg: SimulatedLeg): SimulatedLeg | undefined =>
  others(leg).find(({ side, manner }) => side === 'left' && manner === 'participant')

export const isAnotherSpeaking = (leg: SimulatedLeg): boolean =>
  others(leg).some(({ speech, manner }) => speech !== null && manner === 'participant')

/** Whether another participant is on the call. */
export const hasOtherParticipant = (leg: SimulatedLeg): boolean =>
  others(leg).some(({ manner }) => manner === 'participant')

function voicesOf(legs: readonly SimulatedLeg[]): AudibleVoice[] {
  const people = legs
    .filter(isAudible)
    .map(({ side, tone, speech, phone, synthesized }) => ({ side, hz: tone, speech, phone, synthesized }))
  return [...legs.flatMap(voiceTo), ...people]
}

function voiceTo({ playing, room, synthesized }: SimulatedLeg): AudibleVoice[] {
  // Without a room only the leg itself receives it, and the recording of a leg has only its own audio.
  if (!playing?.said || !room) return []
  const { said } = playing
  return [{ side: 'left', hz: voiceTone, speech: said, phone: null, voiceAgentId: said.speaker, synthesized }]
}

function isAudible(leg: SimulatedLeg): boolean {
  if (leg.muted || leg.manner !== 'participant') return false
  if (leg.speech !== null) return true
  const isScripted = leg.side === 'left' && others(leg).some(({ scriptsAgent }) => scriptsAgent)
  return leg.talksSteadily && !isScripted && isListenedTo(leg)
}

// A leg that is played audio does not receive the room: a participant on hold is not talked to.
export const isListenedTo = (leg: SimulatedLeg) =>
  others(leg).some(({ manner, playing }) => manner === 'participant' && !playing)

const others = ({ id, room }: SimulatedLeg) => [...(room?.members ?? [])].filter((member) => member.id !== id)
