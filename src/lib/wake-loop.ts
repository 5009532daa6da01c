import type { Cancel, Clock } from './clock.ts'
import { createCoalescedTask } from './coalesced-task.ts'
import { every } from './every.ts'

/** Work triggered by notifications, with a periodic sweep for notifications that were lost. */
export interface WakeLoop {
  /** Runs once and starts the sweep. */
  start(): void
  /** Runs now, or again after the current run; ignored while stopped. */
  wake(): void
  isStopped(): boolean
  /** Resolves when no run is in progress; true if one was. */
  idle(): Promise<boolean>
  /** Resolves when the current run has ended. */
  stop(): Promise<void>
}

export interface WakeLoopOptions {
  clock: Clock
  sweepMs: number
  run(): Promise<void>
  onError(error: unknown): void
}

export function createWakeLoop({ clock, sweepMs, run, onError }: WakeLoopOptions): WakeLoop {
  const task = createCoalescedTask(run, onError)
  let stopped = true
  let cancelSweep: Cancel = () => {}

  function wake(): void {
    if (!stopped) task.trigger()
  }

  return {
    start() {
      stopped = false
      cancelSweep = every(clock, sweepMs, wake)
      wake()
    },
    wake,
    isStopped: () => stopped,
    idle: task.idle,
    async stop() {
      stopped = true
      cancelSweep()
      await task.idle()
    },
  }
}
