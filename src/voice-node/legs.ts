import type { LegId } from '../domain/voice.ts'
import { second } from '../lib/clock.ts'
import { BrowserPeer } from './browser-peer.ts'
import type { BrowserTransports } from './browser-transport.ts'
import type { Capacity } from './capacity.ts'
import { type Handlers, type NodeContext, participantOf } from './context.ts'
import { createLegEvents } from './leg-events.ts'
import { stopPlayer } from './playback.ts'
import type { MediaRecordings } from './recordings.ts'
import { leave, newParticipant, type Participant } from './rooms.ts'
import { RtpTrunkLeg, TrunkPorts } from './trunk-leg.ts'

/** Counters of packets. */
export interface PacketCounts {
  dropped: number
  underruns: number
  foreign: number
  invalid: number
}

/** Legs of trunks and browsers, from their sockets to their last report. */
export interface MediaLegs {
  handlers: Pick<Handlers, 'openTrunk' | 'connect' | 'watch' | 'attachBrowser' | 'close'>
  /** Once a second: RTCP and the RTP timeout. */
  check(participant: Participant): void
  reportQuality(participant: Participant): void
  /** Of all legs, including those that are closed. */
  packets(): PacketCounts
  closeAll(): void
  /** Resolves when the browser connections are closed. */
  closed(): Promise<unknown>
}

interface Options {
  context: NodeContext
  transports: BrowserTransports
  capacity: Capacity
  recordings: Pick<MediaRecordings, 'finish'>
  /** Whether a second has passed since the last report of foreign packets. */
  mayReportForeign(): boolean
  /** Called when the last leg of a draining node is closed. */
  drained(): void
}

export function createMediaLegs({
  context,
  transports,
  capacity,
  recordings,
  mayReportForeign,
  drained,
}: Options): MediaLegs {
  const { options, clock, participants, emit } = context
  const ports = new TrunkPorts(options.trunkPorts, options.bindAddress)
  const closing = new Set<Promise<void>>()
  /** Counters of closed legs. */
  const past: PacketCounts = { dropped: 0, underruns: 0, foreign: 0, invalid: 0 }
  const legEvents = createLegEvents(context, { remove, mayReportForeign })

  function reportQuality({ leg }: Participant): void {
    // No packets are expected before the answer.
    if (!leg.stream.hasReceived && !(leg instanceof RtpTrunkLeg && leg.isWatched)) return
    const received = leg.stream.reception.takeQuality()
    const sent = leg.reports.far(clock.machineNow())
    emit({ kind: 'leg.quality', leg: leg.id, received: received && { ...received, roundTripMs: null }, sent })
  }

  function remove(leg: LegId): void {
    const participant = participants.get(leg)
    if (!participant) return
    // First of all: the end of a beep starts a recording, which must end with the leg.
    stopPlayer(participant, 'stopped')
    participants.delete(leg)
    leave(participant)
    for (const recorder of participant.recorders) recordings.finish(recorder.id)
    for (const { id: tapId } of participant.taps) emit({ kind: 'tap.ended', tapId, cause: 'leg_gone' })
    reportQuality(participant)
    addTo(past, participant)
    if (participant.leg instanceof BrowserPeer) awaitClosed(participant.leg)
    participant.leg.close()
    if (capacity.isDraining() && participants.size === 0) drained()
  }

  function awaitClosed({ closed }: BrowserPeer): void {
    const done = closed.then(() => void closing.delete(done))
    closing.add(done)
  }

  return {
    handlers: {
      async openTrunk({ leg, isUrgent, isCaller }) {
        capacity.admit(isUrgent, isCaller)
        const sockets = await capacity.opened(() => ports.open())
        const trunk = new RtpTrunkLeg(leg, sockets, clock, legEvents(leg))
        participants.set(leg, newParticipant(trunk))
        return { port: trunk.port }
      },
      async connect({ leg, far }) {
        trunkOf(context, leg).connect(far)
        return null
      },
      async watch({ leg }) {
        trunkOf(context, leg).watch()
        return null
      },
      async attachBrowser({ leg, offer, isUrgent, isWideband = false }) {
        capacity.admit(isUrgent)
        const network = { ...options, port: options.browserPort }
        const peer = new BrowserPeer(leg, transports, network, clock, legEvents(leg))
        try {
          const answer = await capacity.opened(() => peer.answer(offer, isWideband))
          participants.set(leg, newParticipant(peer))
          return { answer, isWide: peer.stream.isWide }
        } catch (error) {
          awaitClosed(peer)
          peer.close()
          throw error
        }
      },
      async close({ leg }) {
        remove(leg)
        return null
      },
    },
    check({ leg, muted }) {
      leg.report()
      if (!(leg instanceof RtpTrunkLeg)) return
      const silentMs = leg.silentMs(muted)
      if (options.rtpTimeoutMs === 0 || silentMs < options.rtpTimeoutMs) return
      remove(leg.id)
      emit({ kind: 'leg.silent', leg: leg.id, seconds: Math.round(silentMs / second) })
    },
    reportQuality,
    packets() {
      const total = { ...past }
      for (const participant of participants.values()) addTo(total, participant)
      return total
    },
    closeAll() {
      for (const leg of [...participants.keys()]) remove(leg)
    },
    closed: () => Promise.all(closing),
  }
}

function addTo(counts: PacketCounts, { leg }: Participant): void {
  counts.dropped += leg.stream.dropped
  counts.underruns += leg.stream.underruns
  counts.foreign += leg.foreign
  counts.invalid += leg.invalid
}

function trunkOf(context: NodeContext, leg: LegId): RtpTrunkLeg {
  const participant = participantOf(context, leg)
  if (!(participant.leg instanceof RtpTrunkLeg)) throw new Error(`Leg ${leg} is not one of a trunk`)
  return participant.leg
}
