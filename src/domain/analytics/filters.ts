import type { RingOrigin } from '../call/events.ts'
import type { MissedReason } from '../call/record.ts'
import { secondsBetween } from './csv.ts'
import type { CallType, Filters } from './report-params.ts'
import type { Zone } from './zone.ts'

/** Fields of a call that reports filter by. */
export interface CallFacts {
  id: number
  direction: 'inbound' | 'outbound'
  numberId: number
  /** Digits only; empty for an anonymous caller. */
  externalDigits: string
  startedAt: number
  answeredAt: number | null
  endedAt: number | null
  userId: number | null
  missedReason: MissedReason | null
  voicemail: boolean
  teamIds: readonly number[]
  tagIds: readonly number[]
  /** Titles of the selected IVR options. */
  branches: readonly string[]
  /** AI voice agents on the call, without duplicates. */
  agentIds: readonly string[]
}

export type Matches<T> = (fact: T) => boolean

const sets = (filters: Filters) => ({
  users: setOf(filters.userIDs),
  teams: setOf(filters.teamIDs),
  hours: setOf(filters.hours),
  calls: setOf(filters.callIDs),
  lines: setOf(filters.lineIDs),
  digits: setOf(filters.customerNumbers?.map((number) => number.slice(1))),
  branches: setOf(filters.ivrBranches),
  agents: setOf(filters.virtualVoiceAgentIDs),
  origins: setOf<RingOrigin | null>(filters.ringAttemptOrigin),
})

const setOf = <T>(values: readonly T[] | undefined) => (values ? new Set(values) : undefined)

const isIn = <T>(set: ReadonlySet<T> | undefined, value: T) => set === undefined || set.has(value)

/** Any of the teams, or all of them. */
export function inTeams({ teamIDs, teamFilterOption }: Filters, teamIds: readonly number[]): boolean {
  if (!teamIDs) return true
  return teamFilterOption === 'ALL'
    ? teamIDs.every((id) => teamIds.includes(id))
    : teamIDs.some((id) => teamIds.includes(id))
}

/**
 * `who`: user and team filters apply to the agent who took the call and to the transfer target; false: they apply to
 * another user.
 */
export function callFilter(filters: Filters, zone: Zone, who = true): Matches<CallFacts> {
  const { users, hours, calls, lines, digits, branches, agents } = sets(filters)
  const { tagIDs, callTypes, duration, minConnectedDuration = 0, withVoicemail, withAiIntervention } = filters
  return (call) =>
    isIn(calls, call.id) &&
    isIn(lines, call.numberId) &&
    isIn(digits, call.externalDigits) &&
    (!who ||
      ((users === undefined || (call.userId !== null && users.has(call.userId))) && inTeams(filters, call.teamIds))) &&
    (hours === undefined || hours.has(zone.hourOf(call.startedAt))) &&
    (tagIDs === undefined || tagIDs.every((id) => call.tagIds.includes(id))) &&
    (callTypes === undefined || callTypes.some((type) => isOfType(call, type))) &&
    (duration === undefined || isAsLong(call, duration)) &&
    (minConnectedDuration === 0 || connectedSeconds(call) >= minConnectedDuration) &&
    (branches === undefined || call.branches.some((title) => branches.has(title))) &&
    (agents === undefined || call.agentIds.some((id) => agents.has(id))) &&
    (withAiIntervention === undefined || call.agentIds.length > 0 === withAiIntervention) &&
    (withVoicemail === undefined || call.voicemail === withVoicemail)
}

function isOfType({ direction, answeredAt }: CallFacts, type: CallType): boolean {
  const [way, outcome] = type.split('_')
  return (
    direction === way?.toLowerCase() && (outcome === undefined || (outcome === 'ANSWERED') === (answeredAt !== null))
  )
}

function isAsLong({ startedAt, endedAt }: CallFacts, { min, max }: { min?: number; max?: number }): boolean {
  if (endedAt === null) return false
  const seconds = secondsBetween(startedAt, endedAt)
  return seconds >= (min ?? 0) && seconds <= (max ?? Number.POSITIVE_INFINITY)
}

const connectedSeconds = ({ answeredAt, endedAt }: CallFacts) =>
  answeredAt === null || endedAt === null ? 0 : secondsBetween(answeredAt, endedAt)

/** An agent's phone rang. */
export interface RingFacts {
  callId: number | null
  numberId: number | null
  userId: number
  externalDigits: string | null
  startedAt: number
  endedAt: number | null
  outcome: 'answered' | 'declined' | 'no_answer' | 'cancelled' | null
  origin: RingOrigin | null
}

export function ringFilter(filters: Filters, zone: Zone): Matches<RingFacts> {
  const { hours, calls, lines, digits, origins } = sets(filters)
  return (ring) =>
    (calls === undefined || (ring.callId !== null && calls.has(ring.callId))) &&
    (lines === undefined || (ring.numberId !== null && lines.has(ring.numberId))) &&
    (digits === undefined || (ring.externalDigits !== null && digits.has(ring.externalDigits))) &&
    (hours === undefined || hours.has(zone.hourOf(ring.startedAt))) &&
    isIn(origins, ring.origin)
}
