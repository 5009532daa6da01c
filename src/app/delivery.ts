import { reviewWebhooks } from '../delivery/at-start.ts'
import { createDispatcher, type Dispatcher } from '../delivery/dispatcher.ts'
import { createWorkers, onlyWorker } from '../delivery/workers.ts'
import { createSequencer, type Sequencer } from '../events/sequencer.ts'
import { secureRandom } from '../lib/random.ts'
import type { Services } from '../services.ts'
import type { AppContext } from './context.ts'
import type { ProcessPart } from './part.ts'

export interface DeliveryParts {
  sequencer: Sequencer
  dispatcher: Dispatcher
  sequencerPart: ProcessPart
  reviewPart: ProcessPart
  dispatcherPart: ProcessPart
}

/** The positions of events in the log, and the webhook dispatcher. */
export function createDelivery(context: AppContext, services: Services): DeliveryParts {
  const { config, overrides, db, clock, log, metrics, shared } = context
  const isWorker = config.roles.worker
  const sequencer = createSequencer({ db, clock, log })
  const dispatcher = createDispatcher({
    services,
    metrics,
    http: services.outbound,
    workers: shared ? createWorkers(services) : onlyWorker(clock),
    timeoutMs: config.webhookTimeoutMs,
    random: overrides.random ?? secureRandom,
    shared,
  })
  if (isWorker) metrics.outbox(() => dispatcher.outbox())
  return {
    sequencer,
    dispatcher,
    sequencerPart: { name: 'sequencer', start: () => sequencer.start(), stop: () => sequencer.stop() },
    reviewPart: {
      name: 'review of webhooks',
      async start() {
        if (isWorker) await reviewWebhooks(services)
      },
    },
    dispatcherPart: {
      name: 'dispatcher',
      async start() {
        if (isWorker) await dispatcher.start()
      },
      stop: () => dispatcher.stop(),
    },
  }
}
