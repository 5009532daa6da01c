import { interleaved, median, print } from '../kit.ts'
import { compare, type Faults, type Spread, spreadOf } from './comparison.ts'
import type { Environment } from './environment.ts'
import type { Commit } from './product.ts'
import { now } from './serve.ts'

export interface Sizes {
  singles: number
  /** Events of one round of single ones. */
  trickle: number
  deliveries: number
  rounds: number
  isolationRepeats: number
  isolationSeconds: number
  replayed: number
  replayRounds: number
}

const companies = 20
const contactsEach = 25
const writers = 8
/** What the baseline keeps in flight. The product: 20 webhooks, each with its cap of 2 to 16 and one per resource. */
export const inFlight = 64
const badEach = 10
const eventsPerSecond = 20
export const singlesPerSecond = 40
const livePerSecond = 50

/** One webhook for each company, all of them well. */
const wellOnly = (origin: string) => Array.from({ length: companies }, (_, i) => [`${origin}/well/${i}`])

/** Ten failing receivers per healthy one, of the five kinds in turn: all eleven receive every event. */
const withBad = ({ origin, badOrigins }: Environment) =>
  wellOnly(origin).map((well, i) => [
    ...well,
    ...Array.from({ length: badEach }, (_, j) => `${badOrigins[j % badOrigins.length]}/bad/${i}/${j}`),
  ])

async function openSeeded({ product, newStore }: Environment, urls: string[][]): Promise<void> {
  await product.ask('open', await newStore())
  await product.ask('seed', { companies: urls, contactsEach })
}

/** Waits for the committed events, and compares what arrived. */
async function receivedAll({ receiver }: Environment, faults: Faults, commits: Commit[], alsoExpected = 0) {
  await receiver.ask('until', { count: commits.length + alsoExpected, ms: 15_000 })
  const arrivals = await receiver.ask('take')
  const comparison = compare(commits, arrivals)
  faults.add(comparison)
  return { ...comparison, replayed: arrivals.filter(({ replay }) => replay).length }
}

/** One event at a time, nothing else going on. */
export async function latency(env: Environment, faults: Faults, { singles }: Sizes): Promise<Spread> {
  await openSeeded(env, wellOnly(env.origin))
  await env.product.ask('start')
  // The first to each webhook opens its connection; code gets warm.
  const warm = await env.product.ask('write', { total: 5 * companies, writers: 1, perSecond: singlesPerSecond })
  await receivedAll(env, faults, warm)
  const commits = await env.product.ask('write', { total: singles, writers: 1, perSecond: singlesPerSecond })
  const { latencies } = await receivedAll(env, faults, commits)
  await env.product.ask('stop')
  const spread = spreadOf(latencies)
  print(`single events: p50 ${spread.p50.toFixed(2)} ms, p99 ${spread.p99.toFixed(2)} ms`)
  return spread
}

export interface Throughput {
  /** Deliveries per second: a committed backlog, then the sender is started. */
  drain: number
  /** The same while eight writers write as fast as they can. */
  flow: number
  raw: number
  graphile: number | undefined
  pgboss: number | undefined
  cpuMicros: { product: number; raw: number; graphile: number | undefined; pgboss: number | undefined }
  rssMb: number
}

export async function throughput(env: Environment, faults: Faults, { deliveries, rounds }: Sizes): Promise<Throughput> {
  const { product, receiver, raw, origin, peers } = env
  const store = await env.newStore()
  const cpu: Record<string, number[]> = {}
  let rssMb = 0
  const rate = (name: string, total: number, { seconds, cpuMicros }: { seconds: number; cpuMicros: number }) => {
    cpu[name] = [...(cpu[name] ?? []), cpuMicros / total]
    return total / seconds
  }
  const drain = async (total: number) => {
    await product.ask('open', store)
    const commits = await product.ask('write', { total, writers })
    const figures = await product.ask('drain')
    rssMb = Math.max(rssMb, figures.rssMb)
    await receivedAll(env, faults, commits)
    await product.ask('stop')
    return rate('product', total, figures)
  }
  const flow = async (total: number) => {
    await product.ask('open', store)
    await product.ask('start')
    const { commits, ...figures } = await product.ask('flow', { total, writers })
    await receivedAll(env, faults, commits)
    await product.ask('stop')
    return rate('flow', total, figures)
  }

  await product.ask('open', store)
  await product.ask('seed', { companies: wellOnly(origin), contactsEach })
  await product.ask('stop')
  await receiver.ask('copyRequests')
  const warm = 1_000
  await drain(warm)
  const requests = await receiver.ask('requests')
  const baseline = async (total: number) => {
    const figures = await raw.ask('send', { origin, requests, total, inFlight })
    await receiver.ask('take')
    return rate('raw', total, figures)
  }
  const peer = (name: 'graphile' | 'pgboss') => async (total: number) => {
    const figures = await peers?.[name].ask('drain', { requests, total })
    await receiver.ask('take')
    return figures ? rate(name, total, figures) : Number.NaN
  }
  const subjects = {
    drain,
    raw: baseline,
    ...(peers && { graphile: peer('graphile'), pgboss: peer('pgboss') }),
    flow,
  }
  for (const subject of Object.values(subjects)) await subject(warm)
  for (const name of Object.keys(cpu)) cpu[name] = []
  const all = Object.entries(subjects).map(([name, subject]) => [name, () => subject(deliveries)])
  const rates: Record<string, number> = await interleaved(rounds, Object.fromEntries(all))
  await checkLog(env, store)
  const parts = Object.entries(rates).map(([name, value]) => `${name} ${Math.round(value)}/s`)
  print(`throughput: ${parts.join(' · ')}`)
  const cpuOf = (name: string) => (cpu[name] ? median(cpu[name]) : undefined)
  return {
    drain: rates.drain ?? Number.NaN,
    flow: rates.flow ?? Number.NaN,
    raw: rates.raw ?? Number.NaN,
    graphile: rates.graphile,
    pgboss: rates.pgboss,
    cpuMicros: {
      product: cpuOf('product') ?? Number.NaN,
      raw: cpuOf('raw') ?? Number.NaN,
      graphile: cpuOf('graphile'),
      pgboss: cpuOf('pgboss'),
    },
    rssMb,
  }
}

/** Quick by leaving out the log would be no comparison. */
async function checkLog({ product }: Environment, store: Awaited<ReturnType<Environment['newStore']>>): Promise<void> {
  await product.ask('open', store)
  const { attempts, delivered } = await product.ask('logged')
  await product.ask('stop')
  if (attempts < delivered || delivered === 0) throw new Error(`${delivered} delivered, ${attempts} attempts logged`)
}

export interface Live {
  /** CPU of the process for each delivery, beyond what the change alone costs. */
  product: number
  graphile: number | undefined
}

/** Events that come one by one, as in an office: each is claimed, sent and written down for itself. */
export async function live(env: Environment, faults: Faults, { trickle, rounds }: Sizes): Promise<Live> {
  const { product, receiver, peers } = env
  await openSeeded(env, wellOnly(env.origin))
  const writing = { total: trickle, writers: 1, perSecond: singlesPerSecond }
  await receiver.ask('copyRequests')
  await product.ask('start')
  await receivedAll(env, faults, await product.ask('write', { ...writing, total: 5 * companies }))
  const requests = await receiver.ask('requests')
  const each = async (delivers: boolean) => {
    const { commits, cpuMicros } = await product.ask('trickle', { ...writing, delivers })
    if (delivers) await receivedAll(env, faults, commits)
    return cpuMicros / trickle
  }
  const peer = async (delivers: boolean) => {
    const spent = await peers?.graphile.ask('trickle', {
      requests,
      total: trickle,
      perSecond: singlesPerSecond,
      delivers,
    })
    await receiver.ask('take')
    return (spent?.cpuMicros ?? Number.NaN) / trickle
  }
  await each(true)
  const subjects = (delivers: boolean): Record<string, () => Promise<number>> => ({
    product: () => each(delivers),
    ...(peers && { graphile: () => peer(delivers) }),
  })
  const withDelivery = await interleaved(rounds, subjects(true))
  await product.ask('stop')
  // The same changes without delivery: the difference is the cost of delivery.
  await openSeeded(env, wellOnly(env.origin))
  await each(false)
  const without = await interleaved(rounds, subjects(false))
  await receiver.ask('take')
  await product.ask('stop')
  const difference = (name: 'product' | 'graphile') =>
    (withDelivery[name] ?? Number.NaN) - (without[name] ?? Number.NaN)
  print(
    `live: ${Math.round(difference('product'))} µs of CPU for a delivery (${Math.round(withDelivery.product ?? 0)} with its change)` +
      (peers
        ? `, graphile-worker ${Math.round(difference('graphile'))} µs (${Math.round(withDelivery.graphile ?? 0)})`
        : ''),
  )
  return { product: difference('product'), graphile: peers && difference('graphile') }
}

export interface Isolation {
  alone: Spread
  withBad: Spread
}

/** Each repeat starts with a new database, without known endpoint health. */
export async function isolation(env: Environment, faults: Faults, sizes: Sizes): Promise<Isolation> {
  const measured: Record<'alone' | 'withBad', Spread[]> = { alone: [], withBad: [] }
  const run = (name: 'alone' | 'withBad') => async () => {
    await openSeeded(env, name === 'alone' ? wellOnly(env.origin) : withBad(env))
    await env.product.ask('start')
    const total = sizes.isolationSeconds * eventsPerSecond
    const commits = await env.product.ask('write', { total, writers, perSecond: eventsPerSecond })
    const { latencies } = await receivedAll(env, faults, commits)
    await env.product.ask('stop')
    const spread = spreadOf(latencies)
    measured[name].push(spread)
    print(`healthy, ${name}: p50 ${spread.p50.toFixed(2)} ms, p99 ${spread.p99.toFixed(2)} ms`)
    return spread.p99
  }
  await interleaved(sizes.isolationRepeats, { alone: run('alone'), withBad: run('withBad') })
  return { alone: medians(measured.alone), withBad: medians(measured.withBad) }
}

const medians = (spreads: readonly Spread[]): Spread => ({
  p50: median(spreads.map(({ p50 }) => p50)),
  p99: median(spreads.map(({ p99 }) => p99)),
})

export interface Replaying {
  calm: Spread
  replaying: Spread
  perSecond: number
}

/** Live events while everything sent before is sent again, against the same without. */
export async function replay(env: Environment, faults: Faults, sizes: Sizes): Promise<Replaying> {
  const { product } = env
  await openSeeded(env, wellOnly(env.origin))
  const from = now()
  const backlog = await product.ask('write', { total: sizes.replayed, writers })
  const to = now()
  await product.ask('drain')
  await receivedAll(env, faults, backlog)
  // Ranges are whole seconds: what follows must not be in this one.
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const calm: number[] = []
  const busy: number[] = []
  const rates: number[] = []
  for (let round = 0; round < sizes.replayRounds; round++) {
    const total = Math.max(200, Math.round(sizes.replayed / 25))
    const quiet = await product.ask('write', { total, writers, perSecond: livePerSecond })
    calm.push(...(await receivedAll(env, faults, quiet)).latencies)
    const started = now()
    const asked = await product.ask('replay', { from, to })
    const live = await product.ask('write', { total, writers, perSecond: livePerSecond })
    await product.ask('untilAllDelivered')
    const { latencies, replayed } = await receivedAll(env, faults, live, asked)
    rates.push(replayed / ((now() - started) / 1_000))
    if (replayed !== asked) throw new Error(`${asked} were to be replayed, ${replayed} came`)
    busy.push(...latencies)
    print(`${asked} replayed under ${livePerSecond} live events/s`)
  }
  await product.ask('stop')
  return { calm: spreadOf(calm), replaying: spreadOf(busy), perSecond: median(rates) }
}
