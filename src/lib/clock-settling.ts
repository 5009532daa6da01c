import type { AdjustableClock } from './adjustable-clock.ts'
import type { ClockPeers, SettledAt } from './clock-peers.ts'
import type { ClockPersistence } from './clock-persistence.ts'

/** What happens at each instant that an advancing clock stops at, in this process and in the others. */
export interface ClockSettling {
  /** This process takes the steps; resolves with the next instant at which another process has a timer due. */
  settleEverywhere(): Promise<number | undefined>
  /** Another process takes the steps. */
  settleAt(at: number): Promise<SettledAt>
}

export interface ClockSettlingOptions {
  clock: AdjustableClock
  persistence: Pick<ClockPersistence, 'holdAt' | 'publish'>
  settle(): Promise<void>
  activity?(): number
  peers?: ClockPeers | undefined
}

export function createClockSettling(options: ClockSettlingOptions): ClockSettling {
  const { clock, persistence, peers, settle } = options
  let reportedActivity = 0

  function hasWorked(): boolean {
    const now = options.activity?.() ?? 0
    const was = reportedActivity
    reportedActivity = now
    return now !== was
  }

  return {
    /** Work in one process may cause work in another, so settling ends with a round without work. */
    async settleEverywhere() {
      if (!peers?.settle) {
        await persistence.publish(String(clock.now()))
        await settle()
        return undefined
      }
      for (;;) {
        const [elsewhere] = await Promise.all([peers.settle(clock.now()), settle()])
        const wasBusy = hasWorked()
        if (!wasBusy && !elsewhere.wasBusy) return elsewhere.next
      }
    },
    async settleAt(at) {
      persistence.holdAt(at)
      clock.moveTo(at)
      await settle()
      // A process that takes steps itself fires its own timers.
      while (clock.nextDue() <= at && clock.target() === undefined) {
        await new Promise<void>((resolve) => clock.machineAfter(0, resolve))
        await settle()
      }
      return { next: clock.nextDue(), wasBusy: hasWorked() }
    },
  }
}
