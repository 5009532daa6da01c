import type { Granular } from './availability.ts'
import type { Considered, Found } from './call/events.ts'
import type { Strategy, Target } from './flow/document.ts'

/** A user referenced by a ring step, directly or through a team. */
export interface RingCandidate {
  userId: number
  teamId: number | null
  availability: Granular
  /** Start of the current availability. */
  since: number
  /** Another call rings on the user. */
  reserved: boolean
  /** On a call, but a second one may ring. */
  callWaiting?: boolean
}

export interface RingPlan {
  /** In the order in which to ring. */
  order: Found[]
  considered: Considered[]
}

/**
 * Who may be rung, in which order. `random` returns a number from 0 to 1 per user, so that the same numbers give the
 * same order. `people` are in the order of the targets, without duplicates.
 */
export function planRinging(
  people: readonly RingCandidate[],
  strategy: Strategy,
  except: readonly number[],
  at: number,
  random: (userId: number) => number,
): RingPlan {
  const isFree = (one: RingCandidate) =>
    (one.availability === 'available' || one.callWaiting) && !one.reserved && !except.includes(one.userId)
  const free = inOrder(people.filter(isFree), strategy, random)
  // Users who are on a call are rung after those who are not.
  const order = [...free.filter((one) => !one.callWaiting), ...free.filter((one) => one.callWaiting)].map(
    ({ userId, teamId }) => ({ userId, teamId }),
  )
  const considered = people.map(({ userId, availability, since, reserved }) => ({
    userId,
    availability,
    reserved,
    sinceMs: Math.max(0, at - since),
    rung: false,
  }))
  return { order, considered }
}

function inOrder(free: RingCandidate[], strategy: Strategy, random: (userId: number) => number): RingCandidate[] {
  switch (strategy) {
    case 'simultaneous':
    case 'one_by_one':
      return free
    case 'longest_idle':
      return free.toSorted((a, b) => a.since - b.since || a.userId - b.userId)
    case 'random':
      return free
        .map((one) => ({ one, drawn: random(one.userId) }))
        .sort((a, b) => a.drawn - b.drawn)
        .map(({ one }) => one)
  }
}

/** Each user once, through the first target that references them. */
export function usersOfTargets(
  targets: readonly Target[],
  membersOf: (teamId: number) => readonly number[],
): { userId: number; teamId: number | null }[] {
  const found = new Map<number, { userId: number; teamId: number | null }>()
  for (const { type, id } of targets) {
    const named =
      type === 'user' ? [{ userId: id, teamId: null }] : membersOf(id).map((userId) => ({ userId, teamId: id }))
    for (const one of named) if (!found.has(one.userId)) found.set(one.userId, one)
  }
  return [...found.values()]
}
