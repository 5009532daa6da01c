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

/** What a sum is about: the calls of a user, of a number, of a set of teams, or with a missed-call reason. */
export type SumSubject =
  | { kind: 'user'; id: number }
  | { kind: 'number'; id: number }
  | { kind: 'teams'; ids: readonly number[] }
  | { kind: 'missed_reason'; reason: MissedReason }

/** Calls of one subject with the same direction and outcome. */
export interface SubjectSum {
  subject: SumSubject
  direction: 'inbound' | 'outbound'
  answered: boolean
  missed: boolean
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
  const slotDate = zone.dateOf(slot.at)
  const day = activity.days.find(({ date }) => date === slotDate)
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

export function addSubject(activity: Activity, sum: SubjectSum): void {
  const { subject, calls, talked } = sum
  const waited = sum.direction === 'inbound' && sum.answered ? sum.waited : 0
  switch (subject.kind) {
    case 'user': {
      const user = got(activity.users, subject.id, () => ({ ...none(), talked: 0 }))
      count(user, sum)
      user.talked += talked
      break
    }
    case 'number': {
      const number = got(activity.numbers, subject.id, () => ({ ...none(), waitedAnswered: 0, talked: 0 }))
      count(number, sum)
      number.waitedAnswered += waited
      number.talked += talked
      break
    }
    case 'teams':
      for (const id of subject.ids) {
        const team = got(activity.teams, id, () => ({ ...none(), waitedAnswered: 0 }))
        count(team, sum)
        team.waitedAnswered += waited
      }
      break
    case 'missed_reason':
      activity.reasons.set(subject.reason, (activity.reasons.get(subject.reason) ?? 0) + calls)
  }
}

function got<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
