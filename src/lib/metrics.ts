import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Counters and histograms for /metrics. Never labelled by company or phone number: that would be data about people. */
export interface Metrics {
  text(): Promise<string>
  contentType: string
  requestSeconds: Histogram<'method' | 'route' | 'status'>
  rateLimited: Counter
  wrongCredentials: Counter
  jobs: Counter<'kind' | 'outcome'>
  unsafeOption: Gauge<'option'>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'hookswitch_' })
  const registers = [registry]
  return {
    text: () => registry.metrics(),
    contentType: registry.contentType,
    requestSeconds: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time to answer a request',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    rateLimited: new Counter({ name: 'rate_limited_total', help: 'Requests refused by the company limit', registers }),
    wrongCredentials: new Counter({
      name: 'wrong_credentials_total',
      help: 'Requests with wrong credentials',
      registers,
    }),
    jobs: new Counter({ name: 'jobs_total', help: 'Finished job runs', labelNames: ['kind', 'outcome'], registers }),
    unsafeOption: new Gauge({
      name: 'unsafe_option',
      help: '1 for each unsafe option',
      labelNames: ['option'],
      registers,
    }),
  }
}
