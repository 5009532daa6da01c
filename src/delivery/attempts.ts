import { type Clock, second } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { ClaimedDelivery } from './claim-store.ts'
import type { createLanes, InFlightAttempt, Receiver } from './lanes.ts'
import { type FinishedAttempt, healthAfter } from './result-writer.ts'
import type { createSender } from './sender.ts'

interface AttemptsParts {
  clock: Clock
  metrics: Metrics
  lanes: ReturnType<typeof createLanes>
  send: ReturnType<typeof createSender>
  /** The receiver has answered or failed; the result is not written yet. */
  onFinished(finished: FinishedAttempt): void
}

/** Attempts in flight of this process. */
export function createAttempts({ clock, metrics, lanes, send, onFinished }: AttemptsParts) {
  const inFlight = new Set<Promise<void>>()
  let started = 0

  function make(receiver: Receiver, attempt: InFlightAttempt, claimed: ClaimedDelivery, leaseToken: string) {
    const { row, content } = claimed
    started++
    if (row.attempts === 0 && row.kind === 'live') {
      metrics.firstAttempt.observe(Math.max(0, clock.now() - content.occurred_at) / second)
    }
    const sending = send(claimed, leaseToken, () => {
      attempt.answered = true
    }).then((outcome) => {
      inFlight.delete(sending)
      lanes.endAttempt(receiver, attempt)
      receiver.health = healthAfter(receiver.health, outcome)
      onFinished({ outcome, receiver })
    })
    inFlight.add(sending)
  }

  return {
    /** Also holds slots that are reserved for deliveries whose transaction is open. */
    inFlight,
    started: () => started,
    /** In a slot that was taken before. */
    make,
    start(receiver: Receiver, claimed: ClaimedDelivery, leaseToken: string) {
      const { row } = claimed
      const attempt = lanes.startAttempt(receiver, lanes.laneOf(receiver, row.bulk === 1), clock.machineNow())
      receiver.busy.add(row.order_key)
      make(receiver, attempt, claimed, leaseToken)
    },
  }
}
