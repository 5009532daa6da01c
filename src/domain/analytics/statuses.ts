import type { AvailabilityStatus, AwayReason, Granular, Substatus } from '../availability.ts'
import { substatusOf } from '../availability.ts'
import type { UserStatus } from './report-params.ts'

/** From this moment on, the user was in this status. */
export interface UserStatusChange {
  at: number
  granular: Granular
  availabilityStatus: AvailabilityStatus
  reason: AwayReason | null
}

/** An interval in one status. */
export interface StatusPeriod {
  status: Granular
  reason: Substatus
  from: number
  to: number
  /** Still in progress: `to` is the present. */
  isOpen: boolean
  next: Granular | null
}

/** A user who has never connected is offline. */
export const firstStatus = (createdAt: number): UserStatusChange => ({
  at: createdAt,
  granular: 'offline',
  availabilityStatus: 'available',
  reason: null,
})

/** The part within the range, clipped at both ends; `next` is null for the current status. */
export function periodOf(
  change: UserStatusChange,
  next: UserStatusChange | null,
  { from, to, now }: { from: number; to: number; now: number },
): StatusPeriod | undefined {
  const begin = Math.max(change.at, from)
  const end = Math.min(next?.at ?? now, to)
  if (begin >= end) return undefined
  return {
    status: change.granular,
    reason: substatusOf(change.availabilityStatus, change.reason),
    from: begin,
    to: end,
    isOpen: next === null && now <= to,
    next: next?.granular ?? null,
  }
}

export const statusWord = (granular: Granular) => granular.toUpperCase() as UserStatus
