import type { LegId, TapListener, VoiceEvent, VoiceEventOf, VoiceFact } from '../../domain/voice.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { createRecentSet } from '../../lib/recent-set.ts'
import type { Adopted, LineNodeMessage } from '../../line-node/protocol.ts'
import { decode } from '../../media/g711.ts'

/** What this process has on the line node: legs, recordings and taps, and their events. */
export interface NodeInventory {
  legs(): LegId[]
  /** Resolves when the last leg has ended. */
  whenEmpty(): Promise<void>
  add(adopted: Adopted): void
  addLeg(leg: LegId): void
  addRecording(recId: string): void
  addTap(tapId: string, listener: TapListener): void
  removeTap(tapId: string): void
  recordings(): string[]
  onMessage(message: Extract<LineNodeMessage, { kind: 'event' | 'tap' | 'tapEnded' }>): void
  on(listener: (event: VoiceEvent) => void): void
  report(fact: VoiceFact): void
  /** The recording whose end that event was, if it was copied from another host. */
  takeTransferred(seq: number): string | undefined
  /** Another node, or one that was started again, counts its events anew. */
  startOver(): void
  /** The node is gone: legs end, and recordings end with what is on the disk. */
  loseAll(): void
}

interface Options {
  clock: Clock
  log: Log
  salvage(recId: string): Promise<{ file: string; seconds: number } | undefined>
  /** For a node on another host. */
  fetchRecording?: FetchRecording | undefined
}

/** Copies a recording from another host; resolves with the local file. */
export type FetchRecording = (recId: string) => Promise<string>

const maxDelivered = 20_000

export function createNodeInventory({ clock, log, salvage, fetchRecording }: Options): NodeInventory {
  const listeners: ((event: VoiceEvent) => void)[] = []
  const waiting: (() => void)[] = []
  const legs = new Set<LegId>()
  const recordings = new Set<string>()
  const taps = new Map<string, TapListener>()
  /** A node that was disconnected for a moment repeats what was not acknowledged. */
  let delivered = createRecentSet<number>(maxDelivered)
  const transfers = new Set<string>()
  const transferred = new Map<number, string>()
  let newest = { seq: 0, at: 0 }
  let ownSeq = 0

  function emit(event: VoiceEvent): void {
    if (event.kind === 'leg.ended') legs.delete(event.leg)
    if (event.kind === 'leg.incoming') legs.add(event.leg)
    if (event.kind === 'record.ended') recordings.delete(event.recId)
    for (const listener of listeners) listener(event)
    if (legs.size === 0) for (const resolve of waiting.splice(0)) resolve()
  }

  function receive(event: VoiceEvent, ageMs: number): void {
    if (delivered.has(event.seq)) return
    const own = { ...event, at: timeOf(event, ageMs) }
    if (own.kind === 'record.ended' && fetchRecording) return void transfer(own, fetchRecording)
    delivered.add(event.seq)
    emit(own)
  }

  /** In the order of the events, although they were under way for different times. */
  function timeOf({ seq }: VoiceEvent, ageMs: number): number {
    const now = clock.now()
    if (seq <= newest.seq) return now - ageMs
    newest = { seq, at: Math.min(now, Math.max(now - ageMs, newest.at)) }
    return newest.at
  }

  /** The engine receives the end of a recording when its file is on this host. */
  async function transfer(event: VoiceEventOf<'record.ended'>, fetchFile: FetchRecording): Promise<void> {
    const { seq, recId } = event
    if (transfers.has(recId)) return
    transfers.add(recId)
    try {
      const file = await fetchFile(recId)
      delivered.add(seq)
      transferred.set(seq, recId)
      emit({ ...event, file })
    } catch (error) {
      // The node sends the event again when it is connected again.
      log.error({ event: 'recording.not_transferred', error, recId }, 'recording could not be transferred')
    }
    transfers.delete(recId)
  }

  /** An event of this process, about a node that is gone: negative numbers are never acknowledged to a node. */
  const report = (fact: VoiceFact) => emit({ seq: --ownSeq, at: clock.now(), ...fact })

  function endTap(tapId: string, cause: 'leg_gone' | 'overrun'): void {
    const listener = taps.get(tapId)
    taps.delete(tapId)
    listener?.onEnd(cause)
  }

  function rescue(recId: string): void {
    recordings.delete(recId)
    salvage(recId).then(
      (found) => found && report({ kind: 'record.ended', recId, ...found }),
      (error) => log.error({ event: 'recording.lost', error, recId }, 'recording could not be recovered'),
    )
  }

  return {
    legs: () => [...legs],
    recordings: () => [...recordings],
    async whenEmpty() {
      if (legs.size > 0) await new Promise<void>((resolve) => waiting.push(resolve))
    },
    add(adopted) {
      for (const leg of adopted.legs) legs.add(leg)
      for (const recId of adopted.recordings) recordings.add(recId)
    },
    addLeg: (leg) => void legs.add(leg),
    addRecording: (recId) => void recordings.add(recId),
    addTap: (tapId, listener) => void taps.set(tapId, listener),
    removeTap: (tapId) => void taps.delete(tapId),
    onMessage(message) {
      if (message.kind === 'event') receive(message.event, message.ageMs)
      else if (message.kind === 'tapEnded') endTap(message.tapId, message.cause)
      else taps.get(message.tapId)?.onSamples(decode('PCMU', Buffer.from(message.ulaw, 'base64')))
    },
    on: (listener) => void listeners.push(listener),
    report,
    takeTransferred(seq) {
      const recId = transferred.get(seq)
      transferred.delete(seq)
      return recId
    },
    startOver() {
      transferred.clear()
      newest = { seq: 0, at: 0 }
      delivered = createRecentSet(maxDelivered)
    },
    loseAll() {
      for (const tapId of [...taps.keys()]) endTap(tapId, 'leg_gone')
      for (const leg of [...legs]) report({ kind: 'leg.ended', leg, reason: 'lost' })
      for (const recId of [...recordings]) rescue(recId)
    },
  }
}
