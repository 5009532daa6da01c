import type { AttemptSlot, DirectDispatcher } from '../events/direct-dispatch.ts'
import type { Clock } from '../lib/clock.ts'
import { randomId } from '../lib/secrets.ts'
import type { ClaimedDelivery } from './claim-store.ts'
import { destinationOf } from './endpoint-store.ts'
import type { createLanes, InFlightAttempt, Receiver } from './lanes.ts'
import type { Receivers } from './receivers.ts'
import type { Workers } from './workers.ts'

interface DirectDispatcherParts {
  clock: Clock
  lanes: ReturnType<typeof createLanes>
  receivers(): Receivers
  workers: Workers
  leaseMs: number
  /** Attempts in flight, and reservations: stopping waits for both. */
  inFlight: Set<Promise<void>>
  makeAttempt(receiver: Receiver, attempt: InFlightAttempt, claimed: ClaimedDelivery, leaseToken: string): void
  wake(receiver: Receiver): void
}

/**
 * Accepts deliveries at the time they are written, for receivers that are not failing, have a free slot, and have
 * nothing else waiting. All others are claimed.
 */
export function createDirectDispatcher(parts: DirectDispatcherParts): DirectDispatcher {
  const { clock, lanes, receivers, workers, leaseMs, inFlight, makeAttempt, wake } = parts

  function freeReceiver(webhookId: string, orderKey: string): Receiver | undefined {
    const { get, waiting } = receivers()
    const receiver = get(webhookId)
    if (!receiver || !workers.owns(webhookId) || receiver.isClaiming) return
    if (waiting.live.has(webhookId) || receiver.busy.has(orderKey)) return
    const lane = lanes.laneOf(receiver, false)
    if (lane === 'failing') return
    return lanes.grants(lane, [receiver], clock.machineNow()).length > 0 ? receiver : undefined
  }

  return {
    reserve(webhookId, orderKey): AttemptSlot | undefined {
      const receiver = freeReceiver(webhookId, orderKey)
      if (!receiver) return
      const attempt = lanes.startAttempt(receiver, lanes.laneOf(receiver, false), clock.machineNow())
      receiver.busy.add(orderKey)
      const token = randomId()
      let end = () => {}
      const reserved = new Promise<void>((resolve) => {
        end = resolve
      })
      inFlight.add(reserved)
      const release = () => {
        inFlight.delete(reserved)
        end()
      }
      return {
        isProven: attempt.lane === 'proven',
        lease: { lease_token: token, worker_id: workers.me, lease_ms: leaseMs, machine_now: clock.machineNow() },
        send(row, event, target) {
          attempt.startedAt = clock.machineNow()
          const content = {
            row_id: event.rowId,
            name: event.name,
            resource: event.resource,
            occurred_at: event.occurredAt,
            data: event.data,
            asset_refs: event.assetRefs ?? null,
          }
          makeAttempt(receiver, attempt, { row, content, endpoint: destinationOf(target) }, token)
          release()
        },
        cancel() {
          lanes.endAttempt(receiver, attempt)
          receiver.busy.delete(orderKey)
          release()
          // A claim in the meantime skipped this resource.
          if (receiver.wokenWhileBusy) wake(receiver)
        },
      }
    },
  }
}
