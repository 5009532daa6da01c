import type { Cancel, Clock } from '../../lib/clock.ts'
import { T1 } from './transaction.ts'

/**
 * Retransmits, first after T1 and then with doubled intervals, until it is stopped; gives up after 64·T1.
 * RFC 3261 §13.3.1.4 for a 2xx, with intervals up to `maxWaitMs`, and RFC 3262 §3 for a reliable provisional response.
 */
export function repeatUntilStopped(clock: Clock, maxWaitMs: number, send: () => void, giveUp: () => void): Cancel {
  let wait = T1
  let waited = 0
  let cancel: Cancel = clock.machineAfter(wait, again)

  function again() {
    waited += wait
    if (waited >= 64 * T1) return giveUp()
    send()
    wait = Math.min(wait * 2, maxWaitMs, 64 * T1 - waited)
    cancel = clock.machineAfter(wait, again)
  }

  return () => cancel()
}
