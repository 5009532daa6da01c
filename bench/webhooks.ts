import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { milliseconds, perSecond, print, type Row } from './kit.ts'
import { Faults, type Spread } from './webhooks/comparison.ts'
import { openEnvironment, type StoreKind } from './webhooks/environment.ts'
import {
  type Isolation,
  inFlight,
  isolation,
  type Live,
  latency,
  live,
  type Replaying,
  replay,
  type Sizes,
  singlesPerSecond,
  type Throughput,
  throughput,
} from './webhooks/phases.ts'

const full: Sizes = {
  singles: 200,
  trickle: 400,
  deliveries: 5_000,
  rounds: 3,
  isolationRepeats: 3,
  isolationSeconds: 30,
  replayed: 10_000,
  replayRounds: 2,
}

const quick: Sizes = {
  ...full,
  trickle: 200,
  deliveries: 2_000,
  rounds: 1,
  isolationRepeats: 2,
  isolationSeconds: 30,
  replayed: 1_000,
  replayRounds: 1,
}

interface Figures {
  store: StoreKind
  singles: Spread
  live: Live
  throughput: Throughput
  isolation: Isolation
  replay: Replaying
  faults: Faults
  idle: boolean
}

export async function bench(): Promise<Row[]> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { store: { type: 'string' }, quick: { type: 'boolean', default: false } },
  })
  if (values.store !== undefined && values.store !== 'sqlite' && values.store !== 'postgres') {
    throw new Error('--store is sqlite or postgres')
  }
  const stores: StoreKind[] = values.store ? [values.store] : ['sqlite', 'postgres']
  const idle = (loadavg()[0] ?? 0) < availableParallelism() / 4
  const rows: Row[] = []
  for (const store of stores) {
    const figures = await benchStore(store, values.quick ? quick : full, idle)
    printFigures(figures)
    rows.push(...rowsOf(figures))
  }
  return rows
}

async function benchStore(store: StoreKind, sizes: Sizes, idle: boolean): Promise<Figures> {
  const env = await openEnvironment(store)
  print(`${store}: 20 companies with one webhook each, 25 contacts each, bodies of 2 kB, 8 writers`)
  print(`raw: one undici pool, ${inFlight} in flight, the product's own requests again`)
  if (env.peers) print(await env.peers.graphile.ask('settings'))
  try {
    const faults = new Faults()
    return {
      store,
      singles: await latency(env, faults, sizes),
      live: await live(env, faults, sizes),
      throughput: await throughput(env, faults, sizes),
      isolation: await isolation(env, faults, sizes),
      replay: await replay(env, faults, sizes),
      faults,
      idle,
    }
  } finally {
    await env.close()
  }
}

function printFigures(figures: Figures): void {
  const { singles, throughput: speed, isolation: kept, replay: again, faults } = figures
  const ms = (value: number) => `${value.toFixed(2)}ms`
  const ratio = (value: number | undefined) => (value === undefined ? '-' : (speed.drain / value).toFixed(2))
  const part = (values: Record<string, string | number>) =>
    Object.entries(values)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')
  const lines = [
    {
      store: figures.store,
      sync: 'on',
      'events/s': Math.round(speed.flow),
      'drain/s': Math.round(speed.drain),
      p50_commit: ms(singles.p50),
      p99_commit: ms(singles.p99),
      ratio_raw: ratio(speed.raw),
      ratio_pgboss: ratio(speed.pgboss),
      ratio_graphile: ratio(speed.graphile),
    },
    {
      healthy_p50: ms(kept.alone.p50),
      healthy_p99: ms(kept.alone.p99),
      with_200_bad_p50: ms(kept.withBad.p50),
      with_200_bad_p99: ms(kept.withBad.p99),
      ratio_p99: (kept.withBad.p99 / kept.alone.p99).toFixed(2),
      replay_live_p99_ratio: (again.replaying.p99 / again.calm.p99).toFixed(2),
    },
    {
      order_violations: faults.orderViolations,
      lost: faults.lost,
      duplicates: faults.duplicates,
      cpu_us_per_event: Math.round(speed.cpuMicros.product),
      rss_mb: Math.round(speed.rssMb),
      node: process.version,
      cores: availableParallelism(),
      idle_machine: figures.idle ? 'yes' : 'no',
    },
  ]
  console.log(`\n${lines.map(part).join('\n  ')}`)
  console.log(JSON.stringify({ ...figures, node: process.version, cores: availableParallelism() }))
}

function rowsOf(figures: Figures): Row[] {
  const { store, singles, live: one, throughput: speed, isolation: kept, replay: again, faults } = figures
  const drained = `${perSecond(speed.drain)}, ${Math.round(speed.cpuMicros.product)} µs of CPU each`
  const against = (name: string, value: number | undefined, cpu: number | undefined, aim?: Row['aim']): Row[] =>
    value === undefined
      ? []
      : [
          {
            row: `${store}: deliveries, against ${name}`,
            figure: drained,
            baseline: `${perSecond(value)}, ${Math.round(cpu ?? 0)} µs`,
            ratio: speed.drain / value,
            ...(aim && { aim }),
          },
        ]
  const wrong = faults.lost + faults.duplicates + faults.orderViolations
  return [
    ...against('a raw loop', speed.raw, speed.cpuMicros.raw, store === 'sqlite' ? { atLeast: 0.35 } : undefined),
    ...against('graphile-worker', speed.graphile, speed.cpuMicros.graphile, { atLeast: 1.5 }),
    ...against('pg-boss', speed.pgboss, speed.cpuMicros.pgboss, { atLeast: 1.5 }),
    {
      row: `${store}: CPU of a live delivery at ${singlesPerSecond}/s${one.graphile ? ', against graphile-worker (how many times less)' : ''}`,
      figure: milliseconds(one.product / 1_000),
      ...(one.graphile && {
        baseline: milliseconds(one.graphile / 1_000),
        ratio: one.graphile / one.product,
      }),
      aim: one.product > 1_000 || !one.graphile ? { atMost: 1, of: one.product / 1_000 } : { atLeast: 1.5 },
    },
    { row: `${store}: deliveries while eight write`, figure: perSecond(speed.flow) },
    {
      row: `${store}: commit to receipt, p50`,
      figure: `${milliseconds(singles.p50)} (p99 ${milliseconds(singles.p99)})`,
      aim: { atMost: 10, of: singles.p50, onClock: true },
    },
    {
      row: `${store}: healthy p99 with 200 bad, against none`,
      figure: milliseconds(kept.withBad.p99),
      baseline: milliseconds(kept.alone.p99),
      ratio: kept.withBad.p99 / kept.alone.p99,
      aim: { atMost: 2 },
    },
    {
      row: `${store}: live p99 during a replay, against none`,
      figure: `${milliseconds(again.replaying.p99)} (${perSecond(again.perSecond)} replayed)`,
      baseline: milliseconds(again.calm.p99),
      ratio: again.replaying.p99 / again.calm.p99,
    },
    {
      row: `${store}: lost, twice or out of order`,
      figure: `${faults.lost} + ${faults.duplicates} + ${faults.orderViolations}`,
      aim: { atMost: 0, of: wrong },
    },
  ]
}
