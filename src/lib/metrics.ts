import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Counters and histograms for /metrics. Never labelled by company or phone number, which would be personal data. */
export interface Metrics {
  text(): Promise<string>
  contentType: string
  requestSeconds: Histogram<'method' | 'route' | 'status'>
  rateLimited: Counter
  dialsRefused: Counter<'rule'>
  messagesRefused: Counter<'rule'>
  mediaRefused: Counter<'rule'>
  wrongCredentials: Counter
  jobs: Counter<'kind' | 'outcome'>
  unsafeOption: Gauge<'option'>
  deliveryAttempts: Counter<'result'>
  deliverySeconds: Histogram
  firstAttempt: Histogram
  claim: Histogram
  ackFlush: Histogram
  leaseLost: Counter
  exhausted: Counter
  disabled: Counter<'reason'>
  blockedDestinations: Counter
  sweepFound: Counter
  /** Read on scrape; undefined while there are no calls with media. */
  voice(read: () => Promise<VoiceFigures | undefined>): void
  /** Read on scrape. */
  inFlight(lane: string, read: () => number): void
  /** Read once per scrape. */
  outbox(read: () => Promise<Outbox>): void
}

/** Figures of the media process. */
export interface VoiceFigures {
  legs: number
  rooms: number
  tickLagMs: number
  dropped: number
  recordingsFailed?: number
  foreign?: number
  invalid?: number
}

/** Pending deliveries. */
export interface Outbox {
  pending: Record<string, number>
  oldestAgeSeconds: Record<string, number>
  held: number
  endpoints: Record<string, number>
}

const wait = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'hookswitch_' })
  const registers = [registry]
  return {
    text: () => registry.metrics(),
    contentType: registry.contentType,
    requestSeconds: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Duration of HTTP requests',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    rateLimited: new Counter({ name: 'rate_limited_total', help: 'Requests refused by the company limit', registers }),
    dialsRefused: new Counter({
      name: 'dials_refused_total',
      help: 'Outbound calls refused by the outbound calling rules',
      labelNames: ['rule'],
      registers,
    }),
    messagesRefused: new Counter({
      name: 'messages_refused_total',
      help: 'Outbound messages refused by the outbound rules',
      labelNames: ['rule'],
      registers,
    }),
    mediaRefused: new Counter({
      name: 'media_calls_refused_total',
      help: 'Calls refused because the media capacity, or the share of their company, was used up',
      labelNames: ['rule'],
      registers,
    }),
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
    ...deliveryMetrics(registers),
  }
}

function deliveryMetrics(registers: Registry[]) {
  const counter = <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
    new Counter<L>({ name, help, labelNames, registers })
  const histogram = (name: string, help: string) => new Histogram({ name, help, buckets: wait, registers })
  const gauge = (name: string, help: string, labelNames: string[] = []) => ({ name, help, labelNames, registers })
  const readers = new Map<string, () => number>()
  new Gauge({
    ...gauge('outbox_in_flight', 'Requests to receivers in flight', ['lane']),
    collect() {
      for (const [lane, read] of readers) this.set({ lane }, read())
    },
  })
  return {
    deliveryAttempts: counter('delivery_attempts_total', 'Attempts by result', ['result']),
    deliverySeconds: histogram('delivery_duration_seconds', 'From the start of an attempt to its status line'),
    firstAttempt: histogram('delivery_first_attempt_seconds', 'From the event to its first attempt'),
    claim: histogram('claim_seconds', 'Time to claim due deliveries'),
    ackFlush: histogram('ack_flush_seconds', 'Time to save delivery results'),
    leaseLost: counter('delivery_lease_lost_total', 'Results received after the lease was lost'),
    exhausted: counter('delivery_exhausted_total', 'Deliveries that failed after the last attempt'),
    disabled: counter('endpoint_disabled_total', 'Webhooks disabled by the service', ['reason']),
    blockedDestinations: counter('delivery_blocked_destination_total', 'Attempts to forbidden addresses'),
    sweepFound: counter('sweep_found_total', 'Due deliveries found by the sweep without a notification'),
    inFlight(lane: string, read: () => number) {
      readers.set(lane, read)
    },
    voice(read: () => Promise<VoiceFigures | undefined>) {
      const figures = readTogether(read)
      const add = (name: string, help: string, value: (figures: VoiceFigures) => number) =>
        new Gauge({
          ...gauge(name, help),
          async collect() {
            const now = await figures()
            if (now) this.set(value(now))
          },
        })
      add('voice_legs', 'Active media legs', ({ legs }) => legs)
      add('voice_rooms', 'Active calls with media', ({ rooms }) => rooms)
      add('voice_tick_lag_ms', 'Maximum delay of the media mixer in the last ten seconds', ({ tickLagMs }) => tickLagMs)
      add('voice_dropped_frames', 'Audio frames dropped because they arrived too fast', ({ dropped }) => dropped)
      add(
        'voice_foreign_packets',
        'RTP packets dropped because their source is not the far end',
        ({ foreign }) => foreign ?? 0,
      )
      add(
        'voice_invalid_packets',
        'Packets of the far end dropped because they are not RTP of a negotiated payload type',
        ({ invalid }) => invalid ?? 0,
      )
      add(
        'voice_recordings_failed',
        'Recordings lost, most likely to a full disk',
        ({ recordingsFailed }) => recordingsFailed ?? 0,
      )
    },
    outbox(read: () => Promise<Outbox>) {
      const outbox = readTogether(read)
      const add = (name: string, help: string, label: string, values: (outbox: Outbox) => Record<string, number>) =>
        new Gauge({
          ...gauge(name, help, [label]),
          async collect() {
            for (const [value, n] of Object.entries(values((await outbox()) ?? emptyOutbox)))
              this.set({ [label]: value }, n)
          },
        })
      add('outbox_pending', 'Pending deliveries', 'lane', ({ pending }) => pending)
      add('outbox_oldest_age_seconds', 'Age of the oldest due delivery', 'lane', (now) => now.oldestAgeSeconds)
      add('endpoints', 'Webhooks by state', 'state', ({ endpoints }) => endpoints)
      new Gauge({
        ...gauge('outbox_held', 'Deliveries held for disabled webhooks'),
        async collect() {
          const now = await outbox()
          if (now) this.set(now.held)
        },
      })
    },
  }
}

const emptyOutbox: Outbox = { pending: {}, oldestAgeSeconds: {}, held: 0, endpoints: {} }

/**
 * The gauges of one scrape share one reading. Each gauge waits for it: a scrape reads all gauges concurrently, so a
 * gauge set by another one would show the previous values.
 */
function readTogether<Figures>(read: () => Promise<Figures>): () => Promise<Figures | undefined> {
  let reading: Promise<Figures | undefined> | undefined
  return () => {
    reading ??= read()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined
      })
    return reading
  }
}
