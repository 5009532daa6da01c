import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** The prefix of every metric of this service. */
export const metricPrefix = 'hookswitch_'

/** A value with its labels. */
export interface Sample {
  labels: Record<string, string>
  value: number
}

/** Creates metrics with the prefix in one registry. */
export type MetricKit = ReturnType<typeof metricKit>

export function metricKit(registry: Registry) {
  const registers = [registry]
  const named = (name: string, help: string) => ({ name: `${metricPrefix}${name}`, help, registers })
  return {
    counter: <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
      new Counter<L>({ ...named(name, help), labelNames }),
    gauge: <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
      new Gauge<L>({ ...named(name, help), labelNames }),
    histogram: <L extends string = never>(name: string, help: string, buckets: number[], labelNames: L[] = []) =>
      new Histogram<L>({ ...named(name, help), buckets, labelNames }),
    /** Metrics that are read on scrape, all from one reading. They exist, without values, before there is a source. */
    figures<F>(): Figures<F> {
      const source: { read?: Read<F> } = {}
      const now = readTogether(() => source.read?.())
      /** The new samples of a metric whose previous ones are removed; none, and nothing is removed, without a reading. */
      async function current(
        metric: { reset(): void },
        samples: (now: F) => readonly Sample[],
      ): Promise<readonly Sample[]> {
        const figures = await now()
        if (figures === undefined) return []
        metric.reset()
        return samples(figures)
      }
      return {
        from: (read) => {
          source.read = read
        },
        gauge(name, help, value) {
          new Gauge({
            ...named(name, help),
            async collect() {
              const figures = await now()
              if (figures !== undefined) this.set(value(figures))
            },
          })
        },
        gauges(name, help, labelNames, samples) {
          new Gauge({
            ...named(name, help),
            labelNames,
            async collect() {
              for (const { labels, value } of await current(this, samples)) this.set(labels, value)
            },
          })
        },
        counters(name, help, labelNames, samples) {
          new Counter({
            ...named(name, help),
            labelNames,
            async collect() {
              for (const { labels, value } of await current(this, samples)) this.inc(labels, value)
            },
          })
        },
      }
    },
  }
}

type Read<F> = () => F | undefined | Promise<F | undefined>

export interface Figures<F> {
  /** Sets what is read on each scrape; undefined or an error keeps the previous values. */
  from(read: Read<F>): void
  gauge(name: string, help: string, value: (figures: F) => number): void
  gauges(name: string, help: string, labelNames: string[], samples: (figures: F) => readonly Sample[]): void
  /** Counters that are kept elsewhere, for example in another process. */
  counters(name: string, help: string, labelNames: string[], samples: (figures: F) => readonly Sample[]): void
}

/** The entries of a record as samples of one label. */
export const samplesBy = (label: string, values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))

/**
 * The metrics of one scrape share one reading. Each waits for it: a scrape reads all metrics concurrently, so one that is
 * set by another would show the previous values.
 */
function readTogether<F>(read: Read<F>): () => Promise<F | undefined> {
  let reading: Promise<F | undefined> | undefined
  return () => {
    reading ??= Promise.resolve()
      .then(read)
      .catch(() => undefined)
      .finally(() => {
        reading = undefined
      })
    return reading
  }
}
