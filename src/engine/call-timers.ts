import type { TimerName } from '../domain/call/state.ts'
import type { Clock } from '../lib/clock.ts'
import { type ActiveCall, type QueuedEvent, queuedEvent } from './active-call.ts'

/** Makes the running timers of a call those of its state. */
export function setTimers(clock: Clock, live: ActiveCall, post: (live: ActiveCall, queued: QueuedEvent) => void): void {
  const wanted = live.state.timers
  for (const [name, timer] of live.timers) {
    if (wanted[name] === timer.due) continue
    timer.cancel()
    live.timers.delete(name)
  }
  for (const [name, due] of Object.entries(wanted) as [TimerName, number][]) {
    if (live.timers.has(name)) continue
    const cancel = clock.after(due - clock.now(), () => {
      live.timers.delete(name)
      post(live, queuedEvent({ kind: 'timer', name }, Math.max(due, clock.now())))
    })
    live.timers.set(name, { due, cancel })
  }
}

export function cancelAllTimers(live: ActiveCall): void {
  for (const { cancel } of live.timers.values()) cancel()
}
