// domain/ holds the rules of the phone system as pure functions: no I/O, no clock, no framework. Callers pass in data
// from the database, the request and the clock.
import { isOpen, type Schedule } from './opening-hours.ts'

export const availabilityStatuses = ['available', 'custom', 'unavailable'] as const
export type AvailabilityStatus = (typeof availabilityStatuses)[number]

/** Reason for being away, as selected in the phone app or through the API. */
export const awayReasons = ['out_for_lunch', 'on_a_break', 'in_training', 'doing_back_office', 'other'] as const
export type AwayReason = (typeof awayReasons)[number]

export type Substatus = 'always_open' | 'always_closed' | AwayReason

export type Granular = 'available' | 'offline' | 'do_not_disturb' | 'in_call' | 'after_call_work'

export function substatusOf(status: AvailabilityStatus, reason: AwayReason | null): Substatus {
  if (status !== 'unavailable') return 'always_open'
  return reason ?? 'always_closed'
}

export type Openness = { status: AvailabilityStatus; workingHours: Schedule | null; timeZone: string }

export function isOpenForCalls(user: Openness, at: number): boolean {
  switch (user.status) {
    case 'available':
      return true
    case 'unavailable':
      return false
    case 'custom':
      // Working hours that were never set do not make the user unavailable: they count, and are shown, as 24/7.
      return user.workingHours === null || isOpen(user.workingHours, user.timeZone, at)
  }
}

export type PresenceFacts = {
  confirmed: boolean
  /** False for a deactivated user. */
  active: boolean
  connected: boolean
  openForCalls: boolean
  inCall?: boolean
  afterCallWork?: boolean
}

export function granular(presence: PresenceFacts): Granular {
  if (!presence.confirmed || !presence.active || !presence.connected) return 'offline'
  if (presence.inCall) return 'in_call'
  if (presence.afterCallWork) return 'after_call_work'
  return presence.openForCalls ? 'available' : 'do_not_disturb'
}

/** `available` of the User object: a call or wrap-up does not change it, a missing phone app does. */
export function availableFlag(
  presence: Pick<PresenceFacts, 'confirmed' | 'active' | 'connected' | 'openForCalls'>,
): boolean {
  return presence.confirmed && presence.active && presence.connected && presence.openForCalls
}

export type AvailabilityEvent = { event: 'opened' | 'closed'; substatus: Substatus }

/** State reported by user.opened and user.closed, whether or not the user is connected. */
export function changeOfAvailability(
  before: { openForCalls: boolean; substatus: Substatus },
  after: { openForCalls: boolean; substatus: Substatus },
): AvailabilityEvent[] {
  const { substatus } = after
  if (after.openForCalls) return before.openForCalls ? [] : [{ event: 'opened', substatus }]
  // Outside working hours: closed by the schedule, not by the user.
  if (substatus === 'always_open') return before.openForCalls ? [{ event: 'closed', substatus }] : []
  if (before.substatus === substatus) return []
  const wasAway = before.substatus !== 'always_open'
  if (wasAway || !isAwayReason(substatus)) return [{ event: 'closed', substatus }]
  // Two events, not duplicates: the user became unavailable, then set a reason.
  return [
    { event: 'closed', substatus: 'always_closed' },
    { event: 'closed', substatus },
  ]
}

function isAwayReason(substatus: Substatus): substatus is AwayReason {
  return substatus !== 'always_open' && substatus !== 'always_closed'
}
