import { type MetricKit, samplesBy } from './metric-kit.ts'

/** Pending deliveries. */
export interface Outbox {
  pending: Record<string, number>
  oldestAgeSeconds: Record<string, number>
  held: number
  endpoints: Record<string, number>
}

const wait = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

export function deliveryMetrics({ counter, histogram, figures }: MetricKit) {
  const lanes = new Map<string, () => number>()
  const inFlight = figures<ReadonlyMap<string, () => number>>()
  inFlight.gauges('outbox_in_flight', 'Requests to receivers in flight', ['lane'], (readers) =>
    [...readers].map(([lane, read]) => ({ labels: { lane }, value: read() })),
  )
  inFlight.from(() => lanes)
  const outbox = figures<Outbox>()
  outbox.gauges('outbox_pending', 'Pending deliveries', ['lane'], ({ pending }) => samplesBy('lane', pending))
  outbox.gauges('outbox_oldest_age_seconds', 'Age of the oldest due delivery', ['lane'], ({ oldestAgeSeconds }) =>
    samplesBy('lane', oldestAgeSeconds),
  )
  outbox.gauges('endpoints', 'Webhooks by state', ['state'], ({ endpoints }) => samplesBy('state', endpoints))
  outbox.gauge('outbox_held', 'Deliveries held for disabled webhooks', ({ held }) => held)
  return {
    deliveryAttempts: counter('delivery_attempts_total', 'Attempts by result', ['result']),
    deliverySeconds: histogram('delivery_duration_seconds', 'From the start of an attempt to its status line', wait),
    firstAttempt: histogram('delivery_first_attempt_seconds', 'From the event to its first attempt', wait),
    claim: histogram('claim_seconds', 'Time to claim due deliveries', wait),
    ackFlush: histogram('ack_flush_seconds', 'Time to save delivery results', wait),
    leaseLost: counter('delivery_lease_lost_total', 'Results received after the lease was lost'),
    exhausted: counter('delivery_exhausted_total', 'Deliveries that failed after the last attempt'),
    disabled: counter('endpoint_disabled_total', 'Webhooks disabled by the service', ['reason']),
    blockedDestinations: counter('delivery_blocked_destination_total', 'Attempts to forbidden addresses'),
    sweepFound: counter('sweep_found_total', 'Due deliveries found by the sweep without a notification'),
    /** Read on scrape. */
    inFlight: (lane: string, read: () => number) => void lanes.set(lane, read),
    /** Read once per scrape. */
    outbox: (read: () => Promise<Outbox>) => outbox.from(read),
  }
}
