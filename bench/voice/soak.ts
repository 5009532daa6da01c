import { readdirSync } from 'node:fs'
import { milliseconds, print, type Row } from '../kit.ts'
import { startLoadGenerator } from './load-generator.ts'
import { begin, pause } from './measure.ts'
import { startOurs } from './ours.ts'
import { pinCarrier, pinLoad } from './pin.ts'

const calls = 50
const betweenSamplesMs = 10_000
/** In each of them the oldest call ends and another begins: what is not given back shows. */
const betweenCallsMs = 2_000
/** Until the compiler and the heap have found their size. */
const warmUpMinutes = 1

interface Sample {
  minutes: number
  lagMs: number
  dropped: number
  underruns: number
  memoryMb: number
  descriptors: number
}

/** Fifty calls for minutes or hours, with a line for every ten seconds of them. */
export async function soak(minutes: number): Promise<Row[]> {
  const load = startLoadGenerator()
  const carrier = await startOurs(calls + 1)
  pinLoad(load)
  pinCarrier(carrier)
  for (let call = 0; call < calls; call++) await begin(load, carrier, call)
  print(`${calls} calls for ${minutes} minutes, one of them replaced every ${betweenCallsMs / 1_000} s`)

  const samples: Sample[] = []
  const from = performance.now()
  const elapsed = () => (performance.now() - from) / 60_000
  let oldest = 0
  for (let due = betweenSamplesMs; elapsed() < minutes; ) {
    await pause(betweenCallsMs)
    await begin(load, carrier, oldest + calls)
    await carrier.end(oldest)
    await load.ask('leave', { call: oldest })
    oldest++
    if (elapsed() * 60_000 < due) continue
    due += betweenSamplesMs
    const { tickLagMs, dropped, underruns, memoryMb } = await carrier.stats()
    const descriptors = descriptorsOf(carrier.pid)
    const sample = { minutes: elapsed(), lagMs: tickLagMs.max, dropped, underruns, memoryMb, descriptors }
    samples.push(sample)
    const { lateMs } = await load.ask('received', {})
    print(`${lineOf(sample, tickLagMs.p99)}, talkers at most ${lateMs.toFixed(0)} ms late`)
  }
  await carrier.stop()
  await load.stop()
  return rowsOf(samples, oldest)
}

const descriptorsOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

const lineOf = ({ minutes, lagMs, dropped, underruns, memoryMb, descriptors }: Sample, p99: number) =>
  [
    `${minutes.toFixed(1)} min`,
    `tick lag ${milliseconds(lagMs)} (p99 ${milliseconds(p99)})`,
    `${dropped} dropped`,
    `${underruns} underruns`,
    `${memoryMb.toFixed(0)} MB`,
    `${descriptors} descriptors`,
  ].join(', ')

function rowsOf(samples: readonly Sample[], replaced: number): Row[] {
  const warm = samples.filter(({ minutes }) => minutes >= warmUpMinutes)
  const [first, last] = [warm[0], warm.at(-1)]
  if (!first || !last) throw new Error(`a soak takes more than ${warmUpMinutes} minute`)
  const lagMs = Math.max(...samples.map((sample) => sample.lagMs))
  const name = `${calls} calls for ${last.minutes.toFixed(0)} min, ${replaced} replaced`
  return [
    { row: `${name}: latest tick`, figure: milliseconds(lagMs), aim: { atMost: 60, of: lagMs, onClock: true } },
    { row: `${name}: frames dropped`, figure: String(last.dropped) },
    {
      row: `${name}: underruns`,
      figure: String(last.underruns),
      aim: { atMost: 0, of: last.underruns, onClock: true },
    },
    { row: `${name}: memory`, figure: `${last.memoryMb.toFixed(0)} MB`, baseline: `${first.memoryMb.toFixed(0)} MB` },
    { row: `${name}: growth of memory`, figure: `${slope(warm).toFixed(2)} MB/min` },
    {
      row: `${name}: descriptors`,
      figure: String(last.descriptors),
      baseline: String(first.descriptors),
      ratio: last.descriptors / first.descriptors,
    },
  ]
}

/** By least squares, in megabytes a minute. */
function slope(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, each) => sum + of(each), 0) / samples.length
  const [minutes, memory] = [mean((each) => each.minutes), mean((each) => each.memoryMb)]
  const spread = mean((each) => (each.minutes - minutes) ** 2)
  return spread === 0 ? 0 : mean((each) => (each.minutes - minutes) * (each.memoryMb - memory)) / spread
}
