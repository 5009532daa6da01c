import { readdirSync, readFileSync } from 'node:fs'
import { client } from '../../test/kit/client.ts'
import type { Installation } from '../fleet/installation.ts'
import { cpuSecondsOf, pidsOf } from '../fleet/processes.ts'
import { bytesIn, type Store } from './store.ts'
import type { Allowance, Filling, Point } from './trend.ts'

// What is measured at intervals: each process, the disk, and how late things are.

export interface Series {
  name: string
  unit: 'MB' | 'count' | 'ms' | 's'
  /** Absent: shown, not judged. */
  allowance?: Allowance
  points: Point[]
}

export interface Samples {
  series: Map<string, Series>
  database: Filling[]
  files: Filling[]
  /** Cores in use by the installation and by the whole machine, since the previous sample. */
  cores: { own: number; machine: number }[]
  take(calls: number): Promise<string>
}

const mb = 1_048_576
const memory: Allowance = { amount: 16, share: 0.1 }
const descriptors: Allowance = { amount: 8, share: 0.1 }
const lag: Allowance = { amount: 50, share: 0.5 }
const age: Allowance = { amount: 5, share: 0.5 }
const wal: Allowance = { amount: 16, share: 0.25 }

export interface SamplesOptions {
  installation: Installation
  store: Store
  /** In ms; null where nothing has arrived. */
  lateness(): Promise<number | null>
}

export function createSamples({ installation, store, lateness }: SamplesOptions): Samples {
  const began = performance.now()
  const series = new Map<string, Series>()
  const samples: Samples = { series, database: [], files: [], cores: [], take }
  const cpuOf = new Map<number, number>()
  let previous = { at: 0, machine: busySeconds() }

  function add(
    name: string,
    unit: Series['unit'],
    value: number | null | undefined,
    process: number,
    allowance?: Allowance,
  ) {
    if (value === null || value === undefined || Number.isNaN(value)) return
    const one = series.get(name) ?? { name, unit, ...(allowance && { allowance }), points: [] }
    series.set(name, one)
    one.points.push({ at: performance.now() - began, value, process })
  }

  async function take(calls: number): Promise<string> {
    const server = installation.server().child.pid ?? 0
    const [node] = installation.lineNodes()
    const programs = [
      ['server', server],
      ['line node', node?.lineNode ?? 0],
      ['media program', node?.media[0] ?? 0],
    ] as const
    for (const [name, pid] of programs) {
      const figures = processFigures(pid)
      if (!figures) continue
      add(`${name}: resident memory`, 'MB', figures.residentMb, pid, memory)
      add(`${name}: anonymous memory`, 'MB', figures.anonymousMb, pid, memory)
      add(`${name}: descriptors`, 'count', figures.descriptors, pid, descriptors)
    }
    const metrics = await scrape(installation)
    const of = (name: string) => metrics.get(`hookswitch_${name}`)
    const seconds = (value: number | undefined) => (value === undefined ? undefined : value * 1_000)
    add('server: heap used', 'MB', (of('nodejs_heap_size_used_bytes') ?? Number.NaN) / mb, server, memory)
    add('server: external memory', 'MB', (of('nodejs_external_memory_bytes') ?? Number.NaN) / mb, server, memory)
    add('server: event loop lag, p99', 'ms', seconds(of('nodejs_eventloop_lag_p99_seconds')), server, lag)
    add('webhooks: oldest due, healthy receivers', 's', of('outbox_oldest_age_seconds{lane="proven"}'), 0, age)
    add('webhooks: change to arrival, p99', 'ms', await lateness(), 0, { amount: 1_000, share: 0.5 })
    add('jobs: lag', 's', of('jobs_lag_seconds'), 0, age)
    add('media program: mixer lag', 'ms', seconds(of('voice_tick_lag_seconds')), node?.media[0] ?? 0, lag)
    add('calls in progress', 'count', sumOf(metrics, 'active_calls'), 0)
    add('webhooks: pending deliveries', 'count', sumOf(metrics, 'outbox_pending'), 0)
    for (const result of ['resumed', 'ended']) {
      add(`calls after a kill: ${result}`, 'count', of(`calls_recovered_total{result="${result}"}`), server)
    }
    await disk(calls)
    return line(await cores([server, ...(node ? pidsOf(node) : [])]))
  }

  async function disk(calls: number): Promise<void> {
    const size = await store.size(installation.dataDir).catch(() => undefined)
    if (size) {
      samples.database.push({ calls, bytes: size.database })
      add('database: size', 'MB', size.database / mb, 0)
      add('database: write-ahead log', 'MB', size.wal / mb, 0, wal)
    }
    const files = bytesIn(installation.dataDir, (name) => !name.startsWith('hookswitch.db'))
    samples.files.push({ calls, bytes: files })
    add('other files', 'MB', files / mb, 0)
  }

  async function cores(pids: readonly number[]) {
    const at = performance.now()
    const used = await Promise.all(pids.map(async (pid) => [pid, await cpuSecondsOf([pid]).catch(() => 0)] as const))
    const machine = busySeconds()
    const own = used.reduce((sum, [pid, cpu]) => sum + Math.max(0, cpu - (cpuOf.get(pid) ?? cpu)), 0)
    const elapsed = (at - previous.at) / 1_000
    const share = { own: own / elapsed, machine: (machine - previous.machine) / elapsed }
    for (const [pid, cpu] of used) cpuOf.set(pid, cpu)
    const isFirst = previous.at === 0
    previous = { at, machine }
    if (!isFirst) samples.cores.push(share)
    return share
  }

  function line({ own, machine }: { own: number; machine: number }): string {
    const last = (name: string) => series.get(name)?.points.at(-1)?.value ?? Number.NaN
    return [
      `${((performance.now() - began) / 60_000).toFixed(1)} min`,
      `server ${last('server: resident memory').toFixed(0)} MB (heap ${last('server: heap used').toFixed(0)})`,
      `line node ${last('line node: resident memory').toFixed(0)} MB`,
      `media ${last('media program: resident memory').toFixed(0)} MB`,
      `${last('server: descriptors')} descriptors`,
      `lag ${last('server: event loop lag, p99').toFixed(0)} ms`,
      `database ${last('database: size').toFixed(0)} MB`,
      `${last('calls in progress')} calls`,
      `${own.toFixed(2)} of ${machine.toFixed(2)} cores in use`,
    ].join(', ')
  }

  return samples
}

interface ProcessFigures {
  residentMb: number
  anonymousMb: number
  descriptors: number
}

/** Undefined when the process has ended. */
function processFigures(pid: number): ProcessFigures | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const kb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
    // A process that was killed and not yet reaped has no memory.
    if (Number.isNaN(kb('VmRSS'))) return undefined
    const open = readdirSync(`/proc/${pid}/fd`).length
    return { residentMb: kb('VmRSS') / 1_024, anonymousMb: kb('RssAnon') / 1_024, descriptors: open }
  } catch {
    return undefined
  }
}

/** Of all cores, since the machine was started. */
function busySeconds(): number {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? ''
  )
    .split(/\s+/)
    .map(Number)
  return (user + nice + system + irq + softirq) / 100
}

async function scrape({ server }: Installation): Promise<Map<string, number>> {
  const answer = await client(server().url, {})('GET', '/metrics').catch(() => undefined)
  const lines = answer?.status === 200 ? answer.text.split('\n') : []
  return new Map(
    lines.flatMap((text) => {
      const [, name, value] = /^(\w+(?:\{[^}]*\})?) (\S+)$/.exec(text) ?? []
      return name === undefined ? [] : [[name, Number(value)] as const]
    }),
  )
}

function sumOf(metrics: ReadonlyMap<string, number>, name: string): number {
  let sum = 0
  for (const [key, value] of metrics) if (key.startsWith(`hookswitch_${name}{`)) sum += value
  return sum
}
