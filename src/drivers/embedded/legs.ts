import type { DialOptions, EndReason, LegId, VoiceEvent, VoiceFact } from '../../domain/voice.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { createRecentSet } from '../../lib/recent-set.ts'
import type { OurSide } from '../../media/sdp.ts'
import { legGone } from '../leg-gone.ts'
import type { MediaProcess } from '../media-process.ts'

export type Leg = BrowserLeg | TrunkLeg

interface BrowserLeg {
  kind: 'browser'
  lastPlayId?: string
  isWide: boolean
}

export interface TrunkLeg {
  kind: 'trunk'
  lastPlayId?: string
  trunkId: string
  ours: OurSide
  /** The SDP offer that has not been answered yet. */
  offered: string | null
  /** Whether a wideband codec was negotiated. */
  isWide: boolean
  /** Our SDP of a provisional response. */
  early: string | null
  /** The first provisional response must have our offer. */
  asksForEarlyOffer: boolean
  isHeld: boolean
  isAnswered: boolean
  /** Early media may arrive before the answer; `leg.connected` is emitted only after it. */
  audio: 'none' | 'received' | 'reported'
  lastDigit?: { key: string; by: 'rtp' | 'info'; at: number }
  /** Set while no SIP response has arrived: the next trunk may still be tried. */
  dialling: { options: DialOptions; next: readonly string[] } | null
}

/** The legs that exist, and their events in the order in which the engine may receive them. */
export interface Legs {
  get(leg: LegId): Leg | undefined
  has(leg: LegId): boolean
  all(): [LegId, Leg][]
  add(leg: LegId, what: Leg): void
  /** A leg with this id exists, or has ended. */
  wasUsed(leg: LegId): boolean
  /** Throws LegGone for a leg that has ended. */
  living(leg: LegId): Leg
  trunk(leg: LegId): TrunkLeg
  /** Removes a leg that the engine does not know; no event is emitted. */
  discard(leg: LegId): void
  /** Emits `leg.ended`, once per leg. */
  ended(leg: LegId, reason: EndReason, code?: number): void
  isEmpty(): boolean
  /** Resolves when the last leg has ended and no incoming call is still being admitted. */
  whenEmpty(): Promise<void>

  on(listener: (event: VoiceEvent) => void): void
  /** Emits an event; events of legs that have ended are dropped. */
  emit(data: VoiceFact): void
  /** Emits an event unconditionally. */
  publish(data: VoiceFact): void
  /** Holds back the events of a leg whose id the engine does not know yet: neither announced nor returned by `dial`. */
  buffer(leg: LegId): void
  isBuffered(leg: LegId): boolean
  /** Legs that the engine does not know yet. */
  allBuffered(): LegId[]
  dropBuffer(leg: LegId): void
  /** From now on the engine knows the leg: its buffered events are emitted. */
  flush(leg: LegId): void
}

interface Options {
  clock: Clock
  log: Log
  media: Pick<MediaProcess, 'request'>
}

const maxRemembered = 10_000

export function createLegs({ clock, log, media }: Options): Legs {
  const legs = new Map<LegId, Leg>()
  const listeners: ((event: VoiceEvent) => void)[] = []
  const buffered = new Map<LegId, VoiceFact[]>()
  const waitingForEnd: (() => void)[] = []
  const used = createRecentSet<LegId>(maxRemembered)
  let seq = 0

  function publish(data: VoiceFact): void {
    const event = { seq: ++seq, at: clock.now(), ...data }
    for (const listener of listeners) listener(event)
  }

  const closeMedia = (leg: LegId) =>
    void media
      .request('close', { leg })
      .catch((error) => log.debug({ event: 'media.close_failed', error, leg }, 'media of a leg was closed already'))

  const isIdle = () => legs.size === 0 && buffered.size === 0

  function reportIdle(): void {
    if (isIdle()) for (const resolve of waitingForEnd.splice(0)) resolve()
  }

  function living(leg: LegId): Leg {
    const found = legs.get(leg)
    if (!found) throw legGone(leg)
    return found
  }

  return {
    get: (leg) => legs.get(leg),
    has: (leg) => legs.has(leg),
    all: () => [...legs],
    add(leg, what) {
      legs.set(leg, what)
      used.add(leg)
    },
    wasUsed: (leg) => used.has(leg) || buffered.has(leg),
    living,
    trunk(leg) {
      const found = living(leg)
      if (found.kind !== 'trunk') throw new Error(`Leg ${leg} is a browser`)
      return found
    },
    discard(leg) {
      if (legs.delete(leg)) closeMedia(leg)
      reportIdle()
    },
    ended(leg, reason, code) {
      if (!legs.delete(leg)) return
      closeMedia(leg)
      const data: VoiceFact = { kind: 'leg.ended', leg, reason, ...(code !== undefined && { code }) }
      const waiting = buffered.get(leg)
      if (waiting) waiting.push(data)
      else publish(data)
      reportIdle()
    },
    isEmpty: () => legs.size === 0,
    async whenEmpty() {
      if (!isIdle()) await new Promise<void>((resolve) => waitingForEnd.push(resolve))
    },
    on: (listener) => void listeners.push(listener),
    emit(data) {
      if ('leg' in data && data.kind !== 'leg.ended') {
        const waiting = buffered.get(data.leg)
        if (waiting) return void waiting.push(data)
        if (!legs.has(data.leg)) return
      }
      publish(data)
    },
    publish,
    buffer: (leg) => void buffered.set(leg, []),
    isBuffered: (leg) => buffered.has(leg),
    allBuffered: () => [...buffered.keys()],
    dropBuffer(leg) {
      buffered.delete(leg)
      reportIdle()
    },
    flush(leg) {
      const waiting = buffered.get(leg) ?? []
      buffered.delete(leg)
      for (const data of waiting) publish(data)
      reportIdle()
    },
  }
}
