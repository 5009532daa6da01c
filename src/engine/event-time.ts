import type { CallMachineEvent } from '../domain/call/events.ts'
import type { Clock } from '../lib/clock.ts'

/** The times that calls write, in the order of their events. */
export interface EventTime {
  /**
   * An event gets the time of its processing, never before a time already written. With its creation time, a delayed
   * event could start a ring before the end of the ring that made the agent available.
   */
  inOrder(event: CallMachineEvent): CallMachineEvent
  /** The time for rows written outside of calls: never before a time already written. */
  now(): number
}

export function createEventTime(clock: Clock): EventTime {
  /** The time of the latest processed event. */
  let written = 0
  return {
    inOrder(event) {
      written = Math.max(written, event.at)
      return { ...event, at: written }
    },
    now() {
      written = Math.max(written, clock.now())
      return written
    },
  }
}
