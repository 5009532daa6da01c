import type { MissedReason } from '../call/record.ts'
import type { Zone } from './zone.ts'

// Dashboard figures, folded from sums computed by the store. Same rules as the reports, so the figures match.

/** Calls that started in the same time slot and share all other dimensions. */
export interface SlotSum {
  at: number
  direction: 'inbound' | 'outbound'
  answered: boolean
  /** Inbound, and the call has a missed-call reason: neither answered nor still in progress. */
  missed: boolean
  /** Null: not counted for the service level. */
  withinSla: boolean | null
  /** Index in `waitSteps`; null while the call is in progress. */
  waitStep: number | null
  calls: number
  waited: number
  talked: number
}

/** Calls with the same outcome. */
export interface WaySum {
  numberId: number
  userId: number | null
  teamIds: readonly number[]
  direction: 'inbound' | 'outbound'
  answered: boolean
  missed: boolean
  reason: MissedReason | null
  calls: number
  waited: number
  talked: number
}

/** Upper bound of each step in seconds; the last step is open-ended. */
export const waitSteps = [10, 20, 30, 60, 120] as const

export interface Counts {
  inbound: number
  inboundAnswered: number
  /** As in the API: calls with a missed-call reason. A call in progress is neither answered nor missed. */
  inboundMissed: number
  outbound: number
  outboundAnswered: number
}

export interface Activity extends Counts {
  withinSla: number
  outsideSla: number
  /** Inbound calls: until answered, or until abandoned. */
  waitedAnswered: number
  waitedMissed: number
  talked: number
  days: (Counts & { date: string; withinSla: number; outsideSla: number })[]
  hours: Counts[]
  /** Inbound calls: distribution of wait times, answered and not answered. */
  waits: { answered: number; missed: number }[]
  reasons: Map<MissedReason, number>
  users: Map<number, Counts & { talked: number }>
  teams: Map<number, Counts & { waitedAnswered: number }>
  numbers: Map<number, Counts & { waitedAnswered: number; talked: number }>
}

const none = (): Counts => ({ inbound: 0, inboundAnswered: 0, inboundMissed: 0, outbound: 0, outboundAnswered: 0 })

/** `dates` are all days of the range, including days without calls. */
export function newActivity(dates: readonly string[]): Activity {
  return {
    ...none(),
    withinSla: 0,
    outsideSla: 0,
    waitedAnswered: 0,
    waitedMissed: 0,
    talked: 0,
    days: dates.map((date) => ({ ...none(), date, withinSla: 0, outsideSla: 0 })),
    hours: Array.from({ length: 24 }, none),
    waits: Array.from({ length: waitSteps.length + 1 }, () => ({ answered: 0, missed: 0 })),
    reasons: new Map(),
    users: new Map(),
    teams: new Map(),
    numbers: new Map(),
  }
}

type Sum = Pick<SlotSum, 'direction' | 'answered' | 'missed' | 'calls'>

function count(counts: Counts, { direction, answered, missed, calls }: Sum): void {
  counts[direction] += calls
  if (missed) counts.inboundMissed += calls
  if (answered) counts[direction === 'inbound' ? 'inboundAnswered' : 'outboundAnswered'] += calls
}

export function addSlot(activity: Activity, zone: Zone, slot: SlotSum): void {
  const { calls, waited, waitStep, answered, missed } = slot
  const day = activity.days.find(({ date }) => date === zone.dateOf(slot.at))
  const hour = activity.hours[zone.hourOf(slot.at)]
  for (const counts of [activity, day, hour]) if (counts) count(counts, slot)
  if (slot.withinSla !== null) {
    const word = slot.withinSla ? 'withinSla' : 'outsideSla'
    activity[word] += calls
    if (day) day[word] += calls
  }
  activity.talked += slot.talked
  if (!answered && !missed) return
  if (slot.direction === 'outbound') return
  activity[answered ? 'waitedAnswered' : 'waitedMissed'] += waited
  const step = waitStep === null ? undefined : activity.waits[waitStep]
  if (step) step[answered ? 'answered' : 'missed'] += calls
}

export function addWay(activity: Activity, way: WaySum): void {
  const { reason, calls, userId, numberId, talked } = way
  if (reason !== null) activity.reasons.set(reason, (activity.reasons.get(reason) ?? 0) + calls)
  const waited = way.direction === 'inbound' && way.answered ? way.waited : 0
  if (userId !== null) {
    const user = got(activity.users, userId, () => ({ ...none(), talked: 0 }))
    count(user, way)
    user.talked += talked
  }
  for (const id of way.teamIds) {
    const team = got(activity.teams, id, () => ({ ...none(), waitedAnswered: 0 }))
    count(team, way)
    team.waitedAnswered += waited
  }
  const number = got(activity.numbers, numberId, () => ({ ...none(), waitedAnswered: 0, talked: 0 }))
  count(number, way)
  number.waitedAnswered += waited
  number.talked += talked
}

function got<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
