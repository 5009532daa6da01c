import type { CallRecord } from '../domain/call/record.ts'
import { type CallState, isDone } from '../domain/call/state.ts'
import { estimatedMos } from '../domain/mos.ts'
import type { LegId, Quality, VoiceDriver, VoiceEvent } from '../domain/voice.ts'
import { type Clock, second } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { CallFigures } from '../lib/telephony-metrics.ts'
import type { ActiveCall } from './active-call.ts'

export type CallMetrics = Pick<
  Metrics,
  'callsEnded' | 'callsRecovered' | 'adoptionSeconds' | 'rtpLoss' | 'rtpJitter' | 'rtpRoundTrip' | 'rtpMos'
>

/** Counts calls and measures the quality of their legs. */
export function createCallMetrics(metrics: CallMetrics) {
  function observe(quality: Quality | null, labels: { direction: 'received' | 'sent'; party: string }): void {
    if (!quality) return
    metrics.rtpLoss.observe(labels, quality.lossPct / 100)
    metrics.rtpJitter.observe(labels, quality.jitterMs / second)
    metrics.rtpMos.observe(labels, estimatedMos(quality))
  }

  return {
    /** An internal call has no record, and is not counted. */
    onEnd({ callId, record }: CallState): void {
      if (callId === null) return
      metrics.callsEnded.inc({ direction: record.direction, outcome: outcomeOf(record) })
    },
    onQuality({ state }: ActiveCall, { leg, received, sent }: Extract<VoiceEvent, { kind: 'leg.quality' }>): void {
      const party = isOfUser(state, leg) ? 'agent' : 'external'
      // Only reports of the far end show the round trip, which delays both directions.
      const roundTripMs = sent?.roundTripMs ?? null
      observe(received && { ...received, roundTripMs }, { direction: 'received', party })
      observe(sent, { direction: 'sent', party })
      if (roundTripMs !== null) metrics.rtpRoundTrip.observe({ party }, roundTripMs / second)
    },
  }
}

/** `answered`, the reason of a missed call, or the cause of a failed one. */
const outcomeOf = ({ answeredAt, missedReason, hangupCause }: CallRecord) =>
  answeredAt === null ? (missedReason ?? hangupCause ?? 'failure') : 'answered'

const isOfUser = ({ agents, supervisors }: CallState, leg: LegId) =>
  agents.some((agent) => agent.leg === leg) || supervisors.some((supervisor) => supervisor.leg === leg)

export function callFigures(calls: readonly ActiveCall[], legs: number, now: number): CallFigures {
  const open = calls.map(({ state }) => state).filter((state) => !isDone(state))
  const waits = open.flatMap(({ phase }) =>
    phase.kind === 'ringing' && phase.ring.purpose === 'flow' ? [now - phase.ring.enteredAt] : [],
  )
  const inbound = open.filter(({ record }) => record.direction === 'inbound').length
  return {
    active: { inbound, outbound: open.length - inbound },
    legs,
    waiting: waits.length,
    maxWaitSeconds: Math.max(0, ...waits) / second,
  }
}

/**
 * Measures the set-up of calls: outbound until the far end rings or answers, inbound until we do. Calls that end before
 * are not measured.
 */
export function measureCallSetup<D extends VoiceDriver>(
  driver: D,
  { clock, metrics }: { clock: Clock; metrics: Pick<Metrics, 'callSetup'> },
): D {
  const started = new Map<LegId, { direction: 'inbound' | 'outbound'; at: number }>()

  function isSetUp(leg: LegId): void {
    const start = started.get(leg)
    if (!start || !started.delete(leg)) return
    metrics.callSetup.observe({ direction: start.direction }, (clock.steadyNow() - start.at) / second)
  }

  driver.on((event) => {
    if (event.kind === 'leg.incoming') started.set(event.leg, { direction: 'inbound', at: clock.steadyNow() })
    if (event.kind === 'leg.ended') started.delete(event.leg)
    const isRinging = event.kind === 'leg.progress' && event.code > 100
    if (isRinging || event.kind === 'leg.answered') isSetUp(event.leg)
  })

  return {
    ...driver,
    async dial(options) {
      const at = clock.steadyNow()
      const leg = await driver.dial(options)
      started.set(leg, { direction: 'outbound', at })
      return leg
    },
    async ringing(leg, early) {
      await driver.ringing(leg, early)
      isSetUp(leg)
    },
    async answer(leg) {
      await driver.answer(leg)
      isSetUp(leg)
    },
  }
}
