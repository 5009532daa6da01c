import type { Tx } from '../db/database.ts'
import type { CallInput, CallMachineEvent, DriverCommand } from '../domain/call/events.ts'
import type { CallState, TimerName } from '../domain/call/state.ts'
import type { LegId, RoomId, VoiceDriver } from '../domain/voice.ts'
import type { Cancel } from '../lib/clock.ts'
import type { Reply, RequestClaim } from '../services.ts'
import { noIntervals, type RecordedIntervals } from './transcribed-call.ts'

/** A call that this process owns, with its runtime data. */
export interface ActiveCall {
  readonly key: string
  state: CallState
  /** The driver of the call, from start to end. */
  readonly driver: VoiceDriver
  /** An emergency call: accepted even at capacity. */
  readonly isUrgent: boolean
  /** Not stored yet; may be refused. */
  start: CallStart | null
  /** Queued events; one is processed at a time. */
  inbox: QueuedEvent[]
  isBusy: boolean
  timers: Map<TimerName, { due: number; cancel: Cancel }>
  rooms: Map<'main' | 'consultation', Promise<RoomId>>
  /** Recordings that have not ended. */
  recordings: Map<string, 'recording' | 'voicemail'>
  /** Driver commands, run in order. */
  commands: Promise<void>
  /** Driver commands that have not completed. */
  pending: number
  unfinished: Set<DriverCommand>
  /** Per leg, the last event of the driver that is part of the stored state. */
  seen: Map<LegId, number>
  intervals: RecordedIntervals
  /** Legs that existed when this process took over the call. */
  adopted: ReadonlySet<LegId>
  /** The stored form; null: not stored, or deleted. */
  saved: string | null
}

export interface CallStart {
  /** Why the call must not start, checked in its first transaction. */
  guard?: (tx: Tx) => Promise<string | undefined>
  started: (result: { ok: true; callId: number | null } | { ok: false; why: string }) => void
}

export interface QueuedEvent {
  event: CallMachineEvent
  /** From a process that has ended; keeps its time. */
  isPast?: true
  /** The event of the driver that it comes from; acknowledged once it is stored. */
  source?: { seq: number; leg?: LegId }
  reply?: (reply: Reply) => void
  /** Marked as done in the transaction of the step. */
  claim?: RequestClaim | undefined
}

export function activeCallOf(
  state: CallState,
  driver: VoiceDriver,
  start: CallStart | null,
  isUrgent = false,
): ActiveCall {
  return {
    key: state.key,
    state,
    driver,
    isUrgent,
    start,
    inbox: [],
    isBusy: false,
    timers: new Map(),
    rooms: new Map(),
    recordings: new Map(),
    commands: Promise.resolve(),
    pending: 0,
    unfinished: new Set(),
    seen: new Map(),
    intervals: noIntervals,
    adopted: new Set(),
    saved: null,
  }
}

export const queuedEvent = (input: CallInput, at: number): QueuedEvent => ({ event: { ...input, at } })

/** The reply of a process that does not own the call; compared by identity, because another process may own it. */
export const gone: Reply = { ok: false, refused: 'gone', why: 'The call has ended' }
