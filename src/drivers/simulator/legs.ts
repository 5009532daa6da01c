import type { LegId, RoomId } from '../../domain/voice.ts'
import type { Cancel } from '../../lib/clock.ts'
import type { Person } from './people.ts'
import type { Ear } from './player.ts'
import type { Source } from './recorder.ts'
import type { Speech, Voice } from './score.ts'
import { type Side, toneFor, voiceTone } from './sounds.ts'

export interface Leg extends Ear, Source {
  readonly id: LegId
  readonly side: Side
  /** The company's Number on the call; a browser has none. */
  readonly number: string | null
  /** Who holds the far end, as they are dialled; a browser has none. */
  phone: string | null
  /** What is waited for on this leg, given up when it ends. */
  readonly waits: Set<Cancel>
  phase: 'incoming' | 'dialling' | 'up'
  dialog: string | null
  room: Room | null
  muted: boolean
  /** Anybody but a participant only listens, or whispers, and is never recorded. */
  manner: 'participant' | 'listener' | 'whisperer'
  tone: number
  speech: Spoken | null
  lines: Spoken[]
  /** What it says is to be made into speech. */
  aloud: boolean
  /** Talks whenever somebody listens, instead of saying lines. */
  talksSteadily: boolean
  callbackWasOffered: boolean
  /** An AI voice agent speaks on the leg; whether what it said last was answered. */
  spokenTo: { answered: boolean } | null
  digitsHeard: string
  person: Person | null
}

export interface Room extends Source {
  readonly id: RoomId
  readonly members: Set<Leg>
}

export interface Spoken extends Speech {
  startedAt: number
  endedAt: number | null
}

export function newLeg(id: LegId, side: Side, number: string | null, phase: Leg['phase']): Leg {
  const leg: Leg = {
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
    aloud: false,
    talksSteadily: true,
    callbackWasOffered: false,
    spokenTo: null,
    digitsHeard: '',
    person: null,
    playing: null,
    recordings: new Set(),
    voices: () => voicesOf([leg]),
  }
  return leg
}

export function newRoom(id: RoomId): Room {
  const members = new Set<Leg>()
  return { id, members, recordings: new Set(), voices: () => voicesOf([...members]) }
}

/** Whether somebody else is on the call: an agent, for a caller. */
export const hasCompany = (leg: Leg): boolean => others(leg).some(({ manner }) => manner === 'participant')

function voicesOf(legs: readonly Leg[]): Voice[] {
  const people = legs
    .filter(isHeard)
    .map(({ side, tone, speech, phone, aloud }) => ({ side, hz: tone, speech, phone, aloud }))
  return [...legs.flatMap(voiceTo), ...people]
}

function voiceTo({ playing, room, aloud }: Leg): Voice[] {
  // Without a room it is heard by the leg alone, whose own recording has only what it says itself.
  if (!playing?.said || !room) return []
  const { said } = playing
  return [{ side: 'left', hz: voiceTone, speech: said, phone: null, voiceAgentId: said.speaker, aloud }]
}

function isHeard(leg: Leg): boolean {
  if (leg.muted || leg.manner !== 'participant') return false
  return leg.speech !== null || (leg.talksSteadily && isListenedTo(leg))
}

// Who is played something hears that and not the room: nobody talks to a party on hold.
const isListenedTo = (leg: Leg) => others(leg).some(({ manner, playing }) => manner === 'participant' && !playing)

const others = ({ id, room }: Leg) => [...(room?.members ?? [])].filter((member) => member.id !== id)
