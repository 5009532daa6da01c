import type { MissedReason } from '../call/record.ts'
import { type Cell, joined, secondsBetween } from './csv.ts'
import type { CallFacts, RingFacts } from './filters.ts'
import type { Zone } from './zone.ts'

export interface Sla {
  seconds: number
  reasons: ReadonlySet<MissedReason>
}

/** Inbound only. Null: not counted for the service level. */
export function withinSla(call: CallFacts, { seconds, reasons }: Sla): boolean | null {
  const { direction, startedAt, answeredAt, missedReason } = call
  if (direction === 'outbound') return null
  if (answeredAt !== null) return secondsBetween(startedAt, answeredAt) <= seconds
  return missedReason !== null && reasons.has(missedReason) ? false : null
}

/** Until answered or ended; unknown while the call is in progress. */
export function waitingSeconds({ startedAt, answeredAt, endedAt }: CallFacts): number | null {
  const until = answeredAt ?? endedAt
  return until === null ? null : secondsBetween(startedAt, until)
}

export const talkSeconds = ({ answeredAt, endedAt }: CallFacts): number | null =>
  answeredAt === null || endedAt === null ? null : secondsBetween(answeredAt, endedAt)

/** Names by id; for a deleted entity only the id is left. */
export interface ReportNames {
  user(id: number): string | undefined
  /** Teams of a user. */
  teamsOf(userId: number): readonly number[]
  team(id: number): string | undefined
  number(id: number): string | undefined
  tag(id: number): string | undefined
}

export const namesIn = (ids: readonly number[], name: (id: number) => string | undefined) =>
  ids.length === 0 ? '' : joined(ids.flatMap((id) => name(id) ?? []))

export function callCells(call: CallFacts, names: ReportNames, zone: Zone, sla: Sla): Cell[] {
  const { startedAt, answeredAt, endedAt, userId } = call
  return [
    call.id,
    call.direction,
    zone.iso(startedAt),
    timeCell(zone, answeredAt),
    timeCell(zone, endedAt),
    endedAt === null ? null : secondsBetween(startedAt, endedAt),
    call.numberId,
    names.number(call.numberId) ?? null,
    call.externalDigits,
    userId,
    userId === null ? null : (names.user(userId) ?? null),
    namesIn(call.teamIds, names.team),
    answeredAt !== null,
    call.missedReason,
    call.voicemail,
    namesIn(call.tagIds, names.tag),
    waitingSeconds(call),
    talkSeconds(call),
    joined(call.branches),
    joined(call.agentIds),
    withinSla(call, sla),
  ]
}

const outcomes = {
  answered: 'ANSWERED',
  declined: 'DECLINED',
  no_answer: 'NOT_ANSWERED',
  cancelled: 'CANCELLED',
} as const

export function ringCells(ring: RingFacts, names: ReportNames, zone: Zone): Cell[] {
  const { userId, numberId, startedAt, endedAt } = ring
  return [
    ring.callId,
    ring.origin,
    userId,
    names.user(userId) ?? null,
    namesIn(names.teamsOf(userId), names.team),
    numberId,
    numberId === null ? null : (names.number(numberId) ?? null),
    ring.externalDigits,
    zone.iso(startedAt),
    timeCell(zone, endedAt),
    endedAt === null ? null : secondsBetween(startedAt, endedAt),
    ring.outcome && outcomes[ring.outcome],
  ]
}

export const timeCell = (zone: Zone, at: number | null) => (at === null ? null : zone.iso(at))
