import { interleaved, milliseconds, print, quantile, type Row } from './kit.ts'
import type { Carrier } from './voice/carrier.ts'
import { janusIsMissing, startJanus } from './voice/janus.ts'
import { type LoadGenerator, startLoadGenerator } from './voice/load-generator.ts'
import { measure, percent, type Watch } from './voice/measure.ts'
import { startOurs } from './voice/ours.ts'
import { pinCarrier, pinLoad } from './voice/pin.ts'
import { rtpengineIsMissing, startRtpengine } from './voice/rtpengine.ts'
import { soak } from './voice/soak.ts'

// What a call costs: a browser, a trunk, the room between them and its recording, as shares of one core. The same talkers
// call through our media program and, where they are installed, through two programs that others have made.

const rounds = 3
const lagAlarmMs = 60
const us = 'ours, which mixes and records'

interface Other {
  name: string
  missing(): string | null
  start(): Promise<Carrier>
  /** What ours may cost of what it costs. */
  most: number
}

const others: readonly Other[] = [
  { name: 'rtpengine, which only relays', missing: rtpengineIsMissing, start: startRtpengine, most: 3 },
  {
    name: 'Janus AudioBridge, which mixes',
    missing: janusIsMissing,
    start: () => startJanus({ record: false }),
    most: 0.6,
  },
  {
    name: 'Janus AudioBridge, which mixes and records',
    missing: janusIsMissing,
    start: () => startJanus({ record: true }),
    most: 0.6,
  },
]

/** Further figures of the rounds of one size. */
interface Measurements {
  setUps: Map<string, number[]>
  health: { lagMs: number; underruns: number; dropped: number; memoryMb: number }[]
}

export async function bench(): Promise<Row[]> {
  const minutes = Number(process.env.SOAK ?? 0)
  if (minutes > 0) return await soak(minutes)
  print('PCMU everywhere, 20 ms a packet: browsers with DTLS and SRTP, trunks with plain RTP, all on this machine')
  const load = startLoadGenerator()
  if (!pinLoad(load)) print('the load generator shares the core of the carrier: expect higher figures')
  const rows: Row[] = []
  for (const calls of [20, 50]) rows.push(...(await compare(load, calls)))
  await load.stop()
  return rows
}

async function compare(load: LoadGenerator, calls: number): Promise<Row[]> {
  const measured: Measurements = { setUps: new Map(), health: [] }
  const subjects: Record<string, () => Promise<number>> = { [us]: () => ourShare(load, calls, measured) }
  for (const { name, start, missing } of others) {
    if (missing() === null) subjects[name] = async () => shareOf(name, await start(), load, calls, measured)
  }
  const shares = await interleaved(rounds, subjects)
  const own = shares[us] ?? Number.NaN
  return [
    {
      row: `${calls} calls, mixed and recorded: share of a core per call`,
      figure: percent(own),
      aim: { atMost: 1, of: own * 100 },
    },
    ...others.map((other) => against(other, calls, own, shares[other.name])),
    ...clockRows(calls, measured),
  ]
}

async function shareOf(
  name: string,
  carrier: Carrier,
  load: LoadGenerator,
  calls: number,
  { setUps }: Measurements,
  watch: Watch = {},
): Promise<number> {
  pinCarrier(carrier)
  const measured = await measure(name, carrier, load, calls, watch)
  setUps.set(name, [...(setUps.get(name) ?? []), ...measured.setUps])
  await carrier.stop()
  await load.ask('leave', {})
  return measured.share
}

async function ourShare(load: LoadGenerator, calls: number, measured: Measurements): Promise<number> {
  const carrier = await startOurs(calls)
  let before = { underruns: 0, dropped: 0 }
  return await shareOf(us, carrier, load, calls, measured, {
    async from() {
      before = await carrier.stats()
    },
    async until() {
      const { underruns, dropped, memoryMb, tickLagMs } = await carrier.stats()
      measured.health.push({
        lagMs: tickLagMs.max,
        underruns: underruns - before.underruns,
        dropped: dropped - before.dropped,
        memoryMb,
      })
    },
  })
}

function against({ name, missing, most }: Other, calls: number, own: number, theirs: number | undefined): Row {
  const row = `${calls} calls, against ${name}`
  if (theirs === undefined) return { row, figure: `skipped: ${missing()}` }
  return { row, figure: percent(own), baseline: percent(theirs), ratio: own / theirs, aim: { atMost: most } }
}

function clockRows(calls: number, { setUps, health }: Measurements): Row[] {
  const most = (of: (each: Measurements['health'][number]) => number) => Math.max(...health.map(of))
  const lagMs = most((each) => each.lagMs)
  const underruns = most((each) => each.underruns)
  const p50 = (name: string) => quantile(setUps.get(name) ?? [], 0.5)
  const beside = [...setUps.keys()].filter((name) => name !== us).map((name) => `${name}: ${milliseconds(p50(name))}`)
  if (beside.length > 0) print(`${calls} calls, set-up p50 of the others: ${beside.join('; ')}`)
  print(
    `${calls} calls, ours: ${most((each) => each.memoryMb).toFixed(0)} MB, ${most((each) => each.dropped)} frames dropped`,
  )
  return [
    {
      row: `${calls} calls on one core, latest tick of the worst round`,
      figure: milliseconds(lagMs),
      aim: { atMost: lagAlarmMs, of: lagMs, onClock: true },
    },
    {
      row: `${calls} calls on one core, underruns in the worst round`,
      figure: String(underruns),
      aim: { atMost: 0, of: underruns, onClock: true },
    },
    {
      row: `${calls} calls, offer of a browser until sound can flow, p50`,
      figure: milliseconds(p50(us)),
      aim: { atMost: 100, of: p50(us), onClock: true },
    },
  ]
}
