import { collectDefaultMetrics, Registry } from 'prom-client'
import { deliveryMetrics } from './delivery-metrics.ts'
import { metricKit, metricPrefix } from './metric-kit.ts'
import { platformMetrics } from './platform-metrics.ts'
import { telephonyMetrics } from './telephony-metrics.ts'

/** The metrics of this process. Never labelled by company or phone number, which would be personal data. */
export type Metrics = ReturnType<typeof createMetrics>

/** Node's own metrics: they observe event loop and garbage collection until the process ends, so they exist once. */
let processRegistry: Registry | undefined

function ofProcess(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry()
    collectDefaultMetrics({ register: processRegistry, prefix: metricPrefix })
  }
  return processRegistry
}

export function createMetrics() {
  const registry = new Registry()
  const nodeMetrics = ofProcess()
  const kit = metricKit(registry)
  const { counter, gauge, histogram } = kit
  return {
    text: async () => `${await nodeMetrics.metrics()}\n${await registry.metrics()}`,
    contentType: registry.contentType,
    requestSeconds: histogram(
      'http_request_duration_seconds',
      'Duration of HTTP requests',
      [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      ['method', 'route', 'status'],
    ),
    rateLimited: counter('rate_limited_total', 'Requests refused by the company limit'),
    dialsRefused: counter('dials_refused_total', 'Outbound calls refused by the outbound calling rules', ['rule']),
    messagesRefused: counter('messages_refused_total', 'Outbound messages refused by the outbound rules', ['rule']),
    mediaRefused: counter(
      'media_calls_refused_total',
      'Calls refused because the media capacity, or the share of their company, was used up',
      ['rule'],
    ),
    wrongCredentials: counter('wrong_credentials_total', 'Requests with wrong credentials'),
    jobs: counter('jobs_total', 'Finished job runs', ['kind', 'outcome']),
    unsafeOption: gauge('unsafe_option', '1 for each unsafe option', ['option']),
    ...deliveryMetrics(kit),
    ...telephonyMetrics(kit),
    ...platformMetrics(kit),
  }
}
