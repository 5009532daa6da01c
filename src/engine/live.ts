import type { Tx } from '../db/database.ts'
import type { CallEvent, CallHappening } from '../domain/call/events.ts'
import type { CallState, TimerName } from '../domain/call/state.ts'
import type { RoomId, VoiceDriver } from '../domain/voice.ts'
import type { Cancel } from '../lib/clock.ts'
import type { Reply } from '../services.ts'

/** A call that this process owns, with what cannot be written down. */
export interface Live {
  readonly key: string
  state: CallState
  /** Who carries its sound, from its beginning to its end. */
  readonly driver: VoiceDriver
  /** An emergency: there is room for it where there is none. */
  readonly isUrgent: boolean
  /** Not written down yet; may find that it must not begin. */
  birth: Birth | null
  /** Events in the order in which they came; one is taken at a time. */
  inbox: Mail[]
  isBusy: boolean
  timers: Map<TimerName, { due: number; cancel: Cancel }>
  rooms: Map<'main' | 'aside', Promise<RoomId>>
  /** Recordings that have not ended. */
  recordings: Map<string, 'recording' | 'voicemail'>
  /** What the driver is asked for, one after the other. */
  deeds: Promise<void>
  /** Deeds that have not been done. */
  pending: number
  /** What is written down of it; null: nothing, or nothing any more. */
  saved: string | null
}

export interface Birth {
  /** Why the call must not begin, looked at in its first transaction. */
  guard?: (tx: Tx) => Promise<string | undefined>
  born: (result: { ok: true; callId: number | null } | { ok: false; why: string }) => void
}

export interface Mail {
  event: CallEvent
  /** It happened in a process that is gone, and keeps its time. */
  isPast?: true
  reply?: (reply: Reply) => void
}

export function liveOf(state: CallState, driver: VoiceDriver, birth: Birth | null, isUrgent = false): Live {
  return {
    key: state.key,
    state,
    driver,
    isUrgent,
    birth,
    inbox: [],
    isBusy: false,
    timers: new Map(),
    rooms: new Map(),
    recordings: new Map(),
    deeds: Promise.resolve(),
    pending: 0,
    saved: null,
  }
}

export const mailOf = (happening: CallHappening, at: number): Mail => ({ event: { ...happening, at } })

/** The answer of a process that does not know the call; told by its identity, because another one may. */
export const gone: Reply = { ok: false, refused: 'gone', why: 'The call has ended' }
