import type { Granular } from '../availability.ts'
import { timeCell } from './calls.ts'
import { average, type Cell, percent, secondsBetween } from './csv.ts'
import type { CallFacts, RingFacts } from './filters.ts'
import type { Period } from './range.ts'
import type { UserReport } from './reports.ts'
import type { StatusPeriod } from './statuses.ts'
import type { Zone } from './zone.ts'

/** How the user joined the call: answered it, placed it, received a transfer, or was added. */
export type WayIn = 'taken' | 'made' | 'transfer' | 'added'

/** A user's participation in a call. */
export interface PartyFacts {
  way: WayIn
  joinedAt: number
  leftAt: number | null
  /** Left by transferring the call. */
  gave: boolean
  call: CallFacts
}

/** Totals of one user in one period. */
export interface Tally {
  period: Period
  seconds: Record<Granular, number>
  wrapUps: number
  firstConnectedAt: number | null
  lastDisconnectedAt: number | null
  calls: Record<CallFacts['direction'], { ids: Set<number>; seconds: number }>
  handled: { inbound: number; outboundAnswered: number; outboundUnanswered: number; received: number; made: number }
  rings: Record<NonNullable<RingFacts['outcome']>, number> & { all: number; seconds: number }
}

export const newTally = (period: Period): Tally => ({
  period,
  seconds: { available: 0, in_call: 0, after_call_work: 0, do_not_disturb: 0, offline: 0 },
  wrapUps: 0,
  firstConnectedAt: null,
  lastDisconnectedAt: null,
  calls: { inbound: { ids: new Set(), seconds: 0 }, outbound: { ids: new Set(), seconds: 0 } },
  handled: { inbound: 0, outboundAnswered: 0, outboundUnanswered: 0, received: 0, made: 0 },
  rings: { all: 0, answered: 0, declined: 0, no_answer: 0, cancelled: 0, seconds: 0 },
})

/** The period that contains the instant; periods are contiguous. */
function tallyAt(tallies: readonly Tally[], at: number): Tally | undefined {
  let low = 0
  let high = tallies.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((tallies[middle]?.period.from ?? 0) <= at) low = middle
    else high = middle - 1
  }
  const found = tallies[low]
  return found && at >= found.period.from && at < found.period.to ? found : undefined
}

/** `before` is the previous status of the user, if known. */
export function countStatus(tallies: readonly Tally[], status: StatusPeriod, before: Granular | null): void {
  for (let from = status.from; from < status.to; ) {
    const tally = tallyAt(tallies, from)
    if (!tally) return
    const to = Math.min(status.to, tally.period.to)
    tally.seconds[status.status] += secondsBetween(from, to)
    if (status.status === 'after_call_work') tally.wrapUps++
    if (status.status !== 'offline') tally.firstConnectedAt ??= from
    else if (from === status.from && before !== null && before !== 'offline') tally.lastDisconnectedAt = from
    from = to
  }
}

export function countParty(tallies: readonly Tally[], party: PartyFacts, now: number): void {
  const tally = tallyAt(tallies, party.joinedAt)
  if (!tally) return
  const { call, way, gave } = party
  const { ids } = tally.calls[call.direction]
  const isNew = !ids.has(call.id)
  ids.add(call.id)
  tally.calls[call.direction].seconds += secondsBetween(party.joinedAt, party.leftAt ?? now)
  const { handled } = tally
  if (gave) handled.made++
  if (way === 'transfer') handled.received++
  else if (!isNew) return
  else if (way === 'taken') handled.inbound++
  else if (way === 'made' && call.answeredAt !== null) handled.outboundAnswered++
  else if (way === 'made' && call.endedAt !== null) handled.outboundUnanswered++
}

export function countRing(tallies: readonly Tally[], ring: RingFacts): void {
  const rings = tallyAt(tallies, ring.startedAt)?.rings
  if (!rings) return
  rings.all++
  if (ring.outcome) rings[ring.outcome]++
  if (ring.endedAt !== null) rings.seconds += secondsBetween(ring.startedAt, ring.endedAt)
}

/** The columns of the user row, after the identity columns. */
export function tallyCells(report: UserReport, tally: Tally, zone: Zone): Cell[] {
  const { seconds, calls, handled, rings } = tally
  const { inbound, outbound } = calls
  const total = Object.values(seconds).reduce((sum, n) => sum + n, 0)
  const connected = total - seconds.offline
  switch (report) {
    case 'USER_ACTIVITY_AVAILABILITY_BREAKDOWN':
      return [...inOrder(seconds), total]
    case 'USER_ACTIVITY_PERCENTAGE_OF_TIME_IN_EACH_STATUS':
      return inOrder(seconds).map((n) => percent(n, total))
    case 'USER_ACTIVITY_WORK_TIME_AND_AVAILABILITY':
      return [
        timeCell(zone, tally.firstConnectedAt),
        timeCell(zone, tally.lastDisconnectedAt),
        connected,
        seconds.in_call + seconds.after_call_work + seconds.available,
        seconds.available,
        percent(seconds.available, connected),
      ]
    case 'USER_ACTIVITY_AVERAGE_AFTER_CALL_WORK_TIME_PER_USER':
      return [tally.wrapUps, seconds.after_call_work, average(seconds.after_call_work, tally.wrapUps)]
    case 'USER_ACTIVITY_AVERAGE_INBOUND_IN_CALL_TIME_PER_USER':
      return [inbound.ids.size, inbound.seconds, average(inbound.seconds, inbound.ids.size)]
    case 'USER_ACTIVITY_AVERAGE_OUTBOUND_IN_CALL_TIME_PER_USER':
      return [outbound.ids.size, outbound.seconds, average(outbound.seconds, outbound.ids.size)]
    case 'USER_ACTIVITY_CALL_VOLUME_AND_TIME':
      return [
        inbound.ids.size,
        outbound.ids.size,
        inbound.ids.size + outbound.ids.size,
        inbound.seconds,
        outbound.seconds,
        inbound.seconds + outbound.seconds,
      ]
    case 'USER_ACTIVITY_CALLS_HANDLED': {
      const { outboundAnswered, outboundUnanswered, received, made } = handled
      const all = handled.inbound + outboundAnswered + outboundUnanswered + received
      return [handled.inbound, outboundAnswered, outboundUnanswered, received, made, all]
    }
    case 'USER_ACTIVITY_RINGING_ATTEMPTS_PER_USER':
      return [
        rings.all,
        rings.answered,
        rings.declined,
        rings.no_answer,
        rings.cancelled,
        percent(rings.answered, rings.all),
        average(rings.seconds, rings.all),
      ]
  }
}

const inOrder = (of: Record<Granular, number>) => [
  of.available,
  of.in_call,
  of.after_call_work,
  of.do_not_disturb,
  of.offline,
]
