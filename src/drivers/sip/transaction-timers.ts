import type { Cancel, Clock } from '../../lib/clock.ts'
import type { TransactionTimer } from './transaction.ts'

/** The timers of one transaction. */
export function createTransactionTimers(clock: Clock, fire: (timer: TransactionTimer) => void) {
  const armed = new Map<TransactionTimer, Cancel>()
  return {
    arm(timer: TransactionTimer, ms: number) {
      armed.get(timer)?.()
      armed.set(
        timer,
        clock.machineAfter(ms, () => fire(timer)),
      )
    },
    stop() {
      for (const cancel of armed.values()) cancel()
    },
  }
}
