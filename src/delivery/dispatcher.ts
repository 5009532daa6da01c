import { listen } from '../db/dialect.ts'
import { registerDirectDispatcher } from '../events/direct-dispatch.ts'
import { second } from '../lib/clock.ts'
import type { Outbox } from '../lib/delivery-metrics.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { SafeFetch } from '../lib/safe-fetch.ts'
import type { Services } from '../services.ts'
import { createAcknowledger } from './acknowledger.ts'
import type { Settled } from './attempt-store.ts'
import { createAttempts } from './attempts.ts'
import { createClaimLoop } from './claim-loop.ts'
import { createDirectDispatcher } from './direct-dispatcher.ts'
import { activeWebhookIds } from './endpoint-store.ts'
import { createLanes, type Lane, widths } from './lanes.ts'
import { freeLeases, returnLeases } from './lease-store.ts'
import { lagOf, outboxOf } from './outbox.ts'
import { createReceivers, type Receivers } from './receivers.ts'
import type { FinishedAttempt } from './result-writer.ts'
import { nextDue } from './schedule-store.ts'
import { createSender } from './sender.ts'
import { createSweeper } from './sweeper.ts'
import type { Workers } from './workers.ts'

export interface Dispatcher {
  start(): Promise<void>
  /** Stops claiming, waits for attempts in flight, and returns the remaining leases. */
  stop(): Promise<void>
  /** Resolves when no delivery is due; true if it sent any. */
  settle(): Promise<boolean>
  /** The age of the oldest due event of a healthy receiver, in ms. */
  lag(): Promise<number>
  /** For the metrics. */
  outbox(): Promise<Outbox>
}

export interface DispatcherParts {
  services: Services
  metrics: Metrics
  http: SafeFetch
  workers: Workers
  timeoutMs: number
  /** In [0, 1): for the jitter of the schedule. */
  random: () => number
  /** Whether other processes use the same database. */
  shared: boolean
}

const maxPreloaded = 1_000

/** Sends due deliveries. A receiver that is slow or failing delays only its own deliveries. */
export function createDispatcher(parts: DispatcherParts): Dispatcher {
  const { services, metrics, http, workers, timeoutMs, random, shared } = parts
  const { db, clock, log } = services
  const leaseMs = Math.max(20 * second, timeoutMs + 10 * second)
  const lanes = createLanes()
  const send = createSender({ services, metrics, http, timeoutMs })
  const acknowledger = createAcknowledger({ services, metrics, workerId: workers.me, random, shared, written })
  const attempts = createAttempts({ clock, metrics, lanes, send, onFinished })
  const { inFlight } = attempts
  const loop = createClaimLoop(
    { services, metrics, lanes, workerId: workers.me, leaseMs, onClaimed: attempts.start },
    () => receivers,
  )
  const receivers: Receivers = createReceivers({ db, clock, owns: workers.owns, pump: loop.pump })
  const sweeper = createSweeper({ services, metrics, workers, receivers, pump: loop.pump, shared })
  let stopped = true
  let unsubscribe = () => {}

  function onFinished(finished: FinishedAttempt) {
    acknowledger.push(finished)
    loop.pump()
  }

  const directDispatcher = createDirectDispatcher({
    clock,
    lanes,
    receivers: () => receivers,
    workers,
    leaseMs,
    inFlight,
    makeAttempt: attempts.make,
    wake(receiver) {
      receivers.wake(receiver.id, false)
      loop.pump()
    },
  })

  /**
   * Claims again only if a delivery may wait: behind this one (`followed`), or because it became due while its resource
   * was busy. Most deliveries have no follower, and an empty claim costs as much as one that finds something.
   */
  function written({ outcome, receiver }: FinishedAttempt, settled: Settled, followed: boolean) {
    const { order_key, bulk } = outcome.row
    receiver.busy.delete(order_key)
    if (settled.state === 'queued') receivers.wakeAt(receiver.id, bulk === 1, settled.next_at)
    const mayWait = followed || receiver.wokenWhileBusy || settled.state !== 'delivered'
    if (!mayWait) return
    receiver.wokenWhileBusy = false
    receivers.wake(receiver.id, false)
    // The follower may be in the other queue.
    if (receivers.hadBacklog(receiver.id)) receivers.wake(receiver.id, true)
    loop.pump()
  }

  function subscribe() {
    const subscriptions = [
      listen(db, 'delivery', (ids) => {
        receivers.wakeAll(ids.split(','), false)
        loop.endPause()
      }),
      listen(db, 'backlog', (id) => receivers.wakeAll([id], true)),
      listen(db, 'webhook', (id) => receivers.reload(id)),
      registerDirectDispatcher(db, directDispatcher),
    ]
    return () => {
      for (const cancel of subscriptions) cancel()
    }
  }

  return {
    async start() {
      stopped = false
      loop.start()
      sweeper.start()
      await workers.start(sweeper.sweepNow)
      if (!shared) await freeLeases(services, { deadSince: clock.now() })
      if (workers.alone()) await sweeper.spreadOverdue()
      unsubscribe = subscribe()
      for (const lane of Object.keys(widths) as Lane[]) metrics.inFlight(lane, () => lanes.inFlight[lane])
      for (const { webhookId } of await nextDue(db)) receivers.loadLater(webhookId)
      // A receiver that is known gets its first event without a claim.
      for (const id of await activeWebhookIds(db, maxPreloaded)) receivers.loadLater(id)
      await receivers.load()
      await sweeper.sweep()
      sweeper.schedule()
    },
    async stop() {
      if (stopped) return
      stopped = true
      loop.stop()
      unsubscribe()
      receivers.cancelTimers()
      await sweeper.stop()
      await loop.idle()
      // A reservation that ends may start an attempt.
      while (inFlight.size > 0) await Promise.all(inFlight)
      await acknowledger.flush()
      await returnLeases(db, workers.me).catch((error) =>
        log.warn({ event: 'webhook.leases_not_returned', error }, 'delivery leases could not be returned'),
      )
      await workers.stop()
    },
    async settle() {
      const before = attempts.started()
      // Their results may cause work, too.
      const hadUnfinished = inFlight.size > 0 || acknowledger.pending() > 0
      if (!stopped) await sweeper.sweep()
      while ((await loop.idle()) || inFlight.size > 0 || acknowledger.pending() > 0) {
        await Promise.all(inFlight)
        await acknowledger.flush()
      }
      return hadUnfinished || attempts.started() > before
    },
    lag: () => lagOf(db, receivers, clock.now()),
    outbox: () => outboxOf(db, receivers, clock.now()),
  }
}
