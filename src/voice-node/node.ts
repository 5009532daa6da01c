import { type Clock, second } from '../lib/clock.ts'
import type { BrowserTransports } from './browser-transport.ts'
import { createCapacity } from './capacity.ts'
import { type Handlers, type NodeContext, participantOf, roomOf } from './context.ts'
import { createMediaLegs, type MediaLegs } from './legs.ts'
import { createPlayback } from './playback.ts'
import type { NodeEventData, NodeOptions, NodeStats } from './protocol.ts'
import { createMediaRecordings, type MediaRecordings } from './recordings.ts'
import { join, leave, newRoom, type Participant, tick } from './rooms.ts'
import { Tap } from './tap.ts'
import { startTicker, type Ticker } from './ticker.ts'

export interface VoiceNode extends Handlers {
  /** Closes all legs; recordings are completed first. */
  end(): Promise<void>
}

interface Wiring {
  options: NodeOptions
  transports: BrowserTransports
  clock: Clock
  /** `sent` is called once the event has left the process. */
  emit(fact: NodeEventData, sent?: () => void): void
  /** Called when the last leg of a draining node is closed. */
  drained(): void
}

const ticksPerSecond = 50
const ticksBetweenReports = 5 * ticksPerSecond
const closeTimeoutMs = 2 * second

export function createVoiceNode({ options, transports, clock, emit, drained }: Wiring): VoiceNode {
  const context: NodeContext = { options, clock, emit, participants: new Map(), rooms: new Map() }
  const { participants } = context
  const ticker: Ticker = startTicker(() => onTick(context, ticker.ticks, legs, recordings))
  const capacity = createCapacity(context, () => ticker.lag().max)
  const recordings = createMediaRecordings(context)
  const mayReportForeign = oncePerSecond(ticker)
  const legs: MediaLegs = createMediaLegs({ context, transports, capacity, recordings, mayReportForeign, drained })

  return {
    ...legs.handlers,
    ...roomHandlers(context, recordings),
    ...createPlayback(context),
    ...tapHandlers(context),
    ...recordings.handlers,
    async sendDigits({ leg, digits }) {
      participantOf(context, leg).leg.stream.sendDigits(digits)
      return null
    },
    async hasRoom() {
      return { isThere: capacity.hasRoomForCall() }
    },
    async stats() {
      return statsNow(context, ticker, legs)
    },
    async drain() {
      capacity.drain()
      if (participants.size === 0) drained()
      return null
    },
    async end() {
      ticker.stop()
      legs.closeAll()
      await recordings.finishAll()
      const timeout = new Promise<void>((resolve) => clock.machineAfter(closeTimeoutMs, resolve))
      await Promise.race([legs.closed(), timeout])
      transports.end()
    },
  }
}

/** Mixes 20 ms of audio; every second and every five seconds, legs are checked and reported. */
function onTick(context: NodeContext, ticks: number, legs: MediaLegs, { finish }: MediaRecordings): void {
  const { participants, rooms, emit } = context
  const dropTap = (participant: Participant, tap: Tap) => {
    participant.taps.delete(tap)
    emit({ kind: 'tap.ended', tapId: tap.id, cause: 'overrun' })
  }
  tick(participants, rooms, (recorder) => finish(recorder.id), dropTap)
  if (ticks % ticksPerSecond === 0) for (const participant of [...participants.values()]) legs.check(participant)
  if (ticks % ticksBetweenReports === 0)
    for (const participant of participants.values()) legs.reportQuality(participant)
}

/** True at most once a second. */
function oncePerSecond(ticker: Ticker): () => boolean {
  let lastTick = Number.NEGATIVE_INFINITY
  return () => {
    if (ticker.ticks - lastTick < ticksPerSecond) return false
    lastTick = ticker.ticks
    return true
  }
}

function roomHandlers(
  context: NodeContext,
  { finish }: MediaRecordings,
): Pick<Handlers, 'createRoom' | 'closeRoom' | 'join' | 'leave' | 'mute'> {
  const { participants, rooms } = context
  return {
    async createRoom({ room }) {
      if (!rooms.has(room)) rooms.set(room, newRoom(room))
      return null
    },
    async closeRoom({ room: id }) {
      const room = rooms.get(id)
      if (!room) return null
      rooms.delete(id)
      for (const recorder of room.recorders) finish(recorder.id)
      for (const participant of room.participants) leave(participant)
      return null
    },
    async join({ room, leg, options: how }) {
      join(participantOf(context, leg), roomOf(context, room), how)
      return null
    },
    async leave({ leg }) {
      const participant = participants.get(leg)
      if (participant) leave(participant)
      return null
    },
    async mute({ leg, muted }) {
      participantOf(context, leg).muted = muted
      return null
    },
  }
}

function tapHandlers(context: NodeContext): Pick<Handlers, 'openTap' | 'closeTap'> {
  const { participants, emit } = context
  return {
    async openTap({ leg, tapId }) {
      const tap = new Tap(tapId, (ulaw, sent) => emit({ kind: 'tap.sound', tapId, ulaw }, sent))
      participantOf(context, leg).taps.add(tap)
      return null
    },
    async closeTap({ tapId }) {
      for (const { taps } of participants.values()) for (const tap of taps) if (tap.id === tapId) taps.delete(tap)
      return null
    },
  }
}

function statsNow({ participants, rooms }: NodeContext, ticker: Ticker, legs: MediaLegs): NodeStats {
  const { user, system } = process.cpuUsage()
  return {
    legs: participants.size,
    rooms: rooms.size,
    tickLagMs: ticker.lag(),
    ticks: ticker.ticks,
    skippedTicks: ticker.skipped,
    ...legs.packets(),
    cpuMs: (user + system) / 1_000,
    memoryMb: process.memoryUsage.rss() / 1024 ** 2,
  }
}
